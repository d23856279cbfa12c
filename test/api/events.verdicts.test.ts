import test from 'ava';
import { z } from 'zod';
import { listEvents } from '#shared/events/log/events.ts';
import { sql } from '#shared/platform/db.ts';
import { pageRequest } from '#shared/interface/page.ts';
import { SECOND } from '#shared/values/time.ts';
import { verifiers } from '#shared/verification/index.ts';
import { newKey, signDetached } from '#test/helpers/proofs/jwt.ts';
import { type Flow, flow, noon } from '#test/shared/assessment/flow.ts';
import { turnOf } from '#test/helpers/runs.ts';

const stranger = await newKey();

/** Events of each result, so many of each: evidence that is nonsense, a signature by a key nobody knows, and none at all. */
async function log(w: Flow, rounds: number) {
  const made: Record<string, string[]> = { failed: [], inconclusive: [], none: [] };
  for (let round = 0; round < rounds; round += 1) {
    const at = round * SECOND;
    const agent = { agent_id: undefined, owner_id: undefined, agent: { external_id: `agent-${round % 2}` } };
    const more = { ...agent, owner: { external_id: 'owner-1' } };
    const signature = await signDetached(stranger, '{}');
    const events = {
      failed: w.pay({ at, more: { ...more, evidence: [{ kind: 'x402.payment_payload', value: {} }] } }),
      inconclusive: w.pay({ at, more: { ...more, signature } }),
      none: w.pay({ at, more, payee: 'domain:other.example.com', payee_name: 'Café Olé' }),
    };
    await w.send(Object.values(events));
    for (const [result, event] of Object.entries(events)) made[result]?.unshift(event.id);
  }
  return made;
}

