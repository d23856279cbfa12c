import test from 'ava';
import { every, type EventStep, HOUR, MINUTE, noon, play, SECOND } from '#test/helpers/play.ts';
import { DAY } from '#shared/values/time.ts';

const told = (steps: EventStep[]) => play(steps, 'duplicate_payment', {});

/** Twenty purchases in ten days, no two of one price. */
const varied = every(12 * HOUR, 20, noon - 12 * DAY).map((step, index) => ({
  ...step,
  usd: 81.3 + 7.7 * index,
  payee_id: `shop-${index % 4}`,
}));

/** A pay run: so many payees, each its own odd sum, in calls of their own. */
const run = (at: number, payees = 4, more: Partial<EventStep> = {}) =>
  every(5 * MINUTE, payees, at).map((step, index) => ({
    ...step,
    usd: 120.17 + 9.07 * index,
    payee_id: `p-${index}`,
    tool_call_key: `call ${at} ${index}`,
    ...more,
  }));
const twice = (payees = 4, gap = 2 * HOUR, more: Partial<EventStep> = {}) => [
  ...run(noon, payees, more),
  ...run(noon + gap, payees, more),
];

test('a pay run that is made twice is told as one, whatever tool calls paid it, and grows with it', t => {
  const findings = told([...varied, ...twice(6)]);
  t.deepEqual(
    findings.map(({ title }) => title),
    [4, 5, 6].map(payees => `Paid ${payees} payees the same sums again`),
  );
  t.is(new Set(findings.map(({ subject }) => subject)).size, 1);
  const last = findings.at(-1);
  t.deepEqual([last?.score, last?.seqs], [80, Array.from({ length: 12 }, (_, index) => 21 + index)]);
  t.regex(
    last?.explanation ?? '',
    /^Within 25 min, 6 payees got sums again that each of them had got before, 2 h earlier: \$857\.07 in 6 payments, as when a pay run is made twice\. .* at least 4 payees .* at most 6 h after one another and each at most 3 d after the first/,
  );
  t.is(told([...varied, ...twice(4, 2 * HOUR, { type: 'payment.authorized' })]).length, 1, 'nothing need have settled');
});

test('a pay run that is made twice is told where the same sums were paid a pay period before', t => {
  const [before] = told([...varied, ...run(noon - 14 * DAY), ...twice(4, 17 * HOUR)]);
  t.is(before?.title, 'Paid 4 payees the same sums again');
  t.is(before?.seqs.length, 8, 'the earlier run is none of it');
  const corrected = [-20, -9, -8.8].map(day => ({ at: noon + day * DAY, usd: 412.31, payee_id: 'printer' }));
  const other = [-19, -7, -6.8].map(day => ({ at: noon + day * DAY, usd: 97.43, payee_id: 'courier' }));
  t.is(told([...varied, ...corrected, ...other, ...twice(4)]).length, 1, 'sums that came three times are beside it');
  const deliveries = [-14, -11, -7, -4, 0, 3].flatMap(day => run(noon + day * DAY));
  t.deepEqual(told([...varied, ...deliveries]), [], 'Mondays and Thursdays');
});

test('a run is told of an agent without a record where it is longer', t => {
  t.deepEqual(told(twice(9)), []);
  t.is(told(twice(10)).length, 1);
});

test('no run is made twice: three payees, price tags, small sums, what comes daily, and what is the third time', t => {
  const none = (steps: EventStep[], why: string) => t.deepEqual(told([...varied, ...steps]), [], why);
  none(twice(3), 'three payees');
  none(twice(4, 2 * HOUR, { usd: 120.5 }), 'a price tag');
  none(
    twice(4).map(step => ({ ...step, usd: (step.usd ?? 0) / 11 })),
    'less than $50 together',
  );
  none(twice(4, DAY), 'the next day');
  none(
    twice(4).map((step, index) => ({ ...step, resource_key: `order ${index}` })),
    'other things',
  );
  t.is(told([...varied, ...run(noon - 5 * HOUR), ...twice(4)]).length, 1, 'the third time');
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
  const steps = [...varied, ...before, ...twice(4)].toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  t.deepEqual(
    told(steps).filter(({ title }) => title.includes('payees')),
    [],
  );
});

test('a run made twice is told in whatever order it is reported, and as one however long it takes', t => {
  const [first, second] = [run(noon), run(noon + 2 * HOUR)];
  t.is(told([...varied, ...first, ...second.toReversed()]).at(-1)?.seqs.length, 8);
  const many = (at: number) =>
    every(6 * MINUTE, 90, at).map((step, index) => ({ ...step, usd: 120.17 + index, payee_id: `p-${index}` }));
  const findings = told([...varied, ...many(noon), ...many(noon + 10 * HOUR)].toSorted((a, b) => a.at - b.at));
  const runs = findings.filter(({ title }) => title.includes('payees'));
  t.is(new Set(runs.map(({ subject }) => subject)).size, 1);
  t.is(runs.at(-1)?.title, 'Paid 90 payees the same sums again');
});

/** Prizes of $10, $25 and $100 to people who got nothing else. */
const prizes = (at: number, payees: number, apart = 4 * SECOND) =>
  every(apart, payees, at).map((step, index) => ({
    ...step,
    usd: [10, 25, 100][index % 3] ?? 0,
    payee_id: `winner-${index}`,
  }));

test('round sums are a run that is made twice where six payees got nothing else, each so long after the first', t => {
  const [finding, ...more] = told([...varied, ...prizes(noon, 6), ...prizes(noon + 95 * MINUTE, 6)]);
  t.deepEqual(more, []);
  t.is(finding?.title, 'Paid 6 payees the same sums again');
  t.regex(
    finding?.explanation ?? '',
    /\$270\.00 in 6 payments.* at least 6 payees that got nothing else get the same sums again,/,
  );
  const none = (steps: EventStep[], why: string) => t.deepEqual(told(steps), [], why);
  none([...varied, ...prizes(noon, 5), ...prizes(noon + 95 * MINUTE, 5)], 'five');
  none([...prizes(noon, 6), ...prizes(noon + 95 * MINUTE, 6)], 'no record');
  none([...varied, ...prizes(noon, 6), ...prizes(noon + 95 * MINUTE, 6, 10 * MINUTE)], 'at times of their own');
  const once = prizes(noon - 10 * DAY, 1);
  none([...once, ...varied, ...prizes(noon, 6), ...prizes(noon + 95 * MINUTE, 6)], 'one got something before');
});
