import { z } from 'zod';
import { constraint, example, TimeZone } from '#shared/mandates/constraint_fields.ts';
import { breach, compliant, type Rule } from '#shared/mandates/rule.ts';
import { offsetAt } from '#shared/values/time_zone.ts';
import { DAY, MINUTE, zonesText } from '#shared/values/time.ts';
import { asOptions, itemsText, type KindWords, zoneField } from './words.ts';

/** The hours and weekdays at which payments may be made. */
export const timeOfDay = { schema, rule };

const allDays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export const timeOfDayWords: KindWords = {
  type: 'payment.time_of_day',
  name: 'Time of day',
  limit: ({ days, from, to, tz }, style) =>
    `only from ${String(from)} to ${String(to)} (${zonesText(String(tz ?? 'UTC'))}) on ${itemsText(days ?? ['every day'], style)}`,
  verdict: ({ observed, limit }) => zonesText(`paid at ${observed}; allowed: ${limit}`),
  fields: [
    { name: 'days', label: 'Days', as: 'ticks', of: asOptions(allDays) },
    { name: 'from', label: 'From', as: 'clock', hint: 'such as 09:00' },
    { name: 'to', label: 'To', as: 'clock', hint: 'such as 18:00, or 24:00' },
    zoneField,
  ],
  initial: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '18:00', tz: 'UTC' },
};

function schema() {
  return constraint('payment.time_of_day', {
    days: z
      .array(z.enum(allDays))
      .min(1)
      .max(7)
      .default([...allDays])
      .overwrite(days => allDays.filter(day => days.includes(day))),
    from: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 09:00'),
    to: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day such as 18:00, or 24:00')
      .meta({
        description:
          'not included; when it is before `from`, it is on the day after, and the night counts to the day it began on',
      }),
    tz: TimeZone,
  })
    .refine(({ from, to }) => from !== to, {
      path: ['to'],
      error: 'must differ from `from`; the whole day is 00:00 to 24:00',
    })
    .meta(example('payment.time_of_day', { days: ['mon', 'tue'], from: '09:00', to: '18:00', tz: 'Europe/Berlin' }));
}

/**
 * Paid at `from` or later and before `to` by the zone's clocks, on one of the days. A `to` before `from` is on the next day, and the night
 * belongs to the day on which it began. What the clocks show counts, whether they show it twice or skip it.
 */
function rule({ days, from, to, tz }: z.output<ReturnType<typeof schema>>): Rule {
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
