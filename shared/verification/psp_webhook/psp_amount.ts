import { minorUnitExponent } from '#shared/values/currencies.ts';
import { smallestUnits } from '#shared/values/money.ts';

export type Psp = 'stripe' | 'adyen' | 'other';

/**
 * An amount in a service's smallest unit as ISO 4217 minor units: null when it is not a whole number of them. Services count some
 * currencies with other decimals than ISO (docs.stripe.com/currencies, docs.adyen.com/development-resources/currency-codes).
 */
export function isoMinor(psp: Psp, value: unknown, currency: string): bigint | null {
  const amount = wholeNumber(value);
  const exponent = minorUnitExponent(currency);
  if (amount === null || exponent === null) return amount;
  const difference = exponent - (decimals[psp][currency] ?? exponent);
  if (difference >= 0) return amount * 10n ** BigInt(difference);
  const divisor = 10n ** BigInt(-difference);
  return amount % divisor === 0n ? amount / divisor : null;
}

/** Minor units of a decimal text in whole units, such as `12.50`; null when it has more decimals than the currency. */
export const fromDecimal = (text: string, currency: string): bigint | null =>
  smallestUnits(text, minorUnitExponent(currency) ?? 2);

/** A JSON integer or a text of digits, without its sign: what leaves an account is negative with some. */
export function wholeNumber(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(Math.abs(value)) : null;
  return typeof value === 'string' && /^-?[0-9]{1,30}$/.test(value) ? BigInt(value.replace('-', '')) : null;
}

/** ISO 4217 in upper case, or null. */
export const currencyCode = (value: unknown): string | null =>
  typeof value === 'string' && /^[a-z]{3}$/i.test(value) ? value.toUpperCase() : null;

const decimals: Record<Psp, Record<string, number>> = {
  // UGX stands in Stripe's list of zero-decimal currencies too; its special case says that amounts have two.
  stripe: { ISK: 2, UGX: 2, MGA: 0 },
  adyen: { CLP: 2, CVE: 0, IDR: 0, ISK: 2 },
  other: {},
};
