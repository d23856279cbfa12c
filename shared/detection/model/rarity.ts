import { largest } from '#shared/values/largest.ts';
import { DAY } from '#shared/values/time.ts';

/** How much values vary from one time to the next, on the scale of ln, as a mean excess over the upper tenth; see `expectedAbove`. */
export type Spread = number;

/** The payments or episodes that a new one is compared with, on the scale of ln, and how many there are in a month. */
export type Sample = { values: readonly number[]; per_month: number };

/**
 * How often something similar is expected in a month, and out of how many in a month of what (as a plural); Infinity: there is nothing to compare
 * with.
 */
export type Rarity = { expected: number; per_month: number; among: string };

/** How much wider the prior is with only one value, since its middle is unknown; less with more values. */
const WIDENED = 0.75;
/** The share of the values whose excesses show how the tail falls. */
const TAIL_SHARE = 0.1;

/**
 * How many values at least as large as `value` are to be expected in a month. Within the sample by rank; above its upper tenth by peaks over
 * threshold: excesses are exponential with a mean that is learned from the sample and drawn toward `spread` (Gamma prior), which makes the
 * predictive tail a Lomax distribution; and never fewer than there were: who does two things has no one tail. The prior weighs as much as
 * `weight` exceedances of the agent's own. Infinity without a sample.
 * Source: Pickands (1975); Siffer et al., "Anomaly Detection in Streams with Extreme Value Theory" (KDD 2017).
 */
export function expectedAbove(value: number, { values, per_month }: Sample, spread: Spread, weight = 4): number {
  const count = values.length;
  if (count === 0) return Infinity;
  let above = 0;
  for (const other of values) if (other >= value) above += 1;
  const size = tailSize(count);
  if (above > size) return (per_month * (above + 1)) / (count + 1);
  const { threshold, total, highest } = tailOf(values);
  if (value <= threshold) return (per_month * (above + 1)) / (count + 1);
  const scale = total + weight * spread * (1 + WIDENED / count);
  const tail = ((per_month * (size + 1)) / (count + 1)) * (1 + (value - threshold) / scale) ** -(size + weight);
  if (above > 0) return Math.max((per_month * above) / (count + 1), tail);
  // Something new is the largest once in so many times, whatever the tail looks like: beyond the largest excesses fall as they do before it.
  const record = (per_month / (count + 1)) * (1 + (value - highest) / scale) ** -(size + weight);
  return Math.max(record, tail);
}

const tailSize = (count: number) => Math.max(1, Math.ceil(count * TAIL_SHARE));

/** The value below the upper tenth, and the total excess of the upper tenth over it. */
export function tailOf(values: readonly number[]): { threshold: number; total: number; size: number; highest: number } {
  const size = Math.min(tailSize(values.length), values.length - 1);
  const top = largest(values, size + 1);
  const threshold = top[0] ?? 0;
  let total = 0;
  for (let at = 1; at < top.length; at += 1) total += (top[at] ?? 0) - threshold;
  return { threshold, total, size: Math.max(1, size), highest: top.at(-1) ?? threshold };
}

/**
 * What is to be expected in a month of conduct that is new altogether: an agent is given a second task, or comes to one that it has always
 * had. Such tasks come round within hours, days or weeks alike, so that one is the likelier the less of a record there is (in months). It
 * need not look like what was seen before: how far it is from that says nothing.
 */
export const expectedOfNewConduct = (months: number): number => NEW_CONDUCT / (months + 0.03);

/** One agent in ten does two things; measured on families of conduct drawn at random. */
const NEW_CONDUCT = 0.008;

/**
 * How often in a month an agent makes its first payment over a rail that it has not used, or hardly, by how many months it is known and how much
 * it pays in dollars: who has paid for calls with cents is given a card one day, and buys with it what a card buys.
 */
export const expectedOfNewRail = (months: number, usd: number): number =>
  (NEW_RAIL / (months + 0.03)) * Math.min(1, Math.sqrt(RAIL_USD / usd));

const [NEW_RAIL, RAIL_USD] = [0.1, 50];

/**
 * How often in a month an agent with so many `payments` does so many `times` as much as it ever did: the more there are, the better is known what
 * it does. Infinity where that says nothing. A regularly varying tail; `often` and `power` are measured.
 */
export function expectedOfLeap(
  times: number,
  payments: number,
  { often, power }: { often: number; power: number },
): number {
  if (payments < LEAST_BEFORE_LEAP || times <= 1) return Infinity;
  return (often / Math.sqrt(payments)) * times ** -power;
}

const LEAST_BEFORE_LEAP = 3;

/** Months of 30 days. */
export const months = (milliseconds: number): number => milliseconds / (30 * DAY);
