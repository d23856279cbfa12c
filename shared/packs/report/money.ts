import { moneyText, decimalText } from '#shared/mandates/money_text.ts';
import type { PackEvent } from '#shared/packs/pack_files.ts';

/** Micro-dollars with all their digits: `$0.001`, `$1,234.56`. */
export const exactUsd = (usd_micro: bigint): string =>
  usd_micro < 0n ? `-$${decimalText(String(-usd_micro), 6)}` : `$${decimalText(String(usd_micro), 6)}`;

/** The amount of an event in its own unit: `480.00 USD`, `0.001 USDC`. For unregistered tokens it contains outside text. */
export const amountText = ({ value, currency, asset }: ReportAmount): string => moneyText(value, { currency, asset });

/** The unit of an amount: amounts of one unit can be added up. */
export const unitOf = ({ currency, asset }: ReportAmount): ReportUnit =>
  asset ? { asset: { network: asset.network, address: asset.address } } : { currency };

export type ReportAmount = Pick<PackEvent['payment']['amount'], 'value' | 'currency' | 'asset'>;
export type ReportUnit = Omit<ReportAmount, 'value'>;
