import test from 'ava';
import { every, type EventStep, HOUR, MINUTE, noon, play } from '#test/helpers/play.ts';
import { DAY } from '#shared/values/time.ts';

const told = (steps: EventStep[]) => play(steps, 'duplicate_payment', {});

/** Twenty purchases in ten days, no two of one price. */
const varied = every(12 * HOUR, 20, noon - 12 * DAY).map((step, index) => ({
  ...step,
  usd: 81.3 + 7.7 * index,
  payee_id: `shop-${index % 4}`,
}));

/** A pay run: so many payees, each its own odd sum, in calls of their own. */
const run = (at: number, payees = 3, more: Partial<EventStep> = {}) =>
  every(5 * MINUTE, payees, at).map((step, index) => ({
    ...step,
    usd: 120.17 + 9.07 * index,
    payee_id: `p-${index}`,
    tool_call_key: `call ${at} ${index}`,
    ...more,
  }));
const twice = (payees = 3, gap = 2 * HOUR, more: Partial<EventStep> = {}) => [
  ...run(noon, payees, more),
  ...run(noon + gap, payees, more),
];

test('a pay run that is made twice is told as one, whatever tool calls paid it, and grows with it', t => {
  const findings = told([...varied, ...twice(5)]);
  t.deepEqual(
    findings.map(({ title }) => title),
    [3, 4, 5].map(payees => `Paid ${payees} payees the same sums again`),
  );
  t.is(new Set(findings.map(({ subject }) => subject)).size, 1);
  const last = findings.at(-1);
  t.deepEqual([last?.score, last?.seqs], [80, [21, 22, 23, 24, 25, 26, 27, 28, 29, 30]]);
  t.regex(
    last?.explanation ?? '',
    /^Within 20 min, 5 payees got sums again that each of them had got once before, 2 h earlier: \$691\.55 in 5 payments, as when a pay run is made twice\. .* at least 3 payees .* within 6 h, each at most 3 d after the first/,
  );
  t.is(told([...varied, ...twice(3, 2 * HOUR, { type: 'payment.authorized' })]).length, 1, 'nothing need have settled');
});

test('a run is told of an agent without a record where it is longer', t => {
  t.deepEqual(told(twice(4)), []);
  t.is(told(twice(5)).length, 1);
});

test('no run is made twice: two payees, price tags, small sums, what comes daily, and what is the third time', t => {
  const none = (steps: EventStep[], why: string) => t.deepEqual(told([...varied, ...steps]), [], why);
  none(twice(2), 'two payees');
  none(twice(3, 2 * HOUR, { usd: 120.5 }), 'a price tag');
  none(
    twice(3).map(step => ({ ...step, usd: (step.usd ?? 0) / 10 })),
    'less than $50 together',
  );
  none(twice(3, DAY), 'the next day');
  t.is(told([...varied, ...run(noon - 5 * HOUR), ...twice(3)]).length, 1, 'the third time');
  const meanwhile = every(MINUTE, 8, noon + 2 * HOUR).map((step, index) => ({
    ...step,
    usd: 300.3 + index,
    payee_id: `shop-${index}`,
  }));
  none(
    [...run(noon), ...[...meanwhile, ...run(noon + 2 * HOUR)].toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))],
    'others',
  );
});

test('an agent that pays equal sums hours apart at other times makes no run twice', t => {
  const before = twice(2).map((step, index) => ({
    ...step,
    at: (step.at ?? 0) - 5 * DAY,
    usd: 77.77 + (index % 2),
    payee_id: `q-${index % 2}`,
  }));
  const steps = [...varied, ...before, ...twice(3)].toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  t.deepEqual(
    told(steps).filter(({ title }) => title.includes('payees')),
    [],
  );
});
