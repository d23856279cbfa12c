import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { currencyText, shifted } from '#shared/values/money.ts';

/** Minor units of a currency or atomic units of a registered asset as people write them; anything else as it is. */
export function moneyText(value: string, terms: Record<string, unknown> | undefined): string {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(value)) return value;
  const currency = terms?.['currency'];
  if (typeof currency === 'string') return currencyText(value, currency);
  const { network, address } = (terms?.['asset'] ?? {}) as { network?: unknown; address?: unknown };
  if (typeof network !== 'string' || typeof address !== 'string') return value;
  const asset = assetByKey(assetKey(network, address));
  return asset ? `${decimalText(value, asset.decimals)} ${asset.symbol}` : `${value} atomic units of ${address}`;
}

/** A decimal string divided by a power of ten, exactly; as many places as the unit has, two at most where they are zeros. */
export function decimalText(value: string, places: number): string {
  const [whole = '', fraction = ''] = value.split('.');
  const [units = '', decimals = ''] = shifted(whole + fraction, places + fraction.length).split('.');
  const grouped = units.replace(/\B(?=(?:\d{3})+$)/g, ',');
  const shown = decimals.padEnd(Math.min(places, 2), '0');
  return shown === '' ? grouped : `${grouped}.${shown}`;
}
