import { once } from '#shared/values/once.ts';
import { DAY, HOUR, SECOND } from '#shared/values/time.ts';
import { isPaid, type Payment } from '#shared/events/log/payment.ts';
import { microUsd } from './params.ts';
import { months } from './rarity.ts';

/** Metered calls: this many earlier payments of the same price to the same payee are a habit. */
const HABIT = 4;
/** Where it paid again within the window what such calls cost on another day, whatever for, that is a habit too. */
const DAYS_OF_CALLS = 1;
/** A few duplicates are no habit: equal payments that came so close to each other on fewer days than this excuse none, where much is at stake. */
const DAYS_OF_HABIT = 3;
const MUCH_MICRO = 10_000_000n;
const CLOSE = 2 * HOUR;
/** So many of one price to one payee are how it pays, even on one day. */
const STEADY = 6;
/** So long after, an equal payment is that of the next day. */
export const DAILY = 21 * HOUR;
/** Fewer payments soon after another are no batches. */
const BATCHED = 3;
/** Equal payments that are this close by chance so often in a month are no news for this agent. */
const BY_CHANCE = 0.1;

/** The windows and the sum that tell equal payments from habits, see the parameters of `duplicate_payment`. */
export type Limits = { window_s: number; same_call_window_s: number; metered_below_usd: string };

/** What single calls of metered services cost. */
export const isSmall = ({ paid_micro }: Payment, { metered_below_usd }: Limits) =>
  paid_micro < microUsd(metered_below_usd) && paid_micro > 0n;

/** Paid to the same payee at the same price, and not given back. */
export const isAlike = (other: Payment, payment: Payment) =>
  other.payee_id === payment.payee_id &&
  other.price_key === payment.price_key &&
  other !== payment &&
  isPaid(other) &&
  (other.refunded_micro === 0n || other.refunded_micro < other.paid_micro);

export const gapOf = (a: Payment, b: Payment) => Math.abs((a.paid_at ?? 0) - (b.paid_at ?? 0));

/** A payment with those of a list, all in the order in which they were paid, that follow each other at most `window_s` apart around it. */
export function runAround(payment: Payment, list: readonly Payment[], window_s: number): Payment[] {
  const isClose = (a: Payment | undefined, b: Payment | undefined) => a && b && gapOf(a, b) <= window_s * SECOND;
  let from = list.indexOf(payment);
  if (from < 0) return [payment];
  let to = from;
  while (isClose(list[from - 1], list[from])) from -= 1;
  while (isClose(list[to], list[to + 1])) to += 1;
  return list.slice(from, to + 1);
}

/**
 * Whether equal payments this close are usual for this agent. Few payments have an equal one close enough, so the record is only read then.
 */
export function usualOf(
  payment: Payment,
  paid: readonly Payment[],
  limits: Limits,
): (gap: number, small: boolean) => boolean {
  let gaps: Gaps | null = null;
  let metered: boolean | null = null;
  return (gap, small) => {
    if (small) {
      metered ??=
        paid.filter(other => isAlike(other, payment) && isBefore(other, payment)).length >= HABIT ||
        callsAgain(payment, paid, limits);
      return metered;
    }
    gaps ??= gapsBetweenEqual(payment, paid, limits);
    return isHabit(gap, gaps, payment) && coincidences(gap, gaps) > BY_CHANCE;
  };
}

/** Whether the agent often paid again, on other days, what single calls cost. */
function callsAgain(payment: Payment, paid: readonly Payment[], limits: Limits): boolean {
  const calls = paid.filter(other => isPaid(other) && isSmall(other, limits));
  return daysOf(pairsOf(calls), payment, limits.window_s * SECOND) >= DAYS_OF_CALLS;
}

/** A payment that followed one to the same payee at the same price: when, and how long after it, in milliseconds. */
type Pair = { of: string; at: number; gap: number };

const keyOf = ({ payee_id, price_key }: Payment) => `${payee_id} ${price_key}`;

