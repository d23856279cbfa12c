import { canonicalAddress } from '#shared/values/assets.ts';
import type { VerificationInput } from '#shared/verification/verifier.ts';
import { payeeAccount } from './against_event.ts';
import { findTerms } from './check_accepted.ts';
import { findPaymentPayload, type PaymentPayload } from './payment_payload.ts';
import { readOffered, type PaymentTerms } from './terms.ts';
import type { SettlementResponse } from './settlement_response.ts';

/**
 * The transfer that a settlement claims, combined from the payer's authorization, the response, and the event. Null marks what none of them
 * says; addresses in lower case on EVM chains.
 */
export type ClaimedTransfer = {
  asset: string | null;
  from: string | null;
  to: string | null;
  /** The amount settled, if stated or implied by the scheme. */
  value: bigint | null;
  /** Of EIP-3009. */
  nonce: string | null;
  resource_url: string | null;
  authorization: Authorization | null;
};

/** What the payer authorized: all of `value`, or up to it. */
type Authorization = { network: string | null; from: string | null; value: bigint | null; exact: boolean };

export function readClaim(
  { event, evidence }: VerificationInput,
  network: string,
  response: SettlementResponse,
): ClaimedTransfer {
  const payload = findPaymentPayload(evidence);
  const terms = payload && findTerms(payload, readOffered(evidence));
  const transfer = payload?.transfer ?? null;
  const signed = transfer && transfer.method !== 'opaque' ? transfer : null;
  const authorization = payload && authorizationOf(payload, terms);
  const asset = event.amount.asset;
  const account = payeeAccount(event.payee.key);
  return {
    asset: terms?.asset ?? (asset?.network === network ? canonicalAddress(network, asset.address) : null),
    from: transfer?.from ?? response.payer,
    to: signed?.to ?? terms?.pay_to ?? (account?.startsWith(`${network}/`) ? account.slice(network.length + 1) : null),
    value: response.amount ?? (authorization?.exact ? authorization.value : null),
    nonce: signed?.method === 'eip3009' ? signed.nonce : null,
    resource_url: terms?.resource_url ?? payload?.resource_url ?? null,
    authorization,
  };
}

function authorizationOf({ network, scheme, transfer }: PaymentPayload, terms: PaymentTerms | null): Authorization {
  const value = transfer.method === 'opaque' ? (terms?.amount ?? null) : transfer.value;
  return { network, from: transfer.from, value, exact: scheme === 'exact' };
}
