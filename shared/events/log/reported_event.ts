import { assetKey } from '#shared/values/assets.ts';
import type { EventType, PaymentStatus, Rail } from '#shared/values/event_types.ts';

/** An event as verifiers and mandates read it: what was reported, in its normal form. Times are milliseconds since 1970. */
export type ReportedEvent = {
  id: string;
  type: EventType;
  occurred_at: number;
  environment: string;
  source_id: string;
  agent_id: string;
  owner_id: string;
  mandate_id: string | null;
  payment_id: string;
  rail: Rail;
  status: PaymentStatus;
  amount: ReportedAmount;
  /** Micro-USD; null when the amount could not be priced. */
  usd_micro: bigint | null;
  payee: { key: string; type: string | null; name: string | null; country: string | null };
  resource_url: string | null;
  category: string | null;
  instrument: { type: string | null; id: string | null; last4: string | null } | null;
  human_present: boolean | null;
  /** Kinds of evidence that came with it. */
  evidence_kinds: readonly string[];
  /** It was emptied: what it does not say here it may have said. */
  erased?: true;
};

/** Minor units of a currency, or atomic units of an asset (`network` CAIP-2). */
type ReportedAmount = {
  value: bigint;
  /** `USD`, or `<CAIP-2>/<address>` with EVM addresses in lower case. */
  denomination: string;
  currency: string | null;
  asset: { network: string; address: string; decimals: number | null } | null;
};

/** What an event has outside its normal form. */
export type ReportedRow = Pick<
  ReportedEvent,
  | 'id'
  | 'type'
  | 'occurred_at'
  | 'environment'
  | 'source_id'
  | 'agent_id'
  | 'owner_id'
  | 'mandate_id'
  | 'payment_id'
  | 'rail'
  | 'usd_micro'
>;

/** An amount as the normal form has it. */
export type NormalAmount = {
  value: string;
  currency?: string;
  asset?: { network: string; address: string; decimals?: number };
};

/** The members of the normal form that are read here; `event_normalize.ts` writes it. */
type NormalForm = {
  payment: {
    status: PaymentStatus;
    amount: NormalAmount;
    payee: { key: string; type?: string; name?: string; country?: string };
  };
  resource_url?: string;
  category?: string;
  instrument?: { type?: string; id?: string; last4?: string };
  context?: { human_present?: boolean };
  evidence?: { kind: string }[];
  erased?: object;
};

/** The event of a row, with what its normal form (the text of `events.input`) says. */
export function reportedEvent(row: ReportedRow, input: string): ReportedEvent {
  const { payment, resource_url, category, instrument, context, evidence, erased } = JSON.parse(input) as NormalForm;
  const { payee } = payment;
  return {
    ...row,
    status: payment.status,
    amount: reportedAmount(payment.amount),
    payee: {
      key: payee.key,
      type: payee.type ?? null,
      name: payee.name ?? null,
      country: payee.country ?? null,
    },
    resource_url: resource_url ?? null,
    category: category ?? null,
    instrument: instrument
      ? { type: instrument.type ?? null, id: instrument.id ?? null, last4: instrument.last4 ?? null }
      : null,
    human_present: context?.human_present ?? null,
    evidence_kinds: (evidence ?? []).map(item => item.kind),
    ...(erased && { erased: true as const }),
  };
}

/** An amount, from how the normal form has it. */
export const reportedAmount = ({ value, currency, asset }: NormalAmount): ReportedAmount => ({
  value: BigInt(value),
  denomination: currency ?? (asset ? assetKey(asset.network, asset.address) : ''),
  currency: currency ?? null,
  asset: asset ? { network: asset.network, address: asset.address, decimals: asset.decimals ?? null } : null,
});
