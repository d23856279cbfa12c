import { breach, compliant, type ConstraintOf, type Rule } from './rule.ts';
import { offsetAt } from './time_zone.ts';
import { DAY, MINUTE, timestamp } from '#shared/values/time.ts';

/** Paid at `not_before` or later and at `not_after` or earlier: both belong to it, as in AP2. */
export function executionDate({ not_before, not_after }: ConstraintOf<'payment.execution_date'>): Rule {
  const first = not_before === undefined ? -Infinity : Date.parse(not_before);
  const last = not_after === undefined ? Infinity : Date.parse(not_after);
  // An interval of ISO 8601-2: two dots for an open end.
  const limit = `${not_before ?? '..'}/${not_after ?? '..'}`;
  return {
    judge({ context: { position } }) {
      const numbers = { observed: timestamp(position.at), limit };
      return position.at >= first && position.at <= last ? compliant(numbers) : breach('outside_window', numbers);
    },
  };
}

/**
 * Paid on the clocks of the zone at `from` or later and before `to`, on one of the days. When `to` is before `from`, it is on the day
 * after, and the night belongs to the day it began on. What the clocks show counts, whether they show it twice or leave it out.
 */
export function timeOfDay({ days, from, to, tz }: ConstraintOf<'payment.time_of_day'>): Rule {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  const limit = `${days.join(' ')} ${from}-${to} ${tz}`;
  return {
    judge({ context: { position } }) {
      const wall = position.at + offsetAt(tz, position.at);
      const day = Math.floor(wall / DAY);
      const minute = Math.floor((wall - day * DAY) / MINUTE);
      const on = (day: number) => days.some(name => name === nameOf(day));
      const today = minute >= begin && (minute < end || end < begin) && on(day);
      const lastNight = end < begin && minute < end && on(day - 1);
      const numbers = { observed: `${nameOf(day)} ${clockOf(minute)} ${tz}`, limit };
      return today || lastNight ? compliant(numbers) : breach('outside_window', numbers);
    },
  };
}

/** 1970-01-01 was a Thursday. */
const week = ['thu', 'fri', 'sat', 'sun', 'mon', 'tue', 'wed'];

const nameOf = (day: number): string => week[((day % 7) + 7) % 7] ?? '';

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

const clockOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
