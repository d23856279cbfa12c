import { parseRfc3339 } from '#shared/values/rfc3339.ts';
import { DAY } from '#shared/values/time.ts';

/**
 * The time of an AP2 date, in milliseconds since 1970: a moment (RFC 3339), or for a bare date the whole day in UTC. Compared as times,
 * never as text. Null when it is neither.
 */
export function periodOf(value: unknown): { from: number; until: number } | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const day = /^\d{4}-\d\d-\d\d$/.test(value);
  const time = parseRfc3339(day ? `${value}T00:00:00Z` : value);
  if (!time.ok) return null;
  return { from: time.value, until: day ? time.value + DAY - 1 : time.value };
}
