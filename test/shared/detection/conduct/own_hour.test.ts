import test from 'ava';
import { ownHour } from '#shared/detection/conduct/own_hour.ts';
import { emptyHistory, remember } from '#shared/detection/model/history.ts';
import { withEvent } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { events, every, type EventStep, HOUR, MINUTE, noon } from '#test/helpers/play.ts';

/** How common the hour of a payment at `at` is for an agent that made these payments. */
function hourOf(at: number, steps: EventStep[]) {
  const history = emptyHistory();
  const payments = events([...steps, { at }]).map(event => withEvent(undefined, event));
  for (const payment of payments) remember(history, payment);
  const [own] = payments.toReversed();
  if (!own) throw new Error('there is no payment');
  return ownHour({ occurred_at: at }, own, history);
}

const office = Array.from({ length: 30 }, (_, day) => noon - (day + 1) * DAY).flatMap(start => every(HOUR, 4, start));

test('an hour is the rarer the less an agent paid at that time of day, across midnight too', t => {
  t.like(hourOf(noon + HOUR, office), { near: 120, all: 120 });
  t.true(hourOf(noon + HOUR, office).times > 3);
  t.like(hourOf(noon + 11 * HOUR, office), { near: 0, all: 120 });
  t.true(hourOf(noon + 11 * HOUR, office).times < 0.1);
  const late = office.map(step => ({ ...step, at: step.at + 10 * HOUR }));
  t.like(hourOf(noon + 12 * HOUR, late), { near: 120 });
});

test('where nothing is known, and around the clock, one hour is like another', t => {
  t.deepEqual(hourOf(noon, []), { times: 1, near: 0, all: 0 });
  const { times } = hourOf(noon, every(HOUR, 10 * 24, noon - 10 * DAY));
  t.true(Math.abs(times - 1) < 0.05);
});

test('what belongs to the same half of a day says nothing about its hour, and a burst is one hour', t => {
  t.like(hourOf(noon, every(MINUTE, 50, noon - 2 * HOUR)), { times: 1, all: 0 });
  t.like(hourOf(noon, every(MINUTE, 60, noon - DAY)), { near: 1, all: 1 });
});

test('what is rarer at one hour is as much more common at another', t => {
  const record = office.slice(0, 80);
  // Weighed by how often the agent pays at each hour, by its record and what is known before it.
  const sum = Array.from({ length: 24 }, (_, hour) => hourOf(noon + hour * HOUR, record).times).reduce(
    (a, b) => a + b,
    0,
  );
  t.true(Math.abs(sum / 24 - 1) < 0.01);
});

test('what failed keeps no hours', t => {
  const failed = every(HOUR, 4, noon - DAY + 12 * HOUR).map(step => ({ ...step, type: 'payment.failed' as const }));
  t.deepEqual(hourOf(noon + 12 * HOUR, [...office, ...failed]), hourOf(noon + 12 * HOUR, office));
});
