import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { decimalText } from '#shared/mandates/money_text.ts';

/** What a constraint counts money in. */
export type Denomination = { currency?: string; asset?: { network: string; address: string } };

export const denominationOf = (constraint: Record<string, unknown>): Denomination => constraint as Denomination;

/** Decimal places that people write amounts with; 0 for a token that is not known here, which is counted in atomic units. */
export function placesOf({ currency, asset }: Denomination): number {
  if (asset) return assetByKey(assetKey(asset.network, asset.address))?.decimals ?? 0;
  return minorUnitExponent(currency ?? '') ?? 2;
}

/** What amounts are written in, for a label: `USD`, `USDC`, `atomic units`. */
export function unitName({ currency, asset }: Denomination): string {
  if (asset) return assetByKey(assetKey(asset.network, asset.address))?.symbol ?? 'atomic units';
  return currency ?? '';
}

/**
 * An amount as people type it (`12.50`, `0.001`) in digits of the smallest unit, or null when it is none or has too many places. A comma
 * is refused: it groups thousands for some, and begins the decimals for others.
 */
export function digitsOf(text: string, places: number): string | null {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > places) return null;
  return (whole + fraction.padEnd(places, '0')).replace(/^0+(?=\d)/, '');
}

/** The inverse, for a field. Digits that are none come back as they are. */
export const typedOf = (digits: string, places: number): string =>
  /^\d+$/.test(digits) ? decimalText(digits, places).replaceAll(',', '') : digits;
