import { assetByKey, assetKey } from '#shared/values/assets.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { parseEvmAddress } from '#shared/values/evm_address.ts';
import { priceInUsd, type Rate, type Rates, type UsdValue } from '#shared/values/price_in_usd.ts';
import { parseNetwork } from '#shared/values/networks.ts';
import { type Parsed, parsed, unparsed } from '#shared/values/parsed.ts';
import { isSolanaAddress } from '#shared/values/solana_address.ts';
import type { ReportIssue } from '#shared/json/issues.ts';
import type { AmountInput } from './payment_input.ts';

/** Checks unit, currency and asset against each other and the registries and prices the amount; null when a problem was reported. */
export function normalizeAmount(
  amount: AmountInput,
  pricing: Pricing,
  report: ReportIssue,
  warn: ReportIssue,
): NormalizedAmount | null {
  const value = BigInt(amount.value);
  if (value > MAX_UINT256) {
    report('/payment/amount/value', 'too_big', 'must be at most 2^256−1');
    return null;
  }
  return amount.unit === 'minor'
    ? inCurrency(amount, value, pricing, report, warn)
    : inAsset(amount, value, pricing, report, warn);
}

/** `input` is the amount in its normal form; `usd` is null when it cannot be priced, `rate` where no rate was needed or there is none. */
export type NormalizedAmount = { input: AmountInput; usd: UsdValue | null; rate: Rate | null };

type Pricing = { rates: Rates; date: string };

const MAX_UINT256 = 2n ** 256n - 1n;

function inCurrency(
  amount: AmountInput,
  value: bigint,
  pricing: Pricing,
  report: ReportIssue,
  warn: ReportIssue,
): NormalizedAmount | null {
  const { currency, asset } = amount;
  if (asset)
    report('/payment/amount/asset', 'not_allowed', 'must be left out with unit minor; for a token send unit atomic');
  if (currency === undefined) report('/payment/amount/currency', 'required', 'is required with unit minor');
  else if (minorUnitExponent(currency) === null) {
    report(
      '/payment/amount/currency',
      'unknown_currency',
      'must be an active ISO 4217 code of a currency with a minor unit, such as USD',
    );
  }
  if (asset || currency === undefined) return null;
  const rate = rateOf(currency, pricing);
  const usd = priceInUsd({ amount: value, currency, rate: rate?.usd_per_unit ?? null });
  if (!usd) warn('/payment/amount/currency', 'not_priced', unpricedText(rate, pricing.date));
  return { input: amount, usd, rate: usd && rate };
}

function inAsset(
  amount: AmountInput,
  value: bigint,
  pricing: Pricing,
  report: ReportIssue,
  warn: ReportIssue,
): NormalizedAmount | null {
  const { currency, asset } = amount;
  if (currency !== undefined)
    report(
      '/payment/amount/currency',
      'not_allowed',
      'must be left out with unit atomic; for a currency send unit minor',
    );
  if (!asset) report('/payment/amount/asset', 'required', 'is required with unit atomic');
  if (currency !== undefined || !asset) return null;
  const network = parseNetwork(asset.network);
  if (!network.ok) {
    report('/payment/amount/asset/network', 'invalid_format', network.expected);
    return null;
  }
  const address = assetAddress(network.value, asset.address);
  if (!address.ok) {
    report('/payment/amount/asset/address', 'invalid_format', address.expected);
    return null;
  }
  const registered = assetByKey(assetKey(network.value, address.value));
  if (registered && asset.decimals !== undefined && asset.decimals !== registered.decimals) {
    report(
      '/payment/amount/asset/decimals',
      'decimals_mismatch',
      `must be ${registered.decimals}, the decimals of ${registered.symbol} at this address`,
    );
    return null;
  }
  const rate = registered && rateOf(registered.currency, pricing);
  const usd = priceInUsd({ amount: value, asset: registered, rate: rate?.usd_per_unit ?? null });
  if (!registered)
    warn('/payment/amount/asset', 'unknown_asset', 'is not in the asset registry, so the amount is not priced in USD');
  else if (!usd) warn('/payment/amount/asset', 'not_priced', unpricedText(rate, pricing.date));
  return {
    input: { ...amount, asset: { ...asset, network: network.value, address: address.value } },
    usd,
    rate: usd && rate,
  };
}

/** What a unit of a currency, or of a token that stands for it, is priced by; null: dollars need no rate, or there is none. */
const rateOf = (currency: string, { rates, date }: Pricing): Rate | null =>
  currency === 'USD' ? null : rates.rateFor(currency, date);

const unpricedText = (rate: Rate | null, date: string) =>
  rate
    ? 'comes to more dollars than can be stored, so the amount is not priced in USD'
    : `has no exchange rate for ${date}, so the amount is not priced in USD`;

/** The address of a token on a network (CAIP-2) in its one form. */
export function assetAddress(network: string, address: string): Parsed<string> {
  if (network.startsWith('eip155:')) return parseEvmAddress(address);
  if (!network.startsWith('solana:') || isSolanaAddress(address)) return parsed(address);
  return unparsed('must be a Solana mint address: 32 bytes in base58');
}
