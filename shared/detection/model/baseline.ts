import { percentile } from './score.ts';
import { once } from '#shared/values/once.ts';
import { DAY, HOUR } from '#shared/values/time.ts';

/** An agent's activity in one hour (`hour`: its start in milliseconds). Hours without activity have no entry. */
export type AgentHour = { hour: number; payments: number; spend_micro: bigint; busiest_minute: number };

/** An agent's own rhythm in the 30 days before the hour of an event; only hours and days with a payment count. */
export type Baseline = {
  p95_payments_per_minute: number;
  p95_payments_per_hour: number;
  median_spend_per_hour: bigint;
  median_spend_per_day: bigint;
};

export const BASELINE_LENGTH = 30 * DAY;

/** The baseline for an event at `time`, from its agent's current hours. Each figure is computed on first use. */
export function baselineAt(time: number, hours: readonly AgentHour[]): Baseline {
  const thisHour = time - (time % HOUR);
  // The previous hour is left out too: a one-hour window that reaches into it would be compared with itself.
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

/** The spend of each day before that of `time`. */
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
 * The hour (UTC) at which an agent's days begin: in the middle of its longest rest, so that a working day in California, which midnight UTC
 * splits, counts as one. 0 if it never rests.
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

/** The median of the amounts above zero; for an even number the mean of the two in the middle, rounded down. */
function medianOf(amounts: bigint[]): bigint {
  const spent = amounts.filter(amount => amount > 0n).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const upper = spent[spent.length >> 1] ?? 0n;
  return spent.length % 2 === 1 ? upper : (upper + (spent[(spent.length >> 1) - 1] ?? 0n)) / 2n;
}
