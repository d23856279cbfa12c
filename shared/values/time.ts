/** Time on the outside is an RFC 3339 string in UTC with milliseconds; inside a computation it is milliseconds since 1970. */
export function timestamp(milliseconds: number): string {
  // What is written of one event says the same moment several times.
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
}

let last = { milliseconds: NaN, text: '' };

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Years with four digits, which PostgreSQL can read: no event lies beyond. */
export const FIRST_TIME = Date.parse('0001-01-01T00:00:00.000Z');
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** `90 s`, `5 min`, `24 h`, `30 d`: a length of time as a person reads it. */
export function formatDuration(milliseconds: number): string {
  for (const [size, unit] of [
    [DAY, 'd'],
    [HOUR, 'h'],
    [MINUTE, 'min'],
  ] as const) {
    if (milliseconds >= 2 * size || (milliseconds === size && size < DAY))
      return `${trim(milliseconds / size)} ${unit}`;
  }
  return `${trim(milliseconds / SECOND)} s`;
}

/** In a text, zones that IANA names by the opposite of their offset, as people say them: `Etc/GMT-1` is `UTC+1`. */
export const zonesText = (text: string): string =>
  text
    .replaceAll('Etc/UTC', 'UTC')
    .replaceAll(/\bEtc\/GMT([+-])([1-9]\d?)\b/g, (_, sign: string, hours: string) =>
      sign === '-' ? `UTC+${hours}` : `UTC-${hours}`,
    );

const trim = (value: number) => String(Number(value.toFixed(1)));
