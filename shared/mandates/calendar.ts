import { firstChange, firstMoment, offsetAt } from '#shared/values/time_zone.ts';
import { DAY, HOUR } from '#shared/values/time.ts';

/** From `start` on and before `end`, milliseconds since 1970. */
export type Period = { start: number; end: number };

export type Interval = 'hourly' | 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'yearly';

/**
 * Finds the calendar period of a moment in a zone. A day is from midnight to midnight local time, so it has 23 or 25 hours when clocks
 * change; weeks begin on Monday (ISO 8601). An hour that clocks show twice is two hours. Caches the last period.
 */
export function createCalendar(interval: Interval, zone: string): (at: number) => Period {
  let last: Period = { start: 0, end: 0 };
  return at => {
    if (at >= last.start && at < last.end) return last;
    last = interval === 'hourly' ? hourOf(zone, at) : daysOf(zone, at, firstDays[interval]);
    return last;
  };
}

/** Blocks of two ISO weeks in UTC, counted from the week of `anchor`. */
export function fortnightOf(at: number, anchor: number): Period {
  const start = mondayOf(Math.floor(anchor / DAY)) * DAY;
  const from = at - modulo(at - start, 14 * DAY);
  return { start: from, end: from + 14 * DAY };
}

function hourOf(zone: string, at: number): Period {
  const offset = offsetAt(zone, at);
  const start = at - modulo(at + offset, HOUR);
  const end = start + HOUR;
  // Some zones change their clocks by half an hour, in the middle of an hour.
  return {
    start: offsetAt(zone, start) === offset ? start : firstChange(zone, start, at),
    end: offsetAt(zone, end - 1) === offset ? end : firstChange(zone, at, end),
  };
}

function daysOf(zone: string, at: number, first: FirstDay): Period {
  const day = Math.floor((at + offsetAt(zone, at)) / DAY);
  return { start: firstMoment(zone, first(day, 0) * DAY), end: firstMoment(zone, first(day, 1) * DAY) };
}

/** The first day of the period of a day, or of a period `later` periods on. Days are counted from 1970-01-01. */
type FirstDay = (day: number, later: number) => number;

const firstDays: Record<Exclude<Interval, 'hourly'>, FirstDay> = {
  daily: (day, later) => day + later,
  weekly: (day, later) => mondayOf(day) + 7 * later,
  monthly: months(1),
  quarterly: months(3),
  yearly: months(12),
};

function months(length: number): FirstDay {
  return (day, later) => {
    const date = new Date(day * DAY);
    const month = date.getUTCMonth();
    return Math.floor(Date.UTC(date.getUTCFullYear(), month - (month % length) + length * later, 1) / DAY);
  };
}

/** 1970-01-01 was a Thursday. */
const mondayOf = (day: number): number => day - modulo(day + 3, 7);

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
