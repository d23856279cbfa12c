import { HOUR, MINUTE } from '#shared/values/time.ts';
import { isWithin, type Span } from './spans.ts';

/** The payments started and the amount spent. */
export type Activity = { payments: number; spend_micro: bigint };

/** An agent's activity by the minute, grouped by the hour, each keyed by its start in milliseconds. */
export type Minutes = Map<number, { sum: Activity; minutes: Map<number, Activity> }>;

/** A change of one moment. */
export type MinuteChange = Activity & { at: number };

/** Applies a change. Changes `hours`. */
export function addToMinutes(hours: Minutes, { at, payments, spend_micro }: MinuteChange): void {
  const hour = at - (at % HOUR);
  const minute = at - (at % MINUTE);
  const entry = hours.get(hour) ?? { sum: nothing, minutes: new Map<number, Activity>() };
  const change = { payments, spend_micro };
  entry.sum = plus(entry.sum, change);
  entry.minutes.set(minute, plus(entry.minutes.get(minute) ?? nothing, change));
  hours.set(hour, entry);
}

/** Whether they are several times what the windows of a range need. */
export const isMuch = ({ size }: Minutes): boolean => size > 8 * 25;

/** Drops the hours that lie in none of these spans. Changes `hours`. */
export function keepMinutes(hours: Minutes, spans: readonly Span[]): void {
  for (const hour of hours.keys()) if (!isWithin(hour, spans)) hours.delete(hour);
}

/** Puts all hours of these spans in the place of what was known of them. Changes `hours`. */
export function putMinutes(hours: Minutes, loaded: Minutes, spans: readonly Span[]): void {
  for (const hour of hours.keys()) if (isWithin(hour, spans)) hours.delete(hour);
  for (const [hour, entry] of loaded) hours.set(hour, entry);
}

/** The activity from `from` until before `to`, of the minutes wholly in between; whole hours are added at once. */
export function minutesBetween(hours: Minutes, from: number, to: number): Activity {
  let sum = nothing;
  for (let hour = from - (from % HOUR); hour < to; hour += HOUR) {
    const entry = hours.get(hour);
    if (!entry) continue;
    if (hour >= from && hour + HOUR <= to) {
      sum = plus(sum, entry.sum);
      continue;
    }
    for (const [minute, activity] of entry.minutes) {
      if (minute >= from && minute + MINUTE <= to) sum = plus(sum, activity);
    }
  }
  return sum;
}

const nothing: Activity = { payments: 0, spend_micro: 0n };

const plus = (a: Activity, b: Activity): Activity => ({
  payments: a.payments + b.payments,
  spend_micro: a.spend_micro + b.spend_micro,
});
