import test from 'ava';
import { FULL, OTHER, tampering } from '#test/helpers/tampering.ts';

const first = `event_id = (select id from events where mine and chain_seq = ${FULL})`;

test('evidence that was changed, removed or added is found, and the event named', async t => {
  const { after } = await tampering(t);
  for (const change of [
    `update evidence set value = 'other' where mine and position = 0 and ${first}`,
    `update evidence set value = '{"body":"{ }","headers":{}}' where mine and position = 1 and ${first}`,
    `update evidence set value = '{"body":"{}", "headers":{}}' where mine and position = 1 and ${first}`,
    `update evidence set is_object = true where mine and position = 0 and ${first}`,
    `update evidence set value = repeat('x', 70000) where mine and position = 0 and ${first}`,
    `update evidence set sha256 = sha256('other'), value = 'other' where mine and position = 0 and ${first}`,
    `update evidence set sha256 = sha256(''), value = null where mine and position = 0 and ${first}`,
    `update evidence set kind = 'acme.other' where mine and position = 0 and ${first}`,
    `update evidence set media_type = null where mine and position = 0 and ${first}`,
    `update evidence set encoding = 'base64' where mine and position = 0 and ${first}`,
    `update evidence set label = 'other' where mine and position = 0 and ${first}`,
    `update evidence set position = 2 where mine and position = 0 and ${first}`,
    `delete from evidence where mine and position = 0 and ${first}`,
    `delete from evidence where mine and ${first}`,
    `insert into evidence select (jsonb_populate_record(evidence, '{"position":2}')).* from evidence where mine and position = 1 and ${first}`,
  ]) {
    const { seq, part } = await after(change);
    t.deepEqual([seq, part?.seq], [FULL, FULL], change);
  }
  const { seq } =
    await after(`insert into evidence select (jsonb_populate_record(evidence, jsonb_build_object('event_id',
    (select id from events where mine and chain_seq = 2)))).* from evidence where mine and position = 0 and ${first}`);
  t.is(seq, 2, 'evidence of an event that came without');
});

test('a value that was erased is no fault, and its hash still stands in the log', async t => {
  const { after } = await tampering(t);
  const { flaw, part } = await after(`update evidence set value = null where mine and ${first}`);
  t.deepEqual([flaw, part], [null, null]);
});

test('evidence and signed texts of no event at all are found', async t => {
  const { after } = await tampering(t);
  for (const table of ['evidence', 'signed_inputs']) {
    const { flaw } =
      await after(`insert into ${table} select (jsonb_populate_record(${table}, '{"event_id":"evt_01ARZ3NDEKTSV4RRFFQ69G5FAV"}')).*
      from ${table} where mine limit 1`);
    t.is(flaw?.seq, null, table);
    t.regex(flaw?.reason ?? '', /of an event evt_01ARZ3NDEKTSV4RRFFQ69G5FAV, which is not in the log/);
  }
});

test('what a signature covers must be what was sent', async t => {
  const { after } = await tampering(t);
  for (const change of [
    `update signed_inputs set input = replace(input, 'weather', 'whether') where mine and ${first}`,
    `update signed_inputs set input = input || ' ' where mine and ${first}`,
    `update signed_inputs set input = 'null' where mine and ${first}`,
    `update signed_inputs set input = (select o.input from signed_inputs o where o.org_id = signed_inputs.org_id and o.event_id <> signed_inputs.event_id)
     where mine and ${first}`,
    `delete from signed_inputs where mine and ${first}`,
  ])
    t.is((await after(change)).seq, FULL, change);
  const added =
    await after(`insert into signed_inputs select org_id, environment, (select id from events where mine and chain_seq = ${OTHER + 1}), input
    from signed_inputs where mine and ${first}`);
  t.is(added.seq, OTHER + 1);
});
