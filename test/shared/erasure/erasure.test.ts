import { join } from 'node:path';
import test from 'ava';
import { countErasure } from '#shared/erasure/count_erasure.ts';
import { newId } from '#shared/interface/ids.ts';
import { type AgentsSeen, agentsOf } from '#shared/erasure/parties.ts';
import { verifyRange } from '#shared/ledger/verify/verify_range.ts';
import { verifyPack } from '#shared/packs/verify.mjs';
import { sql } from '#shared/platform/db.ts';
import { HOUR } from '#shared/values/time.ts';
import { contentsOf } from '#test/helpers/every_table.ts';
import { erasing } from '#test/helpers/erasing.ts';
import { event } from '#test/helpers/make.ts';
import { MARK, marked } from '#test/helpers/marked.ts';
import { built } from '#test/helpers/packs.ts';
import { until } from '#test/helpers/until.ts';

test('the log verifies before and after an erasure, which it tells of', async t => {
  const { as, send, publish, erase, verify, services, tenant, columnsWith } = await erasing(t);
  await send(3);
  const { body } = await as.post('/v1/events', marked());
  await send(3);
  await publish();
  t.like(await verify(), { size: 7, checked: 7, erased: 0, flaw: null });
  t.true((await columnsWith(MARK)).includes('events.input'));
  const erasure = await erase({ kind: 'payee', id: body.payee_id });
  t.like(erasure, { state: 'done', events: 1, evidence_values: 2, names: 1, ground: 'Request 4711' });
  t.like(await verify(), { size: 7, checked: 7, erased: 1, flaw: null });
  t.like(await verifyRange(services, tenant, { from_seq: 2, to_seq: 5 }), { checked: 4, erased: 1, flaw: null });
  t.deepEqual(await columnsWith(MARK), []);
  const read = (await as.get(`/v1/events/${body.id}`)).body;
  t.like(read.payment, { amount: { value: '1250' }, payee: { key: `erased:${body.payee_id}` } });
  t.deepEqual([read.description, read.metadata, read.evidence[0].value], [null, null, null]);
  t.like(await erase({ kind: 'payee', id: body.payee_id }), { events: 0, evidence_values: 0, names: 0 });
});

test('what was emptied, or is left of it, without an erasure that says so is tampering', async t => {
  const { as, send, publish, erase, verify, asOwner, tenant } = await erasing(t);
  await send(2);
  const { body } = await as.post('/v1/events', marked());
  await as.post('/v1/events', marked({ payee: 'domain:other.example.com' }));
  await publish();
  await erase({ kind: 'payee', id: body.payee_id });
  const tables = ['events', 'evidence', 'erased_events', 'erasures', 'payees', 'verification_runs'];
  for (const table of tables) await asOwner(`create temp table kept_${table} as table ${table}`);
  const mine = `org_id = '${tenant.org_id}'`;
  const emptied = (seq: number) => `${mine} and chain_seq = ${seq}`;
  for (const [change, seq] of [
    [`update events set input = replace(input, '1250', '1251') where ${emptied(3)}`, 3],
    [`update events set tool_key = null where ${emptied(3)}`, 3],
    [`update events set signed = false where ${emptied(3)}`, 3],
    [`update events set payee_id = (select payee_id from events where ${emptied(4)}) where ${emptied(3)}`, 3],
    [`delete from erased_events where ${emptied(3)}`, 3],
    [`update erased_events set chain_seq = 4 where ${emptied(3)}`, 3],
    [
      `insert into erased_events select org_id, environment, 4, 1, erasure_id, statement from erased_events where ${emptied(3)}`,
      4,
    ],
    [`update erasures set ground = 'another' where ${mine}`, 3],
    [`update erasures set requested_by = 'usr_1' where ${mine}`, 3],
    [`update erased_events set statement = reverse(statement) where ${emptied(3)}`, 3],
    [`update evidence set value = 'back' where ${mine} and event_id = '${body.id}' and position = 0`, 3],
    [
      `update events set input = (select replace(input, 'erased', 'blank') from events where ${emptied(3)}) where ${emptied(4)}`,
      4,
    ],
  ] as const) {
    t.true((await asOwner(change)) > 0, change);
    t.is((await verify()).flaw?.seq, seq, change);
    await asOwner(tables.map(table => `delete from ${table}; insert into ${table} table kept_${table};`).join('\n'));
  }
  t.is((await verify()).flaw, null);
});

