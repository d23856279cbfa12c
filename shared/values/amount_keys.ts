import { hash } from 'node:crypto';
import { assetKey, assets } from './assets.ts';
import { currencyCodes, minorUnitExponent } from './currencies.ts';
import { smallestUnits } from './money.ts';

const signs: Record<string, readonly string[]> = {
  $: ['USD', 'AUD', 'CAD', 'HKD', 'MXN', 'NZD', 'SGD'],
  '€': ['EUR'],
  '£': ['GBP'],
  '¥': ['JPY', 'CNY'],
  '₹': ['INR'],
};

/**
 * The `price_key`, in hex, of every event with this amount: `35.77` in each currency and known token with enough decimal places, `$35` in
 * dollars and dollar tokens, `35.77 EUR` in euros, `0.001 USDC` in that token on each network. Empty when the text is not an amount.
 */
export function amountKeys(text: string): string[] {
  const { sign, name, number } = parse(text) ?? {};
  if (number === undefined) return [];
  const meant = (currency: string) => (!name ? !sign || signs[sign]?.includes(currency) : currency === name);
  const money = currencyCodes.filter(meant).map(currency => keyOf(number, minorUnitExponent(currency) ?? 0, currency));
  const tokens = assets
    .filter(({ symbol, currency }) => (!name ? !sign || currency === signs[sign]?.[0] : symbol.toUpperCase() === name))
    .map(({ decimals, network, address }) => keyOf(number, decimals, assetKey(network, address)));
  return [...money, ...tokens].filter(key => key !== null);
}

/** The US cents that a text may mean: `366.92`, `$366.92` or `366.92 USD`. Null when it means no such amount. */
export function usdCents(text: string): string | null {
  const { sign, name, number } = parse(text) ?? {};
  if (number === undefined || (sign && sign !== '$') || (name && name !== 'USD')) return null;
  return smallestUnits(number, 2)?.toString() ?? null;
}

/** The sign or the name of the currency, or neither, and the number of an amount. */
function parse(text: string): { sign: string; name: string; number: string } | null {
  const [, sign = '', before = '', digits = '', after = ''] =
    /^([$€£¥₹]?)([a-z]{3}(?= ?\d))? ?((?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:\.\d{1,30})?) ?([a-z.]{3,8})?$/i.exec(text) ??
    [];
  if (digits === '' || (before !== '' && after !== '')) return null;
  return { sign, name: (before || after).toUpperCase(), number: digits.replaceAll(',', '') };
}

function keyOf(number: string, places: number, denomination: string): string | null {
  const units = smallestUnits(number, places);
  return units === null ? null : priceKey(units.toString(), denomination);
}

/** The `price_key`, in hex, of so many of the smallest units of a currency or asset, as `event_columns.ts` computes it from the reported amount. */
export const priceKey = (units: string, denomination: string): string =>
  hash('sha256', `${units} ${denomination}`, 'hex').slice(0, 16);
