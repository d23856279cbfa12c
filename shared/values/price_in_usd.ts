import type { Asset } from './assets.ts';
import { minorUnitExponent } from './currencies.ts';
import { divideHalfUp } from './money.ts';

/**
 * The value of an amount in US dollars, or null when it cannot be priced: US dollars and registered dollar tokens by their decimals, other
 * currencies and their tokens by `rate` (dollars per whole unit, a decimal string). `amount` counts minor or atomic units; both results are
 * rounded half up, each from the amount itself. What comes to 10^90 millionths or more has no price.
 */
export function priceInUsd({ amount, rate, ...paid }: Priced): UsdValue | null {
  const { currency, decimals } =
    'asset' in paid
      ? (paid.asset ?? { currency: null, decimals: null })
      : { currency: paid.currency, decimals: minorUnitExponent(paid.currency) };
  if (currency === null || decimals === null) return null;
  const perUnit = parseDecimal(currency === 'USD' ? '1' : rate);
  return perUnit && usdValue(amount * perUnit.digits, 10n ** BigInt(decimals + perUnit.places));
}

type Priced = { amount: bigint; rate: string | null } & ({ asset: Asset | null } | { currency: string });

/** An amount in millionths of a dollar and in cents. */
export type UsdValue = { usd_micro: bigint; usd_minor: bigint };

/** Where a rate is from: loaded by the operator, fetched from where `RATES` says, or come with the service. */
export const rateSources = ['operator', 'fetched', 'reference'] as const;

/** Dollars per whole unit of a currency, a decimal string; the day it is of (`YYYY-MM-DD`), and where it is from. */
export type Rate = { usd_per_unit: string; date: string; source: (typeof rateSources)[number] };

/** Exchange rates: what a currency is priced at on a day (`YYYY-MM-DD`, UTC), null when there is no rate. */
export type Rates = { rateFor: (currency: string, date: string) => Rate | null };

/** Prices nothing but dollars. */
export const noRates: Rates = { rateFor: () => null };

/** `units` of `perDollar` to the dollar; null where that is more than the columns hold (numeric(90,0)). */
function usdValue(units: bigint, perDollar: bigint): UsdValue | null {
  const usd_micro = divideHalfUp(units * 1_000_000n, perDollar);
  return usd_micro < 10n ** 90n ? { usd_micro, usd_minor: divideHalfUp(units * 100n, perDollar) } : null;
}

function parseDecimal(text: string | null): { digits: bigint; places: number } | null {
  const match = /^(\d{1,20})(?:\.(\d{1,20}))?$/.exec(text ?? '');
  if (!match) return null;
  const [, whole = '', fraction = ''] = match;
  return { digits: BigInt(whole + fraction), places: fraction.length };
}
