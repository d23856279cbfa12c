import test from 'ava';
import { judge, usd, verdict } from './held.ts';

/** What a payment at `second` is, after one at `first`. */
const again = (frequency: string, first: string, second: string, anchor = '2026-01-01T00:00:00Z') =>
  verdict('agent_recurrence', { frequency }, {}, { at: second, earlier: [[first, usd(1n)]], anchor });

const periods: [frequency: string, last: string, from: string, end: string][] = [
  ['DAILY', '2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00Z', '2026-11-20T23:59:59.999Z'],
  ['WEEKLY', '2026-12-27T23:59:59.999Z', '2026-12-28T00:00:00Z', '2027-01-03T23:59:59.999Z'],
  // The mandate began on Thursday, 2026-01-01, so blocks of two weeks begin on Monday, 2025-12-29.
  ['BIWEEKLY', '2026-01-11T23:59:59.999Z', '2026-01-12T00:00:00Z', '2026-01-25T23:59:59.999Z'],
  ['MONTHLY', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00Z', '2026-03-31T23:59:59.999Z'],
  ['QUARTERLY', '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00Z', '2026-06-30T23:59:59.999Z'],
  ['ANNUALLY', '2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00Z', '2026-12-31T23:59:59.999Z'],
];

for (const [frequency, last, from, end] of periods)
  test(`a second payment within one period is too soon: ${frequency}`, t => {
    t.is(again(frequency, from, end), 'breach too_soon');
    t.is(again(frequency, last, end), 'compliant');
    t.is(again(frequency, last, from), 'compliant');
  });

test('two weeks are counted from the week in which the mandate began, also backwards', t => {
  t.is(again('BIWEEKLY', '2026-01-05T00:00:00Z', '2026-01-18T00:00:00Z', '2026-01-11T00:00:00Z'), 'breach too_soon');
  t.is(again('BIWEEKLY', '2026-01-05T00:00:00Z', '2026-01-18T00:00:00Z', '2026-01-12T00:00:00Z'), 'compliant');
  t.is(again('BIWEEKLY', '2026-01-05T00:00:00Z', '2026-01-18T00:00:00Z', '2026-02-02T00:00:00Z'), 'breach too_soon');
});

test('on demand there is no period, and no more payments than were granted', t => {
  const at = (minute: number) => [`2026-11-20T09:0${minute}:00Z`, usd(1n)] as const;
  t.is(again('ON_DEMAND', '2026-11-20T09:00:00Z', '2026-11-20T09:00:00Z'), 'compliant');
  const granted = { frequency: 'ON_DEMAND', max_occurrences: 3 };
  t.deepEqual(judge('agent_recurrence', granted, {}, { earlier: [at(1), at(2)] }), {
    type: 'payment.agent_recurrence',
    result: 'compliant',
    observed: '3',
    limit: '3',
    remaining: '0',
    over: 1,
  });
  t.like(judge('agent_recurrence', granted, {}, { earlier: [at(1), at(2), at(3)] }), {
    result: 'breach',
    code: 'occurrences_exceeded',
    observed: '4',
    over: 1.3333,
  });
});

test('a payment that is too soon and one too many is one too many', t => {
  const earlier = [['2026-11-20T09:00:00Z', usd(1n)]] as const;
  const of = (max_occurrences: number) =>
    verdict('agent_recurrence', { frequency: 'DAILY', max_occurrences }, {}, { earlier });
  t.is(of(1), 'breach occurrences_exceeded');
  t.is(of(2), 'breach too_soon');
});

test('no more payments are made in any window than its limit', t => {
  const earlier = [
    ['2026-11-20T09:59:00Z', usd(1n)],
    ['2026-11-20T09:59:00.001Z', usd(1n)],
    ['2026-11-20T10:00:00Z', usd(0n)],
  ] as const;
  const velocity = (max: number, window_s: number) => judge('velocity', { max, window_s }, {}, { earlier });
  t.like(velocity(3, 60), { result: 'compliant', observed: '3', limit: '3', remaining: '0', over: 1 });
  t.like(velocity(3, 61), { result: 'breach', code: 'velocity_exceeded', observed: '4', remaining: '0', over: 1.3333 });
  t.is(velocity(1, 1)?.result, 'breach');
  t.is(velocity(2, 1)?.result, 'compliant');
});
