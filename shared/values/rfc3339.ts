import { type Parsed, parsed, unparsed } from './parsed.ts';

/**
 * Milliseconds since 1970 of an RFC 3339 date-time with offset; digits below a millisecond are cut off. Refuses what
 * RFC 3339 does not know (no offset, a space for the T, week dates) and leap seconds, which have no UTC millisecond.
 */
export function parseRfc3339(text: string): Parsed<number> {
  const match = dateTime.exec(text);
  if (!match) return unparsed('must be an RFC 3339 date-time with offset, such as 2026-01-31T09:30:00.000Z');
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  if (second === '60') return unparsed('has a leap second (:60); send the second before or after it');
  // Date.UTC would take the year 26 for 1926.
  const midnight = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const sound =
    isDate(Number(year), Number(month), Number(day)) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  if (!sound || Number(offsetHour) > 23 || Number(offsetMinute) > 59) {
    return unparsed('has a date, time or offset that does not exist');
  }
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -60_000 : 60_000);
  const clock = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  return parsed(midnight + clock + Number(fraction.slice(0, 3).padEnd(3, '0')) - offset);
}

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,30}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day <= (month === 2 && leap ? 29 : (daysOfMonth[month - 1] ?? 0));
}

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
