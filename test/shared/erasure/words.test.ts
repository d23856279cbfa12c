import test from 'ava';
import { z } from 'zod';
import { inParts, isFindable } from '#shared/erasure/key_words.ts';
import { recordAudit } from '#shared/interface/audit_log.ts';
import { sql } from '#shared/platform/db.ts';
import { alert } from '#test/helpers/alert.ts';
import { erasing } from '#test/helpers/erasing.ts';
import { event } from '#test/helpers/make.ts';

const letters = (length: number, seed: number) =>
  Array.from({ length }, (_, i) => 'abcdefghijklmnop'[(seed * 7 + i * i * (seed + 3)) % 16]).join('');

test('words of events are looked for in parts, none left out, each with its events', t => {
  const events = Array.from({ length: 100 }, (_, i) => ({
    chain_seq: i + 1,
    words: ['pay', 'the same word', letters(400, i) + i, ...(i === 50 ? [letters(20_000, i)] : [])],
  }));
  const parts = inParts(events);
  t.true(parts.length > 4);
  for (const { words } of parts) t.true(words.length === 1 || words.join('').length <= 8_000);
  for (const { chain_seq, words } of events)
    for (const word of words)
      t.is(
        parts.some(part => part.words.includes(word) && part.seqs.includes(chain_seq)),
        word !== 'pay',
      );
  t.deepEqual(inParts([]), []);
});

test('events that say much are emptied, and what alerts repeat of each of them goes', async t => {
  const { as, db, tenant, erase } = await erasing(t);
  const results: { id: string; chain_seq: number; agent_id: string }[] = [];
  const said = (i: number) => `order ${i} ${letters(900, i)}`;
  for (let from = 0; from < 250; from += 50) {
    const events = Array.from({ length: 50 }, (_, i) =>
      event({
        more: { description: said(from + i), resource_url: `https://h${from + i}.example.com/${letters(900, i)}` },
      }),
    );
    results.push(...(await as.post('/v1/events', { events })).body.results);
  }
  const [{ agent_id } = { agent_id: '' }] = results;
  for (const [i, one] of results.entries())
    if (i % 5 === 0) {
      const title = `$12 at h${i}.example.com: ${said(i)}`;
      await alert(db, tenant, { agent_id, events: [one], subject: String(i), title });
    }
  t.like(await erase({ kind: 'agent', id: agent_id }), { state: 'done', events: 250 });
  const titles = await db.anyFirst(sql.type(z.object({ title: z.string() }))`
    select distinct title from alerts where org_id = ${tenant.org_id}`);
  t.deepEqual(titles, ['$12 at [erased]: [erased]']);
});

test('an owner of more agents than are looked for at once loses all of their names', async t => {
  const { as, db, tenant, erase } = await erasing(t);
  const events = Array.from({ length: 700 }, (_, i) =>
    event({ more: { agent: { external_id: `external-${i}`, name: `Person Number ${i} Ørsted` } } }),
  );
  const { owner_id } = (await as.post('/v1/events', { events })).body.results[0];
  const entries = Array.from({ length: 700 }, (_, i) => ({
    action: 'agent.labeled' as const,
    target_id: null,
    after: { name: `Person Number ${i} Ørsted` },
  }));
  await db.transaction(tx => recordAudit(tx, tenant, { actor_id: null, request_id: null }, entries, Date.now()));
  await erase({ kind: 'owner', id: owner_id });
  const left = await db.oneFirst(sql.type(z.object({ left: z.int() }))`
    select count(*) as left from audit_log where org_id = ${tenant.org_id} and after::text like '%Person Number%'`);
  t.is(left, 0);
  t.false(await db.exists(sql.unsafe`select from erasure_words where org_id = ${tenant.org_id}`));
});

test('a name that is one word is taken out of what is linked to its events, and of nothing else', async t => {
  const { as, db, tenant, erase, person } = await erasing(t);
  const sent = event({ payee: 'domain:open.example.com', payee_name: 'Payment' });
  const { body } = await as.post('/v1/events', { events: [sent, event()] });
  const [mine, other] = body.results;
  const open = async (title: string, event_id: string) => {
    const { id } = (await as.post('/v1/cases', { title, event_ids: [event_id] })).body;
    await as.post(`/v1/cases/${id}/comments`, { text: title });
    return id as string;
  };
  const unrelated = await open('Duplicate payment to Acme GmbH', other.id);
  const named = await open('Duplicate payment to open.example.com', other.id);
  const linked = await open('Payment called back', mine.id);
  await alert(db, tenant, { agent_id: mine.agent_id, events: [mine], title: '$12 to Payment' });
  await alert(db, tenant, { agent_id: mine.agent_id, events: [other], subject: 'other', title: 'A large payment' });
  const owner = await person('owner');
  for (const filters of [
    { q: 'payment' },
    { q: 'payment to Acme' },
    { payee_id: mine.payee_id, q: 'my payment' },
    { payee_id: mine.payee_id, rail: 'card' },
  ])
    t.is((await owner.post('/v1/exports', { kind: 'events', format: 'csv', filters })).status, 202);
  await erase({ kind: 'payee', id: mine.payee_id });
  const searched = [
    (await owner.get('/v1/exports')).body.data,
    (await owner.get('/v1/audit-log?action=export.created')).body.data.map(({ after }: { after: unknown }) => after),
  ].map(rows => rows.map(({ filters }: { filters: { q?: string } }) => filters.q));
  const left = [undefined, 'my [erased]', 'payment to Acme', '[erased]'];
  t.deepEqual(searched, [left, left]);
  const texts = async (id: string) => {
    const { title, timeline } = (await as.get(`/v1/cases/${id}`)).body;
    const comment = timeline.find(({ text }: { text?: string }) => text !== undefined);
    return [title, comment?.text];
  };
  t.deepEqual(await texts(unrelated), Array(2).fill('Duplicate payment to Acme GmbH'));
  t.deepEqual(await texts(named), Array(2).fill('Duplicate payment to [erased]'));
  t.deepEqual(await texts(linked), Array(2).fill('[erased] called back'));
  const { data } = (await as.get('/v1/alerts')).body;
  t.deepEqual(data.map(({ title }: { title: string }) => title).toSorted(), ['$12 to [erased]', 'A large payment']);
});

test('blanks alone are not looked for', t => {
  t.deepEqual(['Acme', 'Abc', '    ', '\u200b\u200b\u200b\u200b'].filter(isFindable), ['Acme']);
});

test('a name that directs the text around it is erased where it was put into words as it is shown', async t => {
  const { as, db, tenant, erase } = await erasing(t);
  const named = (name: string) => event({ more: { agent: { external_id: 'lizard', name } } });
  const events = [named('\u202eetarohtuaG draziL'), named('Renamed since')];
  const [sent] = (await as.post('/v1/events', { events })).body.results;
  await alert(db, tenant, {
    agent_id: sent.agent_id,
    events: [sent],
    title: 'Paid by Lizard Gauthorate / etarohtuaG draziL twice',
  });
  await erase({ kind: 'agent', id: sent.agent_id });
  const titles = await db.anyFirst(sql.type(z.object({ title: z.string() }))`
    select title from alerts where org_id = ${tenant.org_id}`);
  t.deepEqual(titles, ['Paid by [erased] twice']);
});
