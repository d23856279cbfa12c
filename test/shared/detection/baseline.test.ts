import test from 'ava';
import { type AgentHour, baselineAt } from '#shared/detection/model/baseline.ts';
import { DAY, HOUR } from '#shared/values/time.ts';

const now = Date.parse('2026-11-20T12:00:00.000Z');
const midnight = now - (now % DAY);

/** An agent that spends $10 in each of these hours (UTC, beyond 24: the next day) of each of the last ten days. */
const working = (hours: number[]): AgentHour[] =>
  Array.from({ length: 10 }, (_, ago) => midnight - (ago + 2) * DAY)
    .flatMap(day => hours.map(hour => day + hour * HOUR))
    .toSorted((a, b) => a - b)
    .map(hour => ({ hour, payments: 1, spend_micro: 10_000_000n, busiest_minute: 1 }));

const cases: [claim: string, hours: number[], usual: bigint][] = [
  ['a working day in Europe', [8, 9, 10, 11, 14, 15, 16, 17], 80_000_000n],
  ['a working day in California, which midnight in UTC cuts in two', [17, 18, 19, 20, 23, 24, 25, 26], 80_000_000n],
  ['a working day in Japan', [-1, 0, 1, 2, 5, 6, 7, 8], 80_000_000n],
  ['one hour a day', [12], 10_000_000n],
  ['an agent that never rests', Array.from({ length: 24 }, (_, hour) => hour), 240_000_000n],
];

for (const [claim, hours, usual] of cases) {
  test(`what an agent spends in a day is that of its own day: ${claim}`, t => {
    t.is(baselineAt(now, working(hours)).median_spend_per_day, usual);
  });
}
