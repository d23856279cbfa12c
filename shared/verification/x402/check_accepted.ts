import type { Checklist } from '#shared/verification/checklist.ts';
import type { PaymentPayload } from './payment_payload.ts';
import { type Offered, sameTerms, type PaymentTerms } from './terms.ts';

/** The terms a payment was made on: those it names (version 2), else those it meets best among the offered ones (version 1). */
export function findTerms(
  { accepted, scheme, network, transfer }: PaymentPayload,
  { terms }: Offered,
): PaymentTerms | null {
  if (accepted) return accepted;
  const alike = terms.filter(item => item.network !== null && item.network === network && item.scheme === scheme);
  const met = alike.find(
    item => transfer.method !== 'opaque' && item.pay_to === transfer.to && item.amount === transfer.value,
  );
  return met ?? alike[0] ?? null;
}

/** Notes whether the seller had offered what was accepted, where the event shows what was offered. */
export function checkAccepted(list: Checklist, payload: PaymentPayload, offered: Offered): void {
  if (!offered.given) return list.skip('accepted', 'no x402.payment_required to compare with');
  if (offered.fault) return void list.fail('accepted', 'invalid_payment_requirements', offered.fault);
  const { accepted } = payload;
  const is_offered = accepted
    ? offered.terms.some(item => sameTerms(accepted, item))
    : findTerms(payload, offered) !== null;
  if (!is_offered && offered.erased) return void list.open('accepted', 'evidence_erased');
  list.check('accepted', is_offered, 'accepted_not_offered', 'none of the offered terms is the accepted one');
}
