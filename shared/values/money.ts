import { minorUnitExponent } from './currencies.ts';

/** Micro-dollars for people: `$0.001`, `$1,234.56`, `-$2.00`; below a dollar every digit is kept, above it is rounded to cents. */
export function formatUsdMicro(usd_micro: bigint): string {
  const sign = usd_micro < 0n ? '-' : '';
  const exact = usd_micro < 0n ? -usd_micro : usd_micro;
  const absolute = exact < 1_000_000n ? exact : divideHalfUp(exact, 10_000n) * 10_000n;
  const whole = (absolute / 1_000_000n).toString().replace(/\B(?=(?:\d{3})+$)/g, ',');
  const fraction = (absolute % 1_000_000n)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${sign}$${whole}.${fraction}`;
}

/** Digits with the decimal point so many places from their end, without zeros that say nothing: `shifted('1250', 2)` is `12.5`. */
export function shifted(digits: string, places: number): string {
  const padded = digits.padStart(places + 1, '0');
  const whole = padded.slice(0, padded.length - places);
  const fraction = padded.slice(padded.length - places).replace(/0+$/, '');
  return fraction ? `${whole}.${fraction}` : whole;
}

/** Rounded half up; neither may be negative. */
export const divideHalfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

/**
 * The whole number of smallest units that a decimal text such as `12.50` is, with so many decimal places: `1250` with 2. Null when it
 * is no decimal, or has more places than that.
 */
export function smallestUnits(text: string, places: number): bigint | null {
  const [, whole = '', fraction = ''] = /^([0-9]{1,78})(?:\.([0-9]{1,78}))?$/.exec(text) ?? [];
  const digits = fraction.replace(/0+$/, '');
  return whole === '' || digits.length > places ? null : BigInt(whole + digits.padEnd(places, '0'));
}

/**
 * Minor units of a currency as people read them: `$12.50`, `€0.005`, `KWD 12.345`. `value` is in decimal digits, with a fraction where there
 * are parts of a unit, and to its last digit: never through a float. What was signed elsewhere may name anything as its currency.
 */
export function currencyText(value: string, currency: string): string {
  const exponent = minorUnitExponent(currency) ?? 0;
  const [whole = '', fraction = ''] = value.split('.');
  const shown = shifted(whole + fraction, exponent + fraction.length);
  if (!/^[A-Z]{3}$/i.test(currency)) return `${shown} ${currency}`;
  const digits = { minimumFractionDigits: exponent, maximumFractionDigits: Math.min(exponent + fraction.length, 100) };
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...digits });
  return format.format(shown as Intl.StringNumericLiteral).replaceAll('\u00a0', ' ');
}
