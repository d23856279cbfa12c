import test from 'ava';
import { costOf, readRange } from '#shared/events/ranges/load.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const proofs = (count: number) =>
  event({ more: { evidence: Array.from({ length: count }, () => ({ kind: 'x402.receipt', value: 'none' })) } });

test('a range ends before it costs too much, has one event at least, and none is left out between two', async t => {
  const { as, db, tenant } = await world(t);
  const events = [event(), proofs(16), event(), proofs(1), proofs(1), event()];
  t.is((await as.post('/v1/events', { events })).body.accepted, events.length);
  const cut = async (cursor: number, limit: number, most?: number) =>
    (await readRange(db, tenant, cursor, limit, most)).map(({ chain_seq }) => chain_seq);
  t.deepEqual(await cut(0, 10), [1, 2, 3, 4, 5, 6]);
  t.deepEqual(await cut(0, 10, 1_000), [1, 2, 3, 4, 5, 6]);
  t.deepEqual(await cut(0, 10, 10), [1, 2]);
  t.deepEqual(await cut(1, 10, 10), [2]);
  t.deepEqual(await cut(2, 10, 10), [3, 4, 5]);
  t.deepEqual(await cut(2, 2, 10), [3, 4]);
  t.deepEqual(await cut(5, 10, 1), [6]);
  t.deepEqual(await cut(6, 10, 1), []);
  t.is(costOf(await readRange(db, tenant, 0, 2)), 114);
});
