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
const DAILY = 21 * HOUR;
export const isNextDay = (gap: number) => gap >= DAILY && gap <= DAILY + 6 * HOUR;
/** Fewer payments soon after another are no batches. */
const BATCHED = 3;
/** Equal payments that are this close by chance so often in a month are no news for this agent. */
const BY_CHANCE = 0.1;

/** The windows and the sum that tell equal payments from habits, see the parameters of `duplicate_payment`. */
export type Limits = { window_s: number; same_call_window_s: number; metered_below_usd: string };

/** What single calls of metered services cost. */
export const isSmall = ({ paid_micro }: Payment, { metered_below_usd }: Limits) =>
  paid_micro < microUsd(metered_below_usd) && paid_micro > 0n;

/** All of it was refunded. */
export const isGivenBack = ({ paid_micro, refunded_micro }: Payment) =>
  refunded_micro > 0n && refunded_micro >= paid_micro;

/** Paid to the same payee at the same price, and not given back. */
export const isAlike = (other: Payment, payment: Payment) =>
  other.payee_id === payment.payee_id &&
  other.price_key === payment.price_key &&
  other !== payment &&
  isPaid(other) &&
  !isGivenBack(other);

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
 * Whether equal payments this close are usual for this agent. Few payments have an equal one close enough, so the record is only read then, and once.
 */
export function usualOf(
  payment: Payment,
  paid: readonly Payment[],
  limits: Limits,
): (gap: number, small: boolean) => boolean {
  const isMetered = once(
    () =>
      paid.filter(other => isAlike(other, payment) && isBefore(other, payment)).length >= HABIT ||
      callsAgain(payment, paid, limits),
  );
  const pairs = once(() => pairsOf(othersOf(payment, paid, limits)));
  const isHabit = once(() => isHabitWithin(pairs().list, payment, CLOSE));
  const isDailyHabit = once(() => isHabitWithin(pairs().list, payment, DAILY));
  const tail = once(() => tailOfGaps(pairs()));
  return (gap, small) =>
    small ? isMetered() : (gap > CLOSE ? isDailyHabit() : isHabit()) && coincidences(gap, tail()) > BY_CHANCE;
}

/** Whether the agent paid the same again within `most` milliseconds on another day too: this payee, or any on two. */
export function repeatedBefore(payment: Payment, paid: readonly Payment[], most: number): () => boolean {
  return once(() => {
    const { list } = pairsOf(paid.filter(other => isPaid(other)));
    const to_payee = list.filter(({ of }) => of.startsWith(`${payment.payee_id} `));
    return daysOf(to_payee, payment, most) > 0 || daysOf(list, payment, most) > 1;
  });
}

/** Whether the agent often paid again, on other days, what single calls cost. */
function callsAgain(payment: Payment, paid: readonly Payment[], limits: Limits): boolean {
  const calls = paid.filter(other => isPaid(other) && isSmall(other, limits));
  return daysOf(pairsOf(calls).list, payment, limits.window_s * SECOND) >= DAYS_OF_CALLS;
}

/** A payment that followed one to the same payee at the same price: when, and how long after it, in milliseconds. */
type Pair = { of: string; at: number; gap: number };

const keyOf = ({ payee_id, price_key }: Payment) => `${payee_id} ${price_key}`;

/** The pairs of a record, and its length in months. */
type Pairs = { list: Pair[]; span: number };

export function pairsOf(paid: readonly Payment[]): Pairs {
  const list: Pair[] = [];
  const latest = new Map<string, number>();
  for (const other of paid) {
    const [at, of] = [other.paid_at ?? 0, keyOf(other)];
    const before = latest.get(of);
    if (before !== undefined) list.push({ of, at, gap: at - before });
    latest.set(of, at);
  }
  return { list, span: months(Math.max(DAY, (paid.at(-1)?.paid_at ?? 0) - (paid[0]?.paid_at ?? 0))) };
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

/**
 * The agent's other payments of at least half the amount: small sums excuse no large one. Equal ones of the last hour that led up to it are
 * what it is about, and no habit yet.
 */
export function othersOf(payment: Payment, paid: readonly Payment[], limits: Limits): Payment[] {
  const half = (payment.paid_micro + 1n) / 2n;
  const equal = paid.filter(other => other === payment || isAlike(other, payment));
  const run = new Set(runAround(payment, equal, limits.window_s).filter(other => gapOf(other, payment) <= HOUR));
  return paid.filter(other => !run.has(other) && other.paid_micro >= half && isPaid(other));
}

/** Whether the agent has paid again within `most` milliseconds on several other days, or the same payee the same again and again. */
function isHabitWithin(pairs: readonly Pair[], payment: Payment, most: number): boolean {
  const key = keyOf(payment);
  const again = pairs.filter(({ gap, of }) => gap <= most && of === key).length;
  const { paid_micro } = payment;
  const isLittle = paid_micro > 0n && paid_micro < MUCH_MICRO;
  return again >= STEADY || daysOf(pairs, payment, most) >= (isLittle ? 1 : DAYS_OF_HABIT);
}

/** How the shortest gaps between equal payments fall: so many a month up to the longest of them, by a power of the gap. */
type GapTail = { per_month: number; longest: number; power: number };

/**
 * The shortest tenth of the gaps is modeled as a power law toward zero, with the exponent drawn toward 1, that of independent payments; a steady
 * pace has a high one. Source: Hill, "A Simple General Approach to Inference About the Tail of a Distribution" (1975). Null without gaps.
 */
function tailOfGaps({ list, span }: Pairs): GapTail | null {
  const gaps = Float64Array.from(list, ({ gap }) => gap).sort();
  const size = Math.min(gaps.length, Math.max(3, Math.ceil(gaps.length / 10)));
  const shortest = gaps.subarray(0, size).map(each => Math.max(each, SECOND));
  const longest = shortest.at(-1);
  if (longest === undefined) return null;
  const total = shortest.reduce((sum, each) => sum + Math.log(longest / each), 0);
  return { per_month: size / span, longest, power: (size + 2) / (total + 2) };
}

/** The expected number of equal payments at most `gap` apart in a month. */
const coincidences = (gap: number, tail: GapTail | null): number =>
  tail === null ? 0 : tail.per_month * Math.min(1, gap / tail.longest) ** tail.power;
