import { DAY, HOUR } from '#shared/values/time.ts';
import { partitionPoint } from '#shared/values/partition_point.ts';
import { type AgentHour, BASELINE_LENGTH } from './baseline.ts';
import { firstFrom, type History, LEAST_AT_HAND } from './history.ts';

/**
 * Whether the agent is so busy that its payments at hand do not reach back a day, or hardly: then its hours tell what is usual. A flood leaves a
 * few payments of a long record at hand, which say little of it.
 */
export function isCut({ complete_from, hours, payments }: History, time: number): boolean {
  if (hours === null || complete_from === -Infinity) return false;
  const from = time - DAY - HOUR;
  return complete_from > from || firstFrom(payments, from) < LEAST_AT_HAND;
}

/** The hours of a busy agent in the 30 days before and after `time`, however many are at hand: what is sent late has both. */
export const nearHours = ({ hours }: History, time: number): readonly AgentHour[] =>
  hoursFrom(hours, time - BASELINE_LENGTH, time + BASELINE_LENGTH + 1);

/** The hours that began from `from` until before `to`. */
export function hoursFrom(hours: readonly AgentHour[] | null, from: number, to: number): readonly AgentHour[] {
  if (!hours || to <= from) return [];
  const place = (time: number) => partitionPoint(hours.length, index => (hours[index]?.hour ?? 0) >= time);
  return hours.slice(place(from), place(to));
}
