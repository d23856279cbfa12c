import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { type Denominated, worthOf } from '#shared/values/denomination.ts';
import type { Unit } from './evaluation.ts';
import { priceInUsd, type Rates } from '#shared/values/price_in_usd.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { timestamp } from '#shared/values/time.ts';

/** Measures money in one unit: millionths of a currency's whole unit, or atomic units of an asset. */
export type Scale = {
  unit: Unit;
  /**
   * An amount paid at `at` in this unit; null when it has another denomination and one of the two cannot be priced. Its own
   * denomination, a currency with its tokens, and dollars are exact, others go by micro-USD and the unit's rate of the day (UTC) of `at`.
   */
  measure(money: AmountPaid, rates: Rates, at: number): Measure | null;
  /** Minor units of the currency, or atomic units of the asset, as constraints give them. */
  units(digits: string): bigint;
  /** The inverse: a decimal string of minor units, with a fraction where there are parts of one (a call at $0.001 is `0.1`). */
  text(units: bigint): string;
};

/**
 * What was paid: minor or atomic units of `denomination` (`USD`, or an asset key), and micro-USD (null: not priced). A sum over several
 * denominations has `denomination` null, and counts by its micro-USD alone.
 */
export type AmountPaid = { denomination: string | null; value: bigint; usd_micro: bigint | null };

/**
 * The whole units below and above an amount, the same when it is whole. An amount is above a limit in whole units if and only if its
 * `ceil` is, and below one if and only if its `floor` is: nothing is rounded away.
 */
type Measure = { floor: bigint; ceil: bigint };

export const moneyOf = ({ amount, usd_micro }: ReportedEvent): AmountPaid => ({
  denomination: amount.denomination,
  value: amount.value,
  usd_micro,
});

export const unitOf = ({ currency, asset }: Denominated): Unit =>
  asset ? { asset: assetKey(asset.network, asset.address) } : { currency: currency ?? '' };

export const unitKey = (unit: Unit): string => ('currency' in unit ? unit.currency : unit.asset);

export function createScale(unit: Unit): Scale {
  const key = unitKey(unit);
  // Parts of a minor unit that are counted; every exponent of ISO 4217 is below 6.
  const places = 'currency' in unit ? 6 - (minorUnitExponent(unit.currency) ?? 0) : 0;
  const perMinor = 10n ** BigInt(places);
  return {
    unit,
    measure(money, rates, at) {
      if (money.denomination === key) return whole(money.value * perMinor);
      const [paid, counted] = [worthOf(money.denomination ?? ''), worthOf(key)];
      // A currency and its tokens.
      if (paid && counted && paid.currency === counted.currency)
        return between(money.value * 10n ** BigInt(counted.decimals + places), 10n ** BigInt(paid.decimals));
      const dollars = inDollars(money);
      if (dollars?.of === 0n) return NOTHING;
      const perDollar = dollars && unitsPerMicroDollar(unit, rates, at);
      return perDollar ? between(dollars.of * perDollar.of, dollars.by * perDollar.by) : null;
    },
    units: digits => BigInt(digits) * perMinor,
    text(units) {
      const fraction = places === 0 ? '' : (units % perMinor).toString().padStart(places, '0').replace(/0+$/, '');
      return `${units / perMinor}${fraction && `.${fraction}`}`;
    },
  };
}

/** A fraction. */
type Ratio = { of: bigint; by: bigint };

const MICRO = 1_000_000n;

/** Micro-dollars of an amount: exactly where it is in dollars or in a registered dollar token, else as it was priced. Nothing is worth nothing. */
function inDollars({ denomination, value, usd_micro }: AmountPaid): Ratio | null {
  if (denomination !== null && value === 0n) return { of: 0n, by: 1n };
  if (denomination === 'USD') return { of: value * 10_000n, by: 1n };
  const asset = denomination === null ? null : assetByKey(denomination);
  if (asset?.currency === 'USD') return { of: value * MICRO, by: 10n ** BigInt(asset.decimals) };
  return usd_micro === null ? null : { of: usd_micro, by: 1n };
}

/** Rates have at most this many decimals, see money.ts: so many whole units are a whole number of micro-dollars. */
const RATE_PLACES = 20;

function unitsPerMicroDollar(unit: Unit, rates: Rates, at: number): Ratio | null {
  if ('asset' in unit) {
    const asset = assetByKey(unit.asset);
    return asset?.currency === 'USD' ? { of: 10n ** BigInt(asset.decimals), by: MICRO } : null;
  }
  const { currency } = unit;
  if (currency === 'USD') return { of: 1n, by: 1n };
  const exponent = minorUnitExponent(currency);
  if (exponent === null) return null;
  const rate = rates.rateFor(currency, timestamp(at).slice(0, 'YYYY-MM-DD'.length));
  const price = priceInUsd({
    amount: 10n ** BigInt(exponent + RATE_PLACES),
    currency,
    rate: rate?.usd_per_unit ?? null,
  });
  // A rate of nothing prices nothing.
  return price && price.usd_micro > 0n ? { of: 10n ** BigInt(RATE_PLACES) * MICRO, by: price.usd_micro } : null;
}

const whole = (units: bigint): Measure => ({ floor: units, ceil: units });

const NOTHING = whole(0n);

function between(of: bigint, by: bigint): Measure {
  const floor = of / by;
  return { floor, ceil: floor * by === of ? floor : floor + 1n };
}