test('a dry run counts what an erasure then erases, and changes nothing', async t => {
  const { as, erase, db, tenant, database } = await erasing(t);
  const { body } = await as.post('/v1/events', { events: [marked(), marked(), event()] });
  const [first] = body.results;
  // What a key has sent, and that it was used, is written by timers.
  await until(() => db.exists(sql.unsafe`select from key_hours, versions where topic = 'keys'`));
  for (const [kind, id] of [
    ['payee', first.payee_id],
    ['owner', first.owner_id],
  ] as const) {
    const before = await contentsOf(database.owner_url);
    const counts = await countErasure(db, tenant, { kind, id });
    t.deepEqual(await contentsOf(database.owner_url), before);
    t.like(await erase({ kind, id }), counts);
    t.true(counts.events > 0);
  }
});

test('a pack of an erased event is built, and verifies offline', async t => {
  const here = await erasing(t);
  const { as, publish, erase, client, config, tenant } = here;
  const { body } = await as.post('/v1/events', { events: [marked(), marked({ payee: 'domain:other.example.com' })] });
  await here.analyze();
  await publish();
  await erase({ kind: 'payee', id: body.results[0].payee_id });
  const { pack, read } = await built(t, here, { event_ids: body.results.map(({ id }: { id: string }) => id) });
  const [emptied, other] = read('events.jsonl');
  t.is(emptied.payment.payee.key, `erased:${emptied.payee_id}`);
  t.deepEqual([typeof emptied.erasure, other.erasure], ['string', null]);
  const { body: keys } = await client().get('/v1/keys.json');
  const path = join(config.data_dir, `files/packs/${tenant.org_id}/sandbox/${pack.id}-1.zip`);
  const verified = await verifyPack(path, { keys });
  t.true(verified.ok, JSON.stringify(verified.checks));
  t.regex(verified.checks.find(({ name }) => name === 'events')?.detail ?? '', /1 erased/);
});

test('a payment to an erased payee makes a new payee, and an event that is sent again is still a duplicate', async t => {
  const { as, erase, verify, columnsWith } = await erasing(t);
  const again = marked();
  const { body } = await as.post('/v1/events', again);
  await erase({ kind: 'payee', id: body.payee_id });
  await erase({ kind: 'agent', id: body.agent_id });
  const sent = await as.post('/v1/events', again);
  t.is(sent.status, 200);
  t.like(sent.body, { status: 'duplicate', chain_seq: body.chain_seq, payee_id: body.payee_id });
  t.deepEqual(await columnsWith(MARK), []);
  const read = (await as.get(`/v1/events/${body.id}`)).body;
  t.is((await as.post('/v1/events', read)).body.status, 'duplicate', 'as it is read');
  const next = await as.post('/v1/events', marked());
  t.is(next.status, 201);
  t.not(next.body.payee_id, body.payee_id);
  t.not(next.body.agent_id, body.agent_id);
  t.like(await verify(), { checked: 2, erased: 1, flaw: null });
});

test('an erasure that was cut off goes on where it stood, and the log verifies at every moment', async t => {
  const { as, send, begin, step, verify, publish } = await erasing(t);
  await send(260);
  await publish();
  const { body } = await as.get('/v1/payees');
  const id = await begin({ kind: 'payee', id: body.data[0].id });
  const erased: number[] = [];
  for (let done = false; !done;) {
    done = await step(id);
    const verified = await verify();
    t.is(verified.flaw, null);
    erased.push(verified.erased);
    if (erased.length === 1) await send(1);
  }
  t.is(erased[0], 250);
  t.is(erased.at(-1), 261);
  t.true(await step(id), 'done already');
});