async function pagesOf(w: Flow, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await w.as.get(`/v1/events?limit=3&${query}${cursor}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.next_cursor) return ids;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

test('events are found by what verifying them came to, page by page', async t => {
  const w = await flow(t);
  const made = await log(w, 7);
  t.is((await pagesOf(w, 'verification=none')).length, 21);
  await w.analyze({ limit: 4 });
  for (const result of ['failed', 'inconclusive', 'none'])
    t.deepEqual(await pagesOf(w, `verification=${result}`), made[result], result);
  t.deepEqual(await pagesOf(w, 'verification=verified'), []);
  t.is((await w.as.get('/v1/events?verification=perhaps')).status, 400);
});

test('the results go together with every other filter and with a search', async t => {
  const w = await flow(t);
  const { failed = [], none = [] } = await log(w, 6);
  await w.analyze();
  const agent = (await w.as.get('/v1/agents')).body.data.find(
    ({ external_id }: { external_id: string }) => external_id === 'agent-1',
  );
  t.deepEqual(
    await pagesOf(w, `verification=failed&agent_id=${agent.id}`),
    failed.filter((_, index) => index % 2 === 0),
  );
  const from = new Date(noon + 4 * SECOND).toISOString();
  t.deepEqual(await pagesOf(w, `verification=failed&from=${from}&rail=card&status=settled`), failed.slice(0, 2));
  t.deepEqual(await pagesOf(w, 'verification=none&q=cafe'), none);
  t.deepEqual(await pagesOf(w, 'verification=failed&q=cafe'), []);
  t.deepEqual(await pagesOf(w, `verification=failed&q=${failed[2]}`), failed.slice(2, 3));
  t.deepEqual(await pagesOf(w, 'verification=failed&q=shop.example'), failed);
});

/** Evidence that is nothing of what it says it is. */
const garbage: (string | object)[] = [
  {},
  { x402Version: 2, payload: [], accepted: 'x', signature: { a: 1 } },
  { x402Version: '2', scheme: null, network: {}, payload: { authorization: 7, signature: [] } },
  { headers: [], body: 5, method: {}, url: null },
  { headers: { signature: 'sig1=:AAAA:', 'signature-input': 'sig1=()' }, method: 'POST', url: 'not a url' },
  { allowance: 'much', token: { deep: true }, network: 'eip155:1', hash: '0x00' },
  { constructor: { prototype: [] }, toString: 1, hasOwnProperty: null },
  '{"__proto__":{"result":"verified"},"constructor":{"prototype":{}}}',
  JSON.parse(`${'{"a":'.repeat(24)}1${'}'.repeat(24)}`),
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  '[]',
  'null',
  '{"a":1,"a":2}',
  'plain text',
  'eyJhbGciOiJub25lIn0.e30.',
  'a.b.c~d~~e.f.g~',
  '~~~~',
  '..',
  Buffer.from('{"x402Version":1}').toString('base64'),
  Buffer.from('{"a":"\\u0000\\u0007"}').toString('base64url'),
  'eyJhbGciOiJFUzI1NiIsImtpZCI6Ilx1MDAwMCJ9.eyJpc3MiOiJcdTAwMDAiLCJleHAiOjFlMzA4fQ.AAAA',
  '\u202eлжив\u{1f4a9}\u0001\u007f',
  '9'.repeat(60_000),
];
const encoded = [Buffer.from([0, 255, 128, 0]).toString('base64'), Buffer.from('{"a":"\0"}').toString('base64')];

test('evidence of nonsense of every kind is judged, is never verified, and stops nothing', async t => {
  const w = await flow(t);
  const kinds = [...new Set(verifiers.flatMap(({ reads }) => reads)), 'unknown.kind'].filter(kind =>
    kind.includes('.'),
  );
  const events: { id: string }[] = [];
  for (const [index, kind] of kinds.entries()) {
    const at = index * SECOND;
    const ofKind = [
      ...garbage.map(value => w.pay({ at, more: { evidence: [{ kind, value }] } })),
      ...encoded.map(value => w.pay({ at, more: { evidence: [{ kind, value, encoding: 'base64' }] } })),
    ];
    await w.send(ofKind);
    events.push(...ofKind);
  }
  await w.analyze({ limit: 100 });
  const Failures = z.object({ failures: z.unknown() });
  t.deepEqual(await w.db.any(sql.type(Failures)`select failures from analyzed_ranges where failures is not null`), []);
  for (const { id } of turnOf(events, 0, 3)) {
    const { analyzed_at, verification, verification_runs, evidence } = await w.detail(id);
    t.truthy(analyzed_at);
    const [{ kind }] = evidence;
    t.is(verification === null, kind === 'unknown.kind', kind);
    t.not(verification?.result, 'verified', JSON.stringify(verification_runs).slice(0, 500));
    for (const { checks } of verification_runs)
      t.false(
        checks.some(({ code }: { code?: string }) => code === 'internal'),
        `${kind} ${JSON.stringify(evidence[0].value).slice(0, 100)}`,
      );
  }
  t.deepEqual(await pagesOf(w, 'verification=verified'), []);
  await w.admin.post('/v1/trusted-keys', { use: 'any', jwk: stranger.jwk });
  await w.recheck();
  t.deepEqual(await pagesOf(w, 'verification=verified'), []);
});

test('the few events that failed are found among many by an index', async t => {
  const w = await flow(t, { own_database: true });
  await w.send([w.pay()]);
  await w.asOwner(`
    insert into events select (jsonb_populate_record(e, jsonb_build_object('chain_seq', n, 'id', 'evt_' || lpad(n::text, 26, '0')))).*
      from events e, generate_series(2, 50000) n where e.chain_seq = 1;
    insert into event_verdicts (org_id, environment, chain_seq, verification_result, verification_kind)
      select org_id, environment, chain_seq, case when chain_seq % 20000 = 7 then 'failed' else 'verified' end, 'x402_authorization'
      from events;
    analyze events; analyze event_verdicts;`);
  const { secret_key } = w.config;
  const plans: string[] = [];
  const page = pageRequest(secret_key, 'events', w.tenant, { limit: 50 });
  const explain = {
    ...w.db,
    any: async (query: Parameters<typeof w.db.any>[0]) => {
      const { sql: text, values } = query;
      const explained = { ...query, sql: `explain (format json, analyze, costs off, timing off) ${text}`, values };
      const rows = await w.db.any({ ...explained, parser: z.looseObject({ 'QUERY PLAN': z.unknown() }) });
      plans.push(JSON.stringify(rows));
      return [];
    },
  };
  await listEvents(explain as unknown as typeof w.db, w.tenant, { verification: 'failed' }, page);
  t.regex(plans.join(), /event_verdicts_by_verification/);
  t.notRegex(plans.join(), /Seq Scan/);
  t.is((await w.as.get('/v1/events?verification=failed')).body.data.length, 3);
});
