import { minorUnitExponent } from '#shared/values/currencies.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { MANDATE_SCOPE_MISMATCH } from './codes.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import { isObject, textOf } from '#shared/verification/json.ts';

/** An amount in minor units of an ISO 4217 currency. */
export type CurrencyAmount = { value: bigint; currency: string };

/** AP2's `{amount, currency}` (types/amount.json): a whole number of minor units; null when it is not one. */
export function readAmount(value: unknown): CurrencyAmount | null {
  if (!isObject(value)) return null;
  const { amount } = value;
  const currency = textOf(value, 'currency');
  if (!isMinorUnits(amount) || !currency || !/^[A-Z]{3}$/.test(currency)) return null;
  return { value: BigInt(amount), currency };
}

export const isMinorUnits = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Compares the authorized amount with the paid one of the event: equal, or at most that much when the event is about a partial return. A
 * payment in a token is not compared with a currency.
 */
export function checkAmount(list: Checklist, authorized: CurrencyAmount, { amount, status }: ReportedEvent): void {
  if (amount.currency === null) {
    list.open(
      'amount',
      'amount_not_comparable',
      `${authorized.currency} were authorized, ${amount.denomination} was paid`,
    );
    return;
  }
  const detail = `${describe(authorized)} were authorized, the event says ${describe({ ...amount, currency: amount.currency })}`;
  list.check('currency', authorized.currency === amount.currency, MANDATE_SCOPE_MISMATCH, detail);
  const fits = partial.has(status) ? amount.value <= authorized.value : amount.value === authorized.value;
  list.check('amount', fits, MANDATE_SCOPE_MISMATCH, detail);
}

const partial = new Set(['refunded', 'partially_refunded', 'disputed']);

/** In people's notation: `27.71 EUR`. */
function describe({ value, currency }: CurrencyAmount): string {
  const places = minorUnitExponent(currency);
  if (places === null) return `${value} minor units of ${currency}`;
  const digits = String(value).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return `${whole}${places > 0 ? `.${digits.slice(-places)}` : ''} ${currency}`;
}

/** A decimal number: `digits` × 10^−`places`. */
export type Decimal = { digits: bigint; places: number };

/** Parses plain decimal text such as `15.00`, without sign and exponent; null for any other. */
export function readDecimal(text: string): Decimal | null {
  const match = /^(\d{1,40})(?:\.(\d{1,40}))?$/.exec(text);
  if (!match) return null;
  const [, whole = '', fraction = ''] = match;
  return { digits: BigInt(whole + fraction), places: fraction.length };
}

/**
 * Whole units of a currency in minor units, rounded down (a limit does not grow), by the ISO 4217 exponent: 1.5 KWD are 1500, 1.5 JPY are
 * 1. Null when the text is no decimal number or the currency has no minor unit.
 */
export function minorUnits(wholeUnits: string, currency: string): bigint | null {
  const decimal = readDecimal(wholeUnits);
  const exponent = minorUnitExponent(currency);
  if (!decimal || exponent === null) return null;
  return (decimal.digits * 10n ** BigInt(exponent)) / 10n ** BigInt(decimal.places);
}
