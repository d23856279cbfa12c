import { timestamp } from '#shared/time.ts';

/** A moment as a person reads it, to the second: `2026-11-20 12:00:05 UTC`. */
export const momentText = (at: number): string => `${dateText(at)} ${clockText(at)} UTC`;

/** The day of a moment, in UTC: `2026-11-20`. */
export const dateText = (at: number): string => timestamp(at).slice(0, 'YYYY-MM-DD'.length);

/** From the first to the last of some moments: `from 2026-11-20 12:00:05 to 12:03:10 UTC`. */
export function spanText(moments: readonly number[]): string {
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  const until = dateText(first) === dateText(last) ? clockText(last) : `${dateText(last)} ${clockText(last)}`;
  return `from ${dateText(first)} ${clockText(first)} to ${until} UTC`;
}

const clockText = (at: number) => timestamp(at).slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length);

/** How often, or how many times, as a person writes it: at most one decimal, and none where it is whole. */
export const timesText = (value: number): string => String(Number(value.toFixed(1)));

/** A part of a whole in percent. */
export const percentText = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
