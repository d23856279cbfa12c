import { parseRfc3339 } from '#shared/values/rfc3339.ts';
import { SECOND } from '#shared/values/time.ts';
import { asRecord } from '#shared/verification/json.ts';

/** The texts in `metadata`: merchants put their own ids there. */
export const metadataValues = (object: Record<string, unknown>): string[] =>
  Object.values(asRecord(object['metadata']) ?? {}).filter(value => typeof value === 'string');

/** Milliseconds since 1970 of a member in seconds, or null. */
export function secondsMember(object: Record<string, unknown>, name: string): number | null {
  const value = object[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) < 1e12 ? value * SECOND : null;
}

/** Milliseconds since 1970 of a member in RFC 3339, or null. */
export function timeMember(object: Record<string, unknown>, name: string): number | null {
  const value = object[name];
  if (typeof value !== 'string' || value.length > 40) return null;
  const time = parseRfc3339(value);
  return time.ok ? time.value : null;
}
