import { timestamp } from '#shared/values/time.ts';
import type { Checklist } from '#shared/verification/checklist.ts';
import type { VerificationInput } from '#shared/verification/verifier.ts';
import { checkAmount, checkAsset, checkNetwork, checkPayee, isAfterwards, isPartial } from './against_event.ts';
import type { OfferPayload } from './artifact_payloads.ts';
import { checkSigner } from './check_seller_signature.ts';
import { findPaymentPayload } from './payment_payload.ts';
import { checkResource } from './resource.ts';
import type { SignedArtifact } from './signed_artifact.ts';
import { readOffered, readTerms, type PaymentTerms } from './terms.ts';

const MISMATCH = 'offer_terms_mismatch';

/** Notes whether a seller signed an offer, and whether it was the one that was accepted and paid, in time. */
export async function checkOffer(
  list: Checklist,
  input: VerificationInput,
  { payload: offer, proof }: SignedArtifact<OfferPayload>,
): Promise<void> {
  await checkSigner(list, input, { proof, seller: { account: offer.payTo, resource_url: offer.resourceUrl } });
  const terms = readTerms(offer);
  if (terms.ok) {
    checkAccepted(list, input, terms.value);
    checkEvent(list, input, offer, terms.value);
  } else list.fail('terms', MISMATCH, `they cannot have been accepted: ${terms.reason}`);
  checkEnd(list, input, offer.validUntil);
}

function checkEnd(list: Checklist, { event }: VerificationInput, valid_until: number): void {
  if (valid_until === 0) return list.skip('valid_until', 'the offer has no end');
  if (isAfterwards(event)) return list.skip('valid_until', `not judged for ${event.type}`);
  const at = Math.floor(event.occurred_at / 1000);
  const detail = `valid until ${valid_until}, the event occurred at ${at} (${timestamp(event.occurred_at)})`;
  list.check('valid_until', at <= valid_until, 'offer_expired', detail);
}

/** What was accepted says the payload; without one, what could be accepted says the answer that asked for payment. */
function checkAccepted(list: Checklist, { evidence }: VerificationInput, terms: PaymentTerms): void {
  const payload = findPaymentPayload(evidence);
  const offered = readOffered(evidence);
  const among = payload?.accepted ? [payload.accepted] : offered.terms;
  if (among.length === 0) return list.skip('terms', 'neither accepted nor asked-for terms to compare with');
  list.check(
    'terms',
    among.some(item => isSame(terms, item)),
    MISMATCH,
    'the terms are not those that were accepted',
  );
}

const isSame = (one: PaymentTerms, other: PaymentTerms): boolean =>
  one.scheme === other.scheme &&
  one.network === other.network &&
  one.asset === other.asset &&
  one.pay_to === other.pay_to &&
  one.amount === other.amount;

function checkEvent(
  list: Checklist,
  { event, evidence }: VerificationInput,
  offer: OfferPayload,
  terms: PaymentTerms,
): void {
  const { asset, pay_to: address, amount: value } = terms;
  const network = offer.network;
  checkNetwork(list, event, network, MISMATCH);
  checkAsset(list, event, { network, asset, code: MISMATCH });
  checkPayee(list, event, { network, address, resource_url: offer.resourceUrl, code: MISMATCH });
  const relation = offer.scheme === 'upto' || isPartial(event) ? 'at_least' : 'equal';
  checkAmount(list, event, { amount: { network, asset, value }, relation, code: MISMATCH });
  checkResource(list, { event, evidence, signed: offer.resourceUrl, code: MISMATCH });
}