test('of a payment its events go, and the names that no other payment has; of another tenant nothing', async t => {
  const { as, erase, columnsWith, organization, key, client, verify } = await erasing(t);
  const rival = await organization('Rival');
  await client((await key(rival.id)).key).post('/v1/events', marked({ payment_id: 'pay_1' }));
  const before = await columnsWith(MARK);
  await as.post('/v1/events', marked({ payment_id: 'pay_1' }));
  await as.post('/v1/events', event({ payment_id: 'pay_2' }));
  t.like(await erase({ kind: 'payment', id: 'pay_1' }), { events: 1, names: 1 });
  t.deepEqual(await columnsWith(MARK), before);
  const { body } = await as.get('/v1/agents');
  t.is(body.data[0].external_id, 'agent-1', 'pays for another payment too');
  t.is((await verify()).flaw, null);
});

test('one value of evidence can be erased, and the rest of its event stays', async t => {
  const { as, erase, verify } = await erasing(t);
  const { body } = await as.post('/v1/events', marked());
  const { evidence } = (await as.get(`/v1/events/${body.id}`)).body;
  t.like(await erase({ kind: 'evidence', id: evidence[0].id }), { events: 0, evidence_values: 1 });
  const read = (await as.get(`/v1/events/${body.id}`)).body;
  t.deepEqual([read.evidence[0].value, read.evidence[1].value.body, read.description], [null, MARK, MARK]);
  t.like(await verify(), { erased: 1, flaw: null });
  t.like(await erase({ kind: 'evidence', id: evidence[0].id }), { evidence_values: 0 });
  // Its id comes from a process whose clock was an hour ahead.
  newId('evd', Date.now() + HOUR);
  const late = (await as.post('/v1/events', marked())).body.id;
  const [piece] = (await as.get(`/v1/events/${late}`)).body.evidence;
  t.like(await erase({ kind: 'evidence', id: piece.id }), { evidence_values: 1 });
  await t.throwsAsync(erase({ kind: 'evidence', id: 'evd_01ARZ3NDEKTSV4RRFFQ69G5FAV' }), { message: /No such/ });
});

test('a key that an erased payee has is refused of a client, and the payee can be erased', async t => {
  const { as, erase } = await erasing(t);
  const { payee_id } = (await as.post('/v1/events', event({ payee: 'domain:victim.example.com' }))).body;
  for (const key of [`erased:${payee_id}`, `ERASED:${payee_id}`, 'erased:x'])
    for (const more of [{}, { chain_seq: 1 }]) {
      const { status, body } = await as.post('/v1/events', event({ payee: key, more }));
      t.is(status, 400, key);
      t.true(JSON.stringify(body).includes('must not begin with erased:'), JSON.stringify(body));
    }
  t.like(await erase({ kind: 'payee', id: payee_id }), { state: 'done', names: 1 });
  t.is((await as.get('/v1/payees')).body.data.length, 1);
});

test('of the agents of an owner only later events are looked through under the lock, and new agents', async t => {
  const { as, db, tenant } = await erasing(t);
  const paid = async (more: NonNullable<Parameters<typeof event>[0]>['more']) =>
    (await as.post('/v1/events', event({ more }))).body;
  const his = { owner: { external_id: 'owner-1' } };
  const other = { owner: { external_id: 'owner-2' } };
  const first = await paid({ ...his, agent: { external_id: 'first' } });
  const second = await paid({ ...his, agent: { external_id: 'second' } });
  const { owner_id } = first;
  const seen = await agentsOf(db, tenant, owner_id);
  t.deepEqual([seen.size, seen.only_ones], [2, [true, true]]);
  await paid({ ...other, agent: undefined, agent_id: second.agent_id });
  const third = await paid({ ...his, agent: { external_id: 'third' } });
  const later = await agentsOf(db, tenant, owner_id, seen);
  const onlyHis = ({ ids, only_ones }: AgentsSeen) => ids.filter((_, i) => only_ones[i]).toSorted();
  t.deepEqual(onlyHis(later), [first.agent_id, third.agent_id].toSorted());
  t.deepEqual(onlyHis(await agentsOf(db, tenant, owner_id)), onlyHis(later));
  const all = { ...later, only_ones: [true, true, true] };
  t.is(onlyHis(await agentsOf(db, tenant, owner_id, all)).length, 3, 'earlier events are not looked at again');
});
