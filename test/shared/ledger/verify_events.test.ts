import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { FULL, OTHER, SIZE, tampering } from '#test/helpers/tampering.ts';

/** Every column of an event, and what somebody might write there. */
const columns: Record<string, string> = {
  id: `'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV'`,
  type: `'payment.failed'`,
  occurred_at: `occurred_at + interval '1 ms'`,
  received_at: `received_at + interval '1 ms'`,
  source_id: `'src_01ARZ3NDEKTSV4RRFFQ69G5FAV'`,
  agent_id: `(select a.agent_id from events a where a.org_id = events.org_id and a.chain_seq = ${OTHER})`,
  owner_id: `'own_01ARZ3NDEKTSV4RRFFQ69G5FAV'`,
  payee_id: `(select a.payee_id from events a where a.org_id = events.org_id and a.chain_seq = ${OTHER})`,
  payment_id: `'another'`,
  rail: `'sepa'`,
  status: `'failed'`,
  amount_usd_micro: `amount_usd_micro + 1`,
  amount_usd_minor: `null`,
  mandate_id: `null`,
  evidence_count: `1`,
  signed: `false`,
  price_key: `'\\x00'`,
  resource_key: `null`,
  tool_key: `'\\x00'`,
  tool_call_key: `null`,
  attempt: `2`,
  payee_country: `'FR'`,
  payee_name_key: `null`,
  domain_key: `'\\x00'`,
  usd_rate: `'{"usd_per_unit":"1","date":"2026-11-20","source":"operator"}'`,
  event_digest: `sha256('')`,
  leaf_hash: `sha256('')`,
  input: `replace(input, 'Café', 'Cafe')`,
};

test('a change of any column of an event is found, and the event named', async t => {
  const { db, after } = await tampering(t);
  const names = await db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select attname::text as name from pg_attribute where attrelid = 'events'::regclass and attnum > 0 and not attisdropped`);
  t.deepEqual(names.toSorted(), [...Object.keys(columns), 'org_id', 'environment', 'chain_seq'].toSorted());
  for (const [name, value] of Object.entries(columns)) {
    const { seq, reason, part } = await after(
      `update events set ${name} = ${value} where mine and chain_seq = ${FULL}`,
    );
    t.deepEqual([name, seq, part?.seq], [name, FULL, FULL]);
    t.regex(reason, new RegExp(`^Event ${FULL} is not as it was stored: .+\\.$`), name);
  }
});

test('a tool call that only its own id told apart is as earlier versions stored it', async t => {
  const { after } = await tampering(t);
  const byItself = `substring(sha256('call_0') for 8)`;
  const { flaw, part } = await after(
    `update events set tool_call_key = ${byItself} where mine and chain_seq = ${FULL} and tool_call_key <> ${byItself}`,
  );
  t.deepEqual([flaw, part], [null, null]);
});

test('an event is what its neighbors’ verification does not depend on', async t => {
  const { after } = await tampering(t);
  const { part, checked } = await after(`update events set rail = 'sepa' where mine and chain_seq = ${FULL}`, FULL + 1);
  t.deepEqual([part, checked], [null, SIZE - FULL]);
});

test('times that no event can have, amounts that are no numbers and inputs that are no events are found too', async t => {
  const { after } = await tampering(t);
  const digested = (input: string) => `input = ${input}, event_digest = sha256(convert_to(${input}, 'UTF8'))`;
  const leaf = (
    input: string,
  ) => `leaf_hash = sha256('\\x00'::bytea || convert_to('{"event_digest":"' || encode(sha256(convert_to(${input}, 'UTF8')), 'hex')
    || '","received_at":"' || to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","seq":' || chain_seq || ',"v":1}', 'UTF8'))`;
  for (const change of [
    `occurred_at = 'infinity'`,
    `received_at = '-infinity'`,
    `occurred_at = '0044-03-15 BC'`,
    `amount_usd_micro = 'NaN'`,
    ...[`'no JSON'`, `'null'`, `'{}'`, `'[1]'`, `replace(input, '{"', '{ "')`].map(
      input => `${digested(input)}, ${leaf(input)}`,
    ),
  ]) {
    const { seq, part } = await after(`update events set ${change} where mine and chain_seq = ${FULL}`);
    t.deepEqual([seq, part?.seq], [FULL, FULL], change);
  }
});

test('what a foreign currency was priced at must at least agree with itself', async t => {
  const { after } = await tampering(t);
  for (const change of [
    `amount_usd_micro = 5`,
    `amount_usd_minor = 5`,
    `amount_usd_micro = 12500000, amount_usd_minor = 1251`,
    `amount_usd_micro = 12500000, amount_usd_minor = 1250`,
    `usd_rate = '{"usd_per_unit":"2"}'`,
    `usd_rate = '7'`,
  ])
    t.is((await after(`update events set ${change} where mine and chain_seq = ${SIZE}`)).seq, SIZE, change);
});

test('an agent, an owner or a payee that an event names must be the one it was', async t => {
  const { after } = await tampering(t);
  for (const [statement, first] of [
    [`update agents set external_id = 'somebody' where mine and external_id = 'agent-3'`, OTHER + 1],
    [`update owners set external_id = 'somebody' where mine`, 1],
    [`update payees set key = 'domain:c.example.com' where mine and key = 'domain:b.example.com'`, OTHER],
    [`delete from agents where mine and external_id = 'agent-2'`, OTHER],
  ] as const)
    t.is((await after(statement)).seq, first, statement);
});

test('events that are missing, added or exchanged are found', async t => {
  const { after, asOwner, tenant } = await tampering(t);
  const copied = (chain_seq: number) => `insert into events select (e).* from (
    select jsonb_populate_record(events, jsonb_build_object('chain_seq', ${chain_seq}, 'id', 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV')) as e
    from events where mine and chain_seq = 3) copies`;
  const swap = async () => {
    for (const [from, to] of [
      [5, 999],
      [6, 5],
      [999, 6],
    ])
      await asOwner(`update events set chain_seq = $1 where chain_seq = $2 and org_id = $3`, [to, from, tenant.org_id]);
  };
  for (const [what, statement, first] of [
    ['the first is gone', `delete from events where mine and chain_seq = 1`, 1],
    ['one is gone', `delete from events where mine and chain_seq = 10`, 10],
    ['the newest are gone', `delete from events where mine and chain_seq > 15`, 16],
    [
      'the newest are gone and not counted',
      `with gone as (delete from events where mine and chain_seq > 15)
       update event_logs set size = 15 where mine`,
      16,
    ],
    ['all are gone', `with gone as (delete from events where mine) update event_logs set size = 0 where mine`, 1],
    ['one more than is counted', copied(SIZE + 1), SIZE + 1],
    [
      'one more, and counted',
      `with more as (${copied(SIZE + 1)}) update event_logs set size = ${SIZE + 1} where mine`,
      SIZE + 1,
    ],
    ['one before the first', copied(0), 0],
    ['two were exchanged', swap, 5],
  ] as const) {
    const { seq, reason } = await after(statement);
    t.is(seq, first, what);
    t.true(reason.length > 10);
  }
});
