import test from 'ava';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { type Flow, flow, noon } from '#test/shared/assessment/flow.ts';

const now = noon + 6 * HOUR;

/** A month of an agent that buys the same things twice a day, and once pays somebody new, abroad, a hundred times as much. */
const month = (w: Flow) =>
  Array.from({ length: 60 }, (_, index) => {
    const at = (index - 59) * 12 * HOUR;
    return index === 30
      ? w.pay({ at, cents: '250000', payee: 'domain:elsewhere.example' })
      : w.pay({ at, cents: String(2_000 + 10 * (index % 7)), payee: `domain:shop${index % 3}.example` });
  });

/** What is told in the end: by which detectors, and of which payments, by their place in the month. */
async function toldOf(w: Flow, events: readonly { id: string }[]) {
  const places = new Map(events.map(({ id }, index) => [id, index]));
  const alerts: { detector: string; event_ids: string[]; score: number }[] = await w.alerts('');
  return alerts
    .map(({ detector, event_ids, score }) => [detector, score, event_ids.map(id => places.get(id)).toSorted()])
    .toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
}

test('a month that is sent newest first ends with the alerts that watching it would have left', async t => {
  const watched = await flow(t);
  const in_order = month(watched);
  await watched.send(in_order);
  await watched.analyze();
  const expected = await toldOf(watched, in_order);
  t.deepEqual(
    expected.map(([, , places]) => places),
    [[30]],
  );

  for (const limit of [1, 7, 1_000]) {
    const w = await flow(t);
    const events = month(w);
    await w.send(events.toReversed());
    await w.analyze({ limit });
    await w.recheck();
    t.deepEqual(await toldOf(w, events), [], 'more of it may come');
    w.moveTo(now + 2 * MINUTE);
    await w.recheck();
    t.deepEqual(await toldOf(w, events), expected);
    t.is(await w.count('backfills'), 0);
  }
});
