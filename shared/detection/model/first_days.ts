import { z } from 'zod';
import { spendOf } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import type { History } from './history.ts';

/**
 * What agents spent on their first day, as logarithms of dollars: of how many, their mean, and the squares of what they are off it; and of how many
 * agents a first day is known, however long ago.
 */
export const FirstDays = z.object({
  count: z.number(),
  mean: z.number(),
  squares: z.number(),
  agents: z.number().default(0),
});
export type FirstDays = z.infer<typeof FirstDays>;

export const noFirstDays = (): FirstDays => ({ count: 0, mean: 0, squares: 0, agents: 0 });

/** What agents of an organization spend on their first day, as logarithms of dollars. */
export type FirstDaysKnown = { middle: number; high: number; shareAbove: (ln_usd: number) => number };

/** Of fewer agents nothing is said. */
const LEAST = 12;
/** Of more, the earlier ones count for less. */
const MOST = 2_000;

/**
 * What an agent spent on its first day (24 hours from its first payment on), in dollars, when the first payment after it was paid at `at`; null at any
 * other time, where nothing was spent, and of an agent so busy that its first payments are not at hand.
 */
export function firstDayAt({ paid, complete_from }: History, at: number): number | null {
  const [start, before] = [paid[0]?.paid_at, paid.at(-2)?.paid_at];
  if (complete_from !== -Infinity || paid.at(-1)?.paid_at !== at) return null;
  if (typeof before !== 'number' || typeof start !== 'number') return null;
  const end = start + DAY;
  if (at < end || before >= end) return null;
  const spent = paid.slice(0, -1).reduce((sum, payment) => sum + spendOf(payment), 0n);
  return spent > 0n ? Number(spent) / 1e6 : null;
}

/** Notes what another agent spent on its first day. Changes `days`. */
export function learnFirstDay(days: FirstDays, ln_usd: number): void {
  const kept = Math.min(days.count, MOST - 1);
  const off = ln_usd - days.mean;
  days.squares = (days.squares * kept) / Math.max(1, days.count) + (off * off * kept) / (kept + 1);
  days.mean += off / (kept + 1);
  days.count = kept + 1;
  days.agents = Math.max(days.agents, days.count - 1) + 1;
}

/** Beyond the upper tenth of a normal distribution values exceed it by about half a standard deviation, in the mean. */
const UPPER_TENTH = 1.28;
const EXCESS = 0.5;
/** No tail is known better than by so many exceedances. */
const MOST_KNOWN = 20;

/**
 * What first days come to, and which share of them to more than an amount: a Lomax tail above the upper tenth, the heavier the fewer are
 * known. Null while they are too few.
 */
export function firstDaysOf({ count, mean, squares }: FirstDays): FirstDaysKnown | null {
  if (count < LEAST) return null;
  const deviation = Math.max(0.5, Math.sqrt(squares / count));
  const high = mean + UPPER_TENTH * deviation;
  const exceedances = 4 + Math.min(MOST_KNOWN, count / 10);
  return {
    middle: mean,
    high,
    shareAbove: ln_usd =>
      ln_usd <= high ? 1 : 0.1 * (1 + (ln_usd - high) / (exceedances * EXCESS * deviation)) ** -exceedances,
  };
}
