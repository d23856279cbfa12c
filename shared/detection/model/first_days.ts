import type { Spreads } from './spreads.ts';

/** What agents of an organization spend on their first day, as logarithms of dollars. */
export type FirstDays = { middle: number; high: number; shareAbove: (ln_usd: number) => number };

/** Of fewer agents nothing is said. */
const LEAST = 20;
/** Of more, the earlier ones count for less. */
const MOST = 2_000;

/** Notes what another agent spent on its first day. Changes `spreads`. */
export function learnFirstDay({ first_days: days }: Spreads, ln_usd: number): void {
  const kept = Math.min(days.count, MOST - 1);
  const off = ln_usd - days.mean;
  days.squares = (days.squares * kept) / Math.max(1, days.count) + (off * off * kept) / (kept + 1);
  days.mean += off / (kept + 1);
  days.count = kept + 1;
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
export function firstDaysOf({ first_days: { count, mean, squares } }: Spreads): FirstDays | null {
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
