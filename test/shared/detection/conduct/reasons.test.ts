import test from 'ava';
import type { Look } from '#shared/detection/conduct/look.ts';
import { weighAgainstBudget } from '#shared/detection/conduct/weigh_against_budget.ts';
import { noon } from '#test/helpers/play.ts';

const look = (detector: string, expected: number, per_month: number): Look => ({
  detector,
  group: detector === 'first' ? 'money' : 'novelty',
  expected,
  per_month,
  tell: () => ({ title: detector, reason: `reason of ${detector}`, subject: '', payments: [], among: 'days' }),
});

test('what is common among its like is no reason beside another, whatever its part in a month', t => {
  const told = (...looks: Look[]) => weighAgainstBudget(looks, noon, 0.1)?.finding.explanation ?? '';
  t.regex(
    told(look('first', 0.01, 20), look('rare', 0.5, 30), look('common', 0.9, 4)),
    /^Reason of first \(about one in 2,000 days\)\. Also, reason of rare \(about one in 60 days\)\. /,
  );
  t.regex(told(look('first', 0.05, 0.1), look('common', 0.9, 4)), /^Reason of first \(about one in 2 days\)\. /);
});

test('what people taught is told beside the reason that it is about', t => {
  const taught = { ...look('second', 0.03, 30), taught: 3, lesson: 'People dismissed one similar alert.' };
  t.regex(
    weighAgainstBudget([look('first', 0.01, 20), taught], noon, 0.1)?.finding.explanation ?? '',
    /^Reason of first \(about one in 2,000 days\)\. Also, reason of second \(about one in 3,000 days\)\. People dismissed one similar alert\. This covers /,
  );
});
