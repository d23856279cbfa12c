import { firstMoment, offsetAt } from '#shared/values/time_zone.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';

/** Times of day, as `22:00`, in a time zone; they may go over midnight. */
export type QuietHours = { from: string; to: string };

/**
 * When quiet hours end that a moment is in, in milliseconds since 1970; null where it is in none. It is in them where they end before they
 * begin again; where clocks are set back, they end the first time.
 */
export function quietUntil(quiet: QuietHours | null, zone: string, now: number): number | null {
  if (!quiet) return null;
  const end = nextAt(now, zone, quiet.to);
  return end < nextAt(now, zone, quiet.from) ? end : null;
}

/** The next moment at which the clocks of a zone show a time of day, or, where they pass it over, the first after it. */
export function nextAt(now: number, zone: string, time: string): number {
  const day = Math.floor((now + offsetAt(zone, now)) / DAY);
  const at = (of: number) => firstMoment(zone, of * DAY + minutesOf(time) * MINUTE);
  return at(day) > now ? at(day) : at(day + 1);
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
