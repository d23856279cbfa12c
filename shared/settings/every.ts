import { z } from 'zod';
import { HOUR, MINUTE } from '#shared/values/time.ts';

const units: Record<string, number> = { min: MINUTE, h: HOUR, d: 24 * HOUR };

/** How often something is looked at, such as `30min`, `12h` or `1d`, in milliseconds. */
export const Every = z
  .string()
  .regex(/^[1-9][0-9]{0,3}(min|h|d)$/, 'It must be a number with min, h or d, such as 30min, 12h or 1d.')
  .transform(text => Number.parseInt(text, 10) * (units[text.replace(/^\d+/, '')] ?? HOUR));

/** What a text says as JSON; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
