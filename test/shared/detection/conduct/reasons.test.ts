import test from 'ava';
import type { Look } from '#shared/detection/conduct/look.ts';
import { weighAgainstBudget } from '#shared/detection/conduct/weigh_against_budget.ts';
import { withEvent } from '#shared/events/log/payment.ts';
import { events, noon } from '#test/helpers/play.ts';

const look = (detector: string, expected: number, per_month: number): Look => ({
  detector,
  group: detector === 'first' ? 'money' : 'novelty',
  expected,
  per_month,
  tell: () => ({ title: detector, reason: `reason of ${detector}`, subject: '', payments: [], among: 'days' }),
});

test('what is common among its like is no reason beside another, whatever its part in a month', t => {
  const told = (...looks: Look[]) => weighAgainstBudget(looks, noon, 0.1, () => 10)?.finding.explanation ?? '';
  t.regex(
    told(look('first', 0.01, 20), look('rare', 0.5, 30), look('common', 0.9, 4)),
    /^Reason of first \(about one in 2,000 days\)\. Also, reason of rare \(about one in 60 days\)\. /,
  );
  t.regex(told(look('first', 0.05, 0.1), look('common', 0.9, 4)), /^Reason of first \(about one in 2 days\)\. /);
});

test('what people taught is told beside the reason that it is about', t => {
  const taught = { ...look('second', 0.03, 30), taught: 3, lesson: 'People dismissed one similar alert.' };
  t.regex(
    weighAgainstBudget([look('first', 0.01, 20), taught], noon, 0.1, () => 10)?.finding.explanation ?? '',
    /^Reason of first \(about one in 2,000 days\)\. Also, reason of second \(about one in 3,000 days\)\. People dismissed one similar alert\. This covers /,
  );
});

test('where more is at stake than the agent usually pays, what is a little more usual is told, too', t => {
  const paying = (usd: number, expected: number): Look => {
    const payments = events([{ at: noon, usd }]).map(event => withEvent(undefined, event));
    const words = { title: 'paid', reason: 'It paid', subject: '', payments, among: 'days' };
    return { ...look('first', expected, 20), tell: () => words };
  };
  const weighed = (looks: Look[], usual = 10) => weighAgainstBudget(looks, noon, 0.1, () => usual)?.finding;
  const told = (usd: number, expected: number, usual?: number) => weighed([paying(usd, expected)], usual) !== undefined;
  t.true(told(20, 0.1));
  t.false(told(20, 0.101));
  t.false(told(1_000, 0.101));
  t.true(told(16_000, 0.2));
  t.false(told(1_000_000, 0.201));
  t.false(told(16_000, 0.11, 4_000), 'as much is usual');
  t.true(told(20_000, 0.11, 2_000));
  const many = () => Array.from({ length: 20 }, () => paying(1_000, 0.11).tell().payments).flat();
  t.is(
    weighed([{ ...paying(1_000, 0.11), tell: () => ({ ...paying(1_000, 0.11).tell(), payments: many() }) }], 1_000),
    undefined,
  );
  t.is(weighed([paying(20, 0.15), { ...paying(16_000, 0.9), detector: 'second', group: 'novelty' }]), undefined);
  const finding = weighed([paying(16_000, 0.2)]);
  t.regex(
    finding?.explanation ?? '',
    /at most once in 5 months where so much is at stake \(alert budget: 0\.1 per agent/,
  );
  t.true((finding?.score ?? 0) >= 50);
});