function pairsOf(paid: readonly Payment[]): Pair[] {
  const pairs: Pair[] = [];
  const latest = new Map<string, number>();
  for (const other of paid) {
    const [at, of] = [other.paid_at ?? 0, keyOf(other)];
    const before = latest.get(of);
    if (before !== undefined) pairs.push({ of, at, gap: at - before });
    latest.set(of, at);
  }
  return pairs;
}

/** On how many days (UTC), not within a day of the payment, the second of a pair followed at most `most` after the first. */
const daysOf = (pairs: readonly Pair[], { paid_at }: Payment, most: number): number =>
  new Set(
    pairs.flatMap(({ at, gap }) => (gap <= most && Math.abs(at - (paid_at ?? 0)) > DAY ? Math.floor(at / DAY) : [])),
  ).size;

/**
 * Whether the agent buys from the payee in batches: at least `BATCHED` of its other payments to it, and half of them, came within the window
 * after the one before, whatever the amounts. Two purchases of one price are to be expected in a batch.
 */
export function batchOf(payment: Payment, paid: readonly Payment[], { window_s }: Limits): () => boolean {
  return once(() => {
    let [all, again, latest] = [0, 0, -Infinity];
    for (const other of paid) {
      if (other === payment || other.payee_id !== payment.payee_id || !isPaid(other)) continue;
      const at = other.paid_at ?? 0;
      all += 1;
      if (at - latest <= window_s * SECOND) again += 1;
      latest = at;
    }
    return again >= BATCHED && 2 * again >= all;
  });
}

const isBefore = (a: Payment, b: Payment) => (a.paid_at ?? Infinity) < (b.paid_at ?? 0);

/** The agent's other pairs; the times between them, in milliseconds and sorted; and the length of the record, in months. */
type Gaps = { pairs: Pair[]; gaps: number[]; span: number };

/**
 * The agent's other payments of at least half the amount: small sums excuse no large one. Equal ones of the last hour that led up to it are
 * what it is about, and no habit yet.
 */
function gapsBetweenEqual(payment: Payment, paid: readonly Payment[], limits: Limits): Gaps {
  const half = (payment.paid_micro + 1n) / 2n;
  const equal = paid.filter(other => other === payment || isAlike(other, payment));
  const run = new Set(runAround(payment, equal, limits.window_s).filter(other => gapOf(other, payment) <= HOUR));
  const others = paid.filter(other => !run.has(other) && other.paid_micro >= half && isPaid(other));
  const pairs = pairsOf(others);
  const span = months(Math.max(DAY, (others.at(-1)?.paid_at ?? 0) - (others[0]?.paid_at ?? 0)));
  const gaps = pairs.map(({ gap }) => gap).toSorted((a, b) => a - b);
  return { pairs, gaps, span };
}

/** Whether the agent has paid again so soon on several other days, or the same payee the same again and again. */
function isHabit(gap: number, { pairs }: Gaps, payment: Payment): boolean {
  const most = gap > CLOSE ? DAILY : CLOSE;
  const again = pairs.filter(pair => pair.gap <= most && pair.of === keyOf(payment)).length;
  return again >= STEADY || daysOf(pairs, payment, most) >= (payment.paid_micro < MUCH_MICRO ? 1 : DAYS_OF_HABIT);
}

/**
 * The expected number of equal payments at most `gap` apart in a month. The shortest tenth of the gaps is modeled as a power law toward
 * zero, with the exponent drawn toward 1, that of independent payments; a steady pace has a high one. Source: Hill, "A Simple General
 * Approach to Inference About the Tail of a Distribution" (1975).
 */
function coincidences(gap: number, { gaps, span }: Gaps): number {
  const size = Math.min(gaps.length, Math.max(3, Math.ceil(gaps.length / 10)));
  const shortest = gaps.slice(0, size).map(each => Math.max(each, SECOND));
  const longest = shortest.at(-1);
  if (longest === undefined) return 0;
  const total = shortest.reduce((sum, each) => sum + Math.log(longest / each), 0);
  const power = (size + 2) / (total + 2);
  return (size / span) * Math.min(1, gap / longest) ** power;
}
