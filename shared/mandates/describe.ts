import { assetByKey, assetKey } from '#shared/assets.ts';
import { minorUnitExponent } from '#shared/currencies.ts';
import type { ConstraintResult } from '#shared/mandates/evaluation.ts';

/** A constraint as it stands in a mandate: of a known type, or of one that only its signer knows. */
type Terms = { type: string } & Record<string, unknown>;

/** One sentence for people about how a constraint came out: what was observed, and what is allowed. */
export function describeResult(result: ConstraintResult, terms: Terms | undefined): string {
  const { type, code, observed, limit } = result;
  const name = type.replace(/^(payment|mandate)\./, '').replaceAll('_', ' ');
  const text = (value: string | null) => (value === null ? 'nothing known' : moneyText(value, terms));
  if (type === 'payment.budget')
    return `budget (${String(terms?.['interval'] ?? '').replace('per_mandate', 'the whole mandate')}): ${text(observed)} with this payment, ${text(limit)} allowed`;
  return `${name}: ${text(observed)}${limit === null ? '' : `, allowed ${text(limit)}`}${code ? ` (${code})` : ''}`;
}

/** Minor units of a currency or atomic units of a registered asset as people write them; anything else as it is. */
function moneyText(value: string, terms: Terms | undefined): string {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(value)) return value;
  const currency = terms?.['currency'];
  if (typeof currency === 'string') return `${shifted(value, minorUnitExponent(currency) ?? 0)} ${currency}`;
  const { network, address } = (terms?.['asset'] ?? {}) as { network?: unknown; address?: unknown };
  if (typeof network !== 'string' || typeof address !== 'string') return value;
  const asset = assetByKey(assetKey(network, address));
  return asset ? `${shifted(value, asset.decimals)} ${asset.symbol}` : value;
}

/** A decimal string divided by a power of ten, exactly; at least two places where there are any. */
function shifted(value: string, places: number): string {
  const [whole = '', fraction = ''] = value.split('.');
  const padded = whole.padStart(places + 1, '0');
  const cut = padded.length - places;
  const decimals = (padded.slice(cut) + fraction).replace(/0+$/, '');
  const grouped = padded.slice(0, cut).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return places === 0 && decimals === '' ? grouped : `${grouped}.${decimals.padEnd(2, '0')}`;
}
