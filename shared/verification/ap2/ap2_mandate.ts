import { hash } from 'node:crypto';
import { type Hop, readChain } from './chain.ts';
import { checkCheckout, judgeCheckout, readClosedCheckout } from './checkout.ts';
import { INVALID_CREDENTIAL, MANDATE_REPLAYED, MANDATE_SCOPE_MISMATCH } from './codes.ts';
import { type Content, type Delegated, readContent } from './content.ts';
import { checkDelegation, checkTimes } from './delegation.ts';
import { checkIssuer } from './issuer.ts';
import { openMandateHash, openMandateOf } from './open_mandate.ts';
import { checkFixedFields, checkPayment, readClosedPayment } from './payment.ts';
import { checkConstraints, judgePayment } from './payment_constraints.ts';
import { type Checklist, createChecklist } from '#shared/verification/checklist.ts';
import { isObject, type JsonObject, readJson, textOf } from '#shared/verification/json.ts';
import type { Evidence, Outcome, VerificationInput, Verifier } from '#shared/verification/verifier.ts';

/**
 * AP2 v0.2 mandates: chains of SD-JWTs (RFC 9901, draft-gco-oauth-delegate-sd-jwt-00), from what a person allowed (open) to what an agent
 * made of it (closed), or a closed mandate that the person signed. The closed mandate is compared with the open ones and the event. Budgets
 * and recurrences need earlier payments and are left to mandates.
 */
export const ap2Mandate: Verifier = {
  kind: 'ap2_mandate',
  version: '1',
  reads: ['ap2.payment_mandate', 'ap2.checkout_mandate'],
  verify,
};

function verify(evidence: Evidence, input: VerificationInput): Outcome {
  const list = createChecklist();
  const hops = openChain(list, evidence);
  if (!hops) return list.outcome();
  const [first] = hops;
  const issuer = first ? checkIssuer(list, first, input) : null;
  const delegated = checkDelegation(list, hops);
  checkTimes(list, hops, input.event.occurred_at);
  const family = evidence.kind === 'ap2.checkout_mandate' ? 'checkout' : 'payment';
  const content = readContent(list, hops, family);
  if (!content) return list.outcome();
  checkContent[family](list, content, input);
  // A forged signature must not use up a genuine mandate.
  if (content.closed && delegated && (issuer || hops.length > 1)) useOnce(list, content.closed);
  const [open] = content.opens;
  return list.outcome(
    issuer && open?.whole && open.hop === first && family === 'payment' ? openMandateOf(open, issuer.name) : undefined,
  );
}

function openChain(list: Checklist, { value }: Evidence): Hop[] | null {
  if (value === null) {
    list.open('chain', 'evidence_erased');
    return null;
  }
  if (isEarlierVersion(value)) {
    list.open('chain', 'version_not_supported', 'It is a mandate of AP2 before v0.2, which is not verified here');
    return null;
  }
  const chain = typeof value === 'string' ? readChain(value.trim()) : null;
  if (chain?.ok) {
    list.pass('chain', chain.value.length === 1 ? '1 hop' : `${chain.value.length} hops`);
    return chain.value;
  }
  list.fail('chain', INVALID_CREDENTIAL, chain ? chain.expected : 'It must be the compact text of an SD-JWT chain');
  return null;
}

/** Before v0.2 mandates were objects (PaymentMandate, CartMandate and IntentMandate of AP2 v0.1), which is no fault. */
function isEarlierVersion(value: string | JsonObject): boolean {
  const mandate = typeof value === 'string' && value.trimStart().startsWith('{') ? readJson(Buffer.from(value)) : value;
  return isObject(mandate) && earlierMembers.some(name => Object.hasOwn(mandate, name));
}

const earlierMembers = ['payment_mandate_contents', 'merchant_authorization', 'natural_language_description'];

const checkContent = { payment: checkPaymentContent, checkout: checkCheckoutContent };

function checkPaymentContent(
  list: Checklist,
  { opens, closed }: Content,
  { event, evidence }: VerificationInput,
): void {
  const payment = closed ? readClosedPayment(list, closed) : noClosedMandate(list);
  if (!payment || !closed) return;
  const checkouts = readReportedCheckouts(evidence);
  const { occurred_at, payee } = event;
  const context = { occurred_at, payee, checkout_hashes: checkouts?.hashes ?? null };
  for (const open of opens) {
    checkFixedFields(list, open, payment, event);
    checkConstraints(list, open.mandate, judgePayment(payment, context));
  }
  checkPayment(list, payment, event);
  checkTransaction(list, payment.transaction_id, closed, checkouts);
}

/** `transaction_id` is the hash of the paid checkout. */
function checkTransaction(list: Checklist, id: string, { hop }: Delegated, checkouts: ReportedCheckouts | null): void {
  if (!checkouts) {
    list.skip('transaction_id', 'The checkout was not reported');
    return;
  }
  const is_reported = checkouts.jwts.some(jwt => hop.digest(jwt) === id);
  list.check(
    'transaction_id',
    is_reported,
    MANDATE_SCOPE_MISMATCH,
    'It is not the hash of the checkout that was reported',
  );
}

function checkCheckoutContent(list: Checklist, { opens, closed }: Content, { event }: VerificationInput): void {
  const checkout = closed ? readClosedCheckout(list, closed) : noClosedMandate(list);
  if (!checkout) return;
  for (const open of opens) checkConstraints(list, open.mandate, judgeCheckout(checkout, event));
  checkCheckout(list, checkout, event);
}

function noClosedMandate(list: Checklist): null {
  list.open('closed_mandate', 'closed_mandate_missing', 'An open mandate alone does not say what it was used for');
  return null;
}

/**
 * A closed mandate pays once. It is identified by what its signature covers: a signature has two valid forms, and disclosures may be
 * omitted, but neither makes it another mandate.
 */
const useOnce = (list: Checklist, { hop }: Delegated): void =>
  list.once({ scope: 'ap2_mandate', value: hash('sha256', hop.jwt.signed, 'base64url'), code: MANDATE_REPLAYED });

/** The checkouts reported with a payment: their JWTs, and everything their open mandates may be referred to by. */
type ReportedCheckouts = { jwts: string[]; hashes: ReadonlySet<string> };

/** Reads the checkout mandates among the evidence; null when none can be read. They are verified elsewhere. */
function readReportedCheckouts(evidence: readonly Evidence[]): ReportedCheckouts | null {
  const jwts: string[] = [];
  const hashes: string[] = [];
  for (const { kind, value } of evidence) {
    const chain = kind === 'ap2.checkout_mandate' && typeof value === 'string' ? readChain(value.trim()) : null;
    if (!chain?.ok) continue;
    jwts.push(...(chain.value.at(-1)?.mandates ?? []).flatMap(mandate => textOf(mandate, 'checkout_jwt') ?? []));
    hashes.push(...chain.value.slice(0, -1).flatMap(namesOf));
  }
  return jwts.length === 0 ? null : { jwts, hashes: new Set(hashes) };
}

/** `payment.reference` is the `sd_hash` of the open checkout mandate; that of its JWT alone, or of its canonical JSON, is accepted too. */
const namesOf = ({ digest, token, text, mandates }: Hop): string[] => [
  digest(token),
  digest(text),
  ...mandates.flatMap(mandate => openMandateHash(mandate) ?? []),
];
