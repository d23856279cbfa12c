import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import type { Random } from './random.ts';
import type { DemoOwner } from './agent.ts';

/** The time a world covers, in milliseconds since 1970: thin history `from` on, the `day` of 24 hours, which ends `to` now. */
export type WorldSpan = { from: number; day: number; to: number };

const HISTORY = 35 * DAY;

/** Nothing in a world is older; agents that have been silent for a long time were at work before the history. */
export const OLDEST = 75 * DAY;

export const spanUntil = (now: number): WorldSpan => ({ from: now - HISTORY, day: now - DAY, to: now });

/** A calendar day where an owner is. `midnight` is in milliseconds since 1970, `weekday` 0 is Sunday, `index` counts up by one a day. */
type LocalDay = {
  midnight: number;
  index: number;
  weekday: number;
  date: number;
  month: number;
  year: number;
  working: boolean;
};

export function localDays({ from, to }: WorldSpan, { utc_offset }: Pick<DemoOwner, 'utc_offset'>): LocalDay[] {
  const offset = utc_offset * HOUR;
  const first = Math.floor((from + offset) / DAY);
  const last = Math.floor((to + offset) / DAY);
  return Array.from({ length: last - first + 1 }, (_, day) => {
    const index = first + day;
    const local = new Date(index * DAY);
    const weekday = local.getUTCDay();
    return {
      midnight: index * DAY - offset,
      index,
      weekday,
      date: local.getUTCDate(),
      month: local.getUTCMonth(),
      year: local.getUTCFullYear(),
      working: weekday !== 0 && weekday !== 6,
    };
  });
}

/** Whether something that happens on this date every month happens on this day: on the last one where a month is too short. */
export const fallsOn = ({ date, year, month }: LocalDay, due: number) =>
  date === Math.min(due, new Date(Date.UTC(year, month + 1, 0)).getUTCDate());

/** Times of the office hours of a day, 8:00 to 18:00, in order. */
export const officeTimes = (day: LocalDay, count: number, random: Random): number[] =>
  timesByHour(day, officeHours, count, random);

/** Times of a day as people who ask an assistant spread them: little at night, most in the morning and the afternoon. */
export const wakingTimes = (day: LocalDay, count: number, random: Random): number[] =>
  timesByHour(day, wakingHours, count, random);

/** How many of something there are when there are `mean` of them on average and each comes by itself (Poisson). */
export function howMany(mean: number, random: Random): number {
  const limit = Math.exp(-mean);
  let count = -1;
  for (let product = 1; product > limit; product *= random.next()) count += 1;
  return count;
}

function timesByHour(day: LocalDay, weights: readonly number[], count: number, random: Random): number[] {
  const hours = weights.map((weight, hour) => ({ weight, hour }));
  return Array.from(
    { length: count },
    () => day.midnight + random.weighted(hours).hour * HOUR + Math.floor(random.next() * 60 * MINUTE),
  ).toSorted((a, b) => a - b);
}

// One weight an hour, from midnight on.
const officeHours = [0, 0, 0, 0, 0, 0, 0, 0, 2, 4, 5, 4, 2, 3, 5, 4, 3, 2, 0, 0, 0, 0, 0, 0];
const wakingHours = [2, 1, 1, 1, 1, 2, 4, 7, 10, 12, 12, 11, 9, 10, 12, 12, 10, 8, 7, 7, 6, 5, 4, 3];
