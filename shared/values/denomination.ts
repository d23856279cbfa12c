import { assetByKey, assetKey } from './assets.ts';
import { minorUnitExponent } from './currencies.ts';

/** How an amount is counted: in minor units of a currency, or atomic units of an asset. */
export type Denominated = { currency?: string | undefined; asset?: { network: string; address: string } | undefined };

/** The code of a currency, or the key of an asset; empty for neither. */
export const denominationOf = ({ currency, asset }: Denominated): string =>
  currency ?? (asset ? assetKey(asset.network, asset.address) : '');

/** The currency that a currency or a registered token is worth, and how many decimals its units have; null for other tokens. */
export function worthOf(denomination: string): { currency: string; decimals: number } | null {
  const decimals = minorUnitExponent(denomination);
  return decimals === null ? assetByKey(denomination) : { currency: denomination, decimals };
}
