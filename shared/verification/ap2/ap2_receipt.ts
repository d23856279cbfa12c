import { hash } from 'node:crypto';
import type { PaymentStatus } from '#shared/values/event_types.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { readChain } from './chain.ts';
import { type Checklist, createChecklist } from '#shared/verification/checklist.ts';
import { type JsonObject, quoted, textOf } from '#shared/verification/json.ts';
import { type Jwt, parseJwt } from '#shared/verification/jose/jws.ts';
import { isAlgorithm } from '#shared/verification/jose/signature.ts';
import { findSigner, speaksFor } from '#shared/verification/jose/signer.ts';
import { findTimeFault, isTime } from '#shared/verification/jose/times.ts';
import { MINUTE } from '#shared/values/time.ts';
import type { Evidence, Outcome, VerificationInput, Verifier } from '#shared/verification/verifier.ts';

/**
 * AP2 v0.2 receipts (payment_receipt.json, checkout_receipt.json): a JWT in which the verifier of a closed mandate states the outcome. The
 * keys are those trusted for receipts: recipients of payments sign them, not issuers of mandates.
 */
export const ap2Receipt: Verifier = {
  kind: 'ap2_receipt',
  version: '1',
  reads: ['ap2.payment_receipt', 'ap2.checkout_receipt'],
  verify,
};

function verify(evidence: Evidence, input: VerificationInput): Outcome {
  const list = createChecklist();
  const receipt = openReceipt(list, evidence);
  if (!receipt) return list.outcome();
  const { claims } = receipt;
  const signed = checkSigner(list, receipt, input);
  checkTimes(list, claims, input.event.occurred_at);
  const checkout = evidence.kind === 'ap2.checkout_receipt';
  checkReference(list, claims, input.evidence, checkout ? 'ap2.checkout_mandate' : 'ap2.payment_mandate');
  checkStatus(list, claims, input.event.status);
  if (!checkout) checkPaymentId(list, claims, input.event);
  // A forged signature must not use up a genuine receipt.
  if (signed)
    list.once({ scope: 'ap2_receipt', value: hash('sha256', receipt.signed, 'base64url'), code: 'receipt_replayed' });
  return list.outcome();
}

function openReceipt(list: Checklist, { value }: Evidence): Jwt | null {
  if (value === null) {
    list.open('receipt', 'evidence_erased');
    return null;
  }
  const jwt = typeof value === 'string' ? parseJwt(value.trim()) : null;
  if (jwt?.ok) return jwt.value;
  list.fail('receipt', 'malformed_token', jwt ? `It ${jwt.expected}` : 'It must be the compact text of a JWT');
  return null;
}

function checkSigner(list: Checklist, receipt: Jwt, { keys, event }: VerificationInput): boolean {
  const { alg } = receipt.header;
  if (!isAlgorithm(alg)) {
    const detail = `alg ${quoted(alg)} is not one of ES256, ES384 and EdDSA`;
    return list.fail('signature', 'algorithm_not_allowed', detail);
  }
  const signer = findSigner(receipt, keys, 'receipt', event.occurred_at);
  if (signer.result === 'forged') return list.fail('signature', 'signature_mismatch', signer.why);
  if (signer.result === 'unknown')
    return list.open(
      'signature',
      'issuer_key_unknown',
      `No key ${quoted(receipt.header['kid'])} was trusted for receipts then`,
    );
  const { iss } = receipt.claims;
  const detail = `The key is ${quoted(signer.key.issuer)}'s, the receipt says it is from ${quoted(iss)}`;
  return list.pass('signature') && list.check('issuer', speaksFor(signer.key.issuer, iss), 'issuer_mismatch', detail);
}

/** A receipt follows its payment, so its time of issue proves nothing. */
function checkTimes(list: Checklist, claims: JsonObject, at: number): void {
  const fault = findTimeFault(claims, at, { exp: 5 * MINUTE, nbf: 5 * MINUTE, iat: Infinity });
  if (!isTime(claims['iat'])) list.fail('validity', 'malformed_token', 'iat is not a time');
  else if (fault) list.fail('validity', fault.kind === 'expired' ? 'token_expired' : 'token_not_valid', fault.detail);
  else list.pass('validity');
}

/**
 * `reference` is the hash of the closed mandate, computed like `sd_hash`; AP2's SDK computes it from the closed JWT alone, without
 * disclosures. Both identify one mandate only.
 */
function checkReference(list: Checklist, claims: JsonObject, evidence: readonly Evidence[], kind: string): void {
  const reference = textOf(claims, 'reference');
  if (!reference) {
    list.fail('reference', 'receipt_reference_mismatch', 'It names no mandate');
    return;
  }
  const references: string[] = [];
  for (const { kind: piece_kind, value } of evidence) {
    const chain = piece_kind === kind && typeof value === 'string' ? readChain(value.trim()) : null;
    const closed = chain?.ok ? chain.value.at(-1) : undefined;
    if (closed) references.push(closed.digest(closed.token), closed.digest(closed.text));
  }
  if (references.length === 0) list.open('reference', 'mandate_missing', `The ${kind} it refers to was not reported`);
  else {
    const detail = 'It is not the hash of the mandate that was reported';
    list.check('reference', references.includes(reference), 'receipt_reference_mismatch', detail);
  }
}

/** Statuses that contradict a receipt of `Success` or `Error`. A pending or canceled payment contradicts neither. */
const conflicts: ReadonlyMap<unknown, readonly PaymentStatus[]> = new Map([
  ['Success', ['failed']],
  ['Error', ['authorized', 'settled', 'refunded', 'partially_refunded', 'disputed']],
]);

function checkStatus(list: Checklist, { status }: JsonObject, reported: PaymentStatus): void {
  const conflicting = conflicts.get(status);
  if (!conflicting) {
    list.fail('status', 'malformed_token', `status ${quoted(status)} is neither Success nor Error`);
    return;
  }
  const detail = `The receipt says ${quoted(status)}, the event ${reported}`;
  list.check('status', !conflicting.includes(reported), 'receipt_status_conflict', detail);
}

/** Compares the payment with the ids in the receipt. */
function checkPaymentId(list: Checklist, claims: JsonObject, { payment_id }: ReportedEvent): void {
  const ids = ['payment_id', 'psp_confirmation_id', 'network_confirmation_id'].flatMap(
    name => textOf(claims, name) ?? [],
  );
  const detail = `The receipt is of payment ${quoted(claims['payment_id'])}, the event of ${quoted(payment_id)}`;
  // Issuers of receipts have their own payment numbers; the reference is what binds a receipt to a payment.
  if (ids.includes(payment_id)) list.pass('payment_id');
  else list.skip('payment_id', detail);
}
