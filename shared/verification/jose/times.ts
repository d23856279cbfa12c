import type { JsonObject } from '#shared/verification/json.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';

/** What is wrong with the times of a token at `at`; null when it was valid then. */
type TimeFault = { kind: 'malformed' | 'expired' | 'early'; detail: string };

/** How far a clock may be off, in milliseconds: after `exp`, before `nbf`, and before `iat`. */
type Skew = { exp: number; nbf: number; iat: number };

/** Checks `exp`, `nbf` and `iat` (RFC 7519 §4.1: seconds since 1970, fractions allowed) at `at`; an absent claim sets no bound. */
export function findTimeFault(claims: JsonObject, at: number, skew: Skew): TimeFault | null {
  const { exp, nbf, iat } = claims;
  for (const [name, value] of Object.entries({ exp, nbf, iat }))
    if (value !== undefined && !isTime(value)) return { kind: 'malformed', detail: `${name} is not a time` };
  if (isTime(exp) && at > exp * SECOND + skew.exp) return fault('expired', 'expired', exp, at);
  if (isTime(nbf) && at < nbf * SECOND - skew.nbf) return fault('early', 'not valid before', nbf, at);
  if (isTime(iat) && at < iat * SECOND - skew.iat) return fault('early', 'issued', iat, at);
  return null;
}

const fault = (kind: TimeFault['kind'], what: string, seconds: number, at: number): TimeFault => ({
  kind,
  detail: `${what} ${timestamp(seconds * SECOND)}, and the payment was at ${timestamp(at)}`,
});

// The last second that RFC 3339 can write.
const LAST_TIME = 253_402_300_799;

/** A time as in tokens: seconds since 1970. */
export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= LAST_TIME;
