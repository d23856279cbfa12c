import { MILLION } from './exact.ts';
import { MOST_PAYMENTS } from './history.ts';
import { countryInText } from '#shared/values/countries.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { timestamp } from '#shared/values/time.ts';

/** A moment as a person reads it, to the second: `2026-11-20 12:00:05 UTC`. */
export const momentText = (at: number): string => `${dateText(at)} ${clockText(at)} UTC`;

/** The day of a moment, in UTC: `2026-11-20`. */
export const dateText = (at: number): string => timestamp(at).slice(0, 'YYYY-MM-DD'.length);

/** From the first to the last of some moments: `from 2026-11-20 12:00:05 to 12:03:10 UTC`; of one second: `at 2026-11-20 12:00:05 UTC`. */
export function spanText(moments: readonly number[]): string {
  const [first, last] = [Math.min(...moments), Math.max(...moments)];
  if (momentText(first) === momentText(last)) return `at ${momentText(first)}`;
  const until = dateText(first) === dateText(last) ? clockText(last) : `${dateText(last)} ${clockText(last)}`;
  return `from ${dateText(first)} ${clockText(first)} to ${until} UTC`;
}

const clockText = (at: number) => timestamp(at).slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length);

/** How many payments were counted among those at hand, which may be fewer than there were: `38`, `256 or more`. */
export const countAtHandText = (count: number): string => `${count}${count < MOST_PAYMENTS ? '' : ' or more'}`;

/**
 * How often, or how many times, was measured, as a person writes it: at most one decimal, and three digits of more than a hundred. What somebody
 * set is told as it was set.
 */
export const timesText = (value: number): string =>
  value < 100 ? String(Number(value.toFixed(1))) : Number(value.toPrecision(3)).toLocaleString('en');

/** A part of a whole in percent. */
export const percentText = (share: number): string => `${Number((share * 100).toFixed(1))}%`;

const MOST_COUNTRIES = 5;

/** Countries in a sentence, as many as people read: `Spain, France, and the Netherlands`. */
export function countriesText(codes: readonly string[]): string {
  const rest = codes.length - MOST_COUNTRIES;
  const named = codes.slice(0, MOST_COUNTRIES).map(countryInText);
  return new Intl.ListFormat('en').format(rest > 0 ? [...named, `${rest} more`] : named);
}

/** Two amounts as a person reads them; where that would make different ones look the same, to the last digit. None is below zero. */
export function amountsText(a: bigint, b: bigint): [string, string] {
  const [first, second] = [formatUsdMicro(a), formatUsdMicro(b)];
  return a === b || first !== second ? [first, second] : [exactText(a), exactText(b)];
}

const exactText = (usd_micro: bigint) => {
  const fraction = usd_micro % MILLION;
  const whole = formatUsdMicro(usd_micro - fraction).slice(0, -'00'.length);
  return (
    whole +
    String(fraction)
      .padStart(6, '0')
      .replace(/0{1,4}$/, '')
  );
};
