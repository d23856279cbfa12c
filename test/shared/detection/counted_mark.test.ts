import test from 'ava';
import { z } from 'zod';
import { markOf } from '#shared/detection/consumer/counted_mark.ts';
import { sql } from '#shared/platform/db.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

test('a mark is the same in whatever order, and another with one event more, less, or exchanged', t => {
  const seqs = Array.from({ length: 256 }, (_, index) => 1_000 + 3 * index);
  const far = 2 ** 40;
  t.deepEqual(markOf(seqs, 70), markOf(seqs.toReversed(), 70));
  t.not(markOf(seqs, 70)?.mark, markOf(seqs, 70.1)?.mark);
  t.is(markOf(seqs, 70)?.until, 1_765);
  t.is(markOf([], 70), null);
  const marks = [
    seqs,
    seqs.slice(1),
    seqs.slice(0, -1),
    seqs.with(7, 1_022),
    [...seqs, 1],
    [far],
    [far + 1],
    [2 * far],
    [1],
    [2 ** 32 + 1],
  ].map(list => markOf(list, 70)?.mark);
  t.is(new Set(marks).size, marks.length);
  t.true(marks.every(Number.isSafeInteger));
});

const at = Date.now() - 3_600_000;

/** Adds so many payments of one loop. */
async function grow({ as, analyze }: World, from: number, to: number) {
  const events = Array.from({ length: to - from }, (_, index) =>
    event({ at: at + (from + index) * 10_000, agent: 'loop', cents: '50', payee: 'domain:loop.example.com' }),
  );
  await as.post('/v1/events', { events });
  await analyze();
}

const countedOf = ({ db }: World) =>
  db.anyFirst(sql.type(z.object({ chain_seq: z.number() }))`
    select e.chain_seq from alert_events e join alerts a on a.org_id = e.org_id and a.id = e.alert_id
    where a.detector = 'runaway_loop' and e.counted order by 1`);

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test('an alert that grows looks up none of the events that it counted before, unless it no longer counts the same', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  await grow(w, 0, 12);
  await grow(w, 12, 15);
  t.deepEqual(await countedOf(w), upTo(15));
  const lose = (seq: number) => w.db.query(sql.unsafe`delete from alert_events where chain_seq = ${seq}`);
  await lose(3);
  await grow(w, 15, 17);
  t.deepEqual(await countedOf(w), upTo(17).toSpliced(2, 1));
  await w.db.query(sql.unsafe`update alerts set counted_mark = counted_mark - 1`);
  await grow(w, 17, 18);
  t.deepEqual(await countedOf(w), upTo(18));
  await lose(3);
  // As a version without marks leaves it that replaced the words: the event that it no longer counted is looked up.
  await w.db.query(sql.unsafe`update alerts set score = score - 0.1`);
  await grow(w, 18, 19);
  t.deepEqual(await countedOf(w), upTo(19));
  await lose(3);
  await w.db.query(sql.unsafe`update alerts set counted_mark = null, counted_until = null`);
  await grow(w, 19, 20);
  t.deepEqual(await countedOf(w), upTo(20), 'as of an alert from before marks were noted');
});
