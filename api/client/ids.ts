/** A new event id: `evt_` and a ULID, 48 bits of time and 80 random ones in Crockford's base 32 (https://github.com/ulid/spec). */
export function createEventId(at = Date.now()): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_DIGITS));
  const time = Array.from({ length: TIME_DIGITS }, (_, place) => Math.floor(at / 32 ** (TIME_DIGITS - 1 - place)) % 32);
  return `evt_${[...time, ...random].map(number => DIGITS[number % 32]).join('')}`;
}

const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
