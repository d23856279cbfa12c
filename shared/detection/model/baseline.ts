import { percentile } from './score.ts';
import { DAY, HOUR } from '#shared/values/time.ts';

/** What an agent did in one hour (`hour`: its start in milliseconds). Only hours in which it did something have one. */
export type AgentHour = { hour: number; payments: number; spend_micro: bigint; busiest_minute: number };

/** An agent's own rhythm in the 30 days before the hour of an event; hours and days without a payment do not count. */
export type Baseline = {
  p95_payments_per_minute: number;
  p95_payments_per_hour: number;
  median_spend_per_hour: bigint;
  median_spend_per_day: bigint;
};

export const BASELINE_LENGTH = 30 * DAY;

/** The baseline for an event at `time`, from its agent's hours as they are now. Each figure is worked out when it is first asked for. */
export function baselineAt(time: number, hours: readonly AgentHour[]): Baseline {
  const thisHour = time - (time % HOUR);
  // The hour before is left out too: a window of an hour that reaches back into it would be compared with itself.
  const past = hours.filter(({ hour }) => hour < thisHour - HOUR && hour >= thisHour - BASELINE_LENGTH);
  const p95 = (valueOf: (hour: AgentHour) => number) => percentile(past.map(valueOf), 0.95) ?? 0;
  const perMinute = once(() => p95(({ busiest_minute }) => busiest_minute));
  const perHour = once(() => p95(({ payments }) => payments));
  const spendPerHour = once(() => medianOf(past.map(({ spend_micro }) => spend_micro)));
  const spendPerDay = once(() => medianOf(spendByDay(past, time)));
  return {
    get p95_payments_per_minute() {
      return perMinute();
    },
    get p95_payments_per_hour() {
      return perHour();
    },
    get median_spend_per_hour() {
      return spendPerHour();
    },
    get median_spend_per_day() {
      return spendPerDay();
    },
  };
}

function once<T>(compute: () => T): () => T {
  let cached: { value: T } | null = null;
  return () => (cached ??= { value: compute() }).value;
}

/** What was spent on each day before the one of `time`. */
function spendByDay(past: readonly AgentHour[], time: number): bigint[] {
  const start = startOfDays(past) * HOUR;
  const dayOf = (at: number) => Math.floor((at - start) / DAY);
  const today = dayOf(time);
  const days = new Map<number, bigint>();
  for (const { hour, spend_micro } of past) {
    const day = dayOf(hour);
    if (day < today) days.set(day, (days.get(day) ?? 0n) + spend_micro);
  }
  return [...days.values()];
}

const HOURS = 24;

/**
 * The hour (UTC) at which an agent's days begin: in the middle of its longest rest, so that a working day in California, which midnight in
 * UTC cuts in two, counts as one. 0 where it never rests.
 */
function startOfDays(past: readonly AgentHour[]): number {
  const active = new Set(past.map(({ hour }) => (hour / HOUR) % HOURS));
  let longest = { from: 0, length: 0 };
  for (const before of active) {
    const from = (before + 1) % HOURS;
    let length = 0;
    while (length < HOURS && !active.has((from + length) % HOURS)) length += 1;
    if (length > longest.length || (length === longest.length && from < longest.from)) longest = { from, length };
  }
  return longest.length === 0 ? 0 : (longest.from + (longest.length >> 1)) % HOURS;
}

/** Middle of the amounts above zero; of an even number the mean of the two in the middle, rounded down. */
function medianOf(amounts: bigint[]): bigint {
  const spent = amounts.filter(amount => amount > 0n).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = spent[spent.length >> 1] ?? 0n;
  return spent.length % 2 === 1 ? upper : (upper + (spent[(spent.length >> 1) - 1] ?? 0n)) / 2n;
}
