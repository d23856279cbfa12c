import { hash } from 'node:crypto';
import { canonicalJson, NotCanonical } from '#shared/json/canonical_json.ts';
import { fold } from '#shared/values/fold.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { parseRfc3339 } from '#shared/values/rfc3339.ts';
import { isMinorUnits } from '#shared/verification/ap2/amounts.ts';
import { type Checklist, createChecklist } from './checklist.ts';
import { decodeBase64url } from '#shared/verification/jose/base64url.ts';
import { isObject, type JsonObject, quoted, readJson, textOf } from './json.ts';
import { algorithmOf, signatureHolds } from '#shared/verification/jose/signature.ts';
import type { Evidence, Outcome, VerificationInput, Verifier } from './verifier.ts';

/**
 * The allowance of a delegated payment (Agentic Commerce Protocol, rfc.delegate_payment): what a token may be used for. The evidence is the
 * request, or `{request, headers}` or `{request, signature}`. Unsigned, it is a mere claim and stays inconclusive.
 */
export const acpAllowance: Verifier = { kind: 'acp_allowance', version: '1', reads: ['acp.delegate_payment'], verify };

function verify(evidence: Evidence, { event, keys }: VerificationInput): Outcome {
  const list = createChecklist();
  const sent = openRequest(list, evidence);
  if (!sent) return list.outcome();
  const { allowance } = sent.request;
  if (!isObject(allowance)) {
    list.fail('allowance', 'malformed_allowance', 'The request has no allowance');
    return list.outcome();
  }
  checkAllowance(list, allowance, event);
  checkSignature(list, sent, keys, event.occurred_at);
  const canonical = canonicalOf(allowance);
  // Without its checkout, allowances of the same terms cannot be told apart.
  if (canonical && textOf(allowance, 'checkout_session_id'))
    list.once({ scope: 'acp_allowance', value: hash('sha256', canonical, 'base64url'), code: 'allowance_used' });
  return list.outcome();
}

type SignedRequest = { request: JsonObject; signature: string | null };

function openRequest(list: Checklist, { value }: Evidence): SignedRequest | null {
  if (value === null) {
    list.open('request', 'evidence_erased');
    return null;
  }
  const sent = typeof value === 'string' ? readJson(Buffer.from(value)) : value;
  const request = isObject(sent) ? (sent['request'] ?? sent['delegate_payment_request'] ?? sent) : null;
  if (isObject(sent) && isObject(request)) return { request, signature: signatureOf(sent) };
  list.fail('request', 'malformed_allowance', 'It must be a request to delegate a payment, in JSON');
  return null;
}

function signatureOf(sent: JsonObject): string | null {
  const { headers } = sent;
  if (!isObject(headers)) return textOf(sent, 'signature');
  const name = Object.keys(headers).find(header => header.toLowerCase() === 'signature');
  return name === undefined ? null : textOf(headers, name);
}

function checkAllowance(list: Checklist, allowance: JsonObject, event: ReportedEvent): void {
  const { reason, max_amount, currency } = allowance;
  list.check('reason', reason === 'one_time', 'malformed_allowance', `reason ${quoted(reason)} is not one_time`);
  const limit = isMinorUnits(max_amount) ? BigInt(max_amount) : null;
  const { value } = event.amount;
  if (limit === null || typeof currency !== 'string' || !/^[a-z]{3}$/.test(currency))
    list.fail('amount', 'malformed_allowance', 'It must have a max_amount in minor units and a currency in lower case');
  else if (event.amount.currency === null)
    list.open(
      'amount',
      'amount_not_comparable',
      `${quoted(currency)} were allowed, ${event.amount.denomination} was paid`,
    );
  else {
    const same = currency.toUpperCase() === event.amount.currency;
    list.check('currency', same, 'currency_mismatch', `It is in ${currency}, the event in ${event.amount.currency}`);
    list.check(
      'amount',
      value <= limit,
      'amount_exceeded',
      `It allows ${limit} minor units, the event is for ${value}`,
    );
  }
  checkMerchant(list, textOf(allowance, 'merchant_id'), event);
  checkExpiry(list, allowance['expires_at'], event.occurred_at);
}

/** The merchant's id is the last part of a `merchant:` key; without one, it can only agree with the payee's name. */
function checkMerchant(list: Checklist, merchant_id: string | null, { payee }: ReportedEvent): void {
  if (!merchant_id) {
    list.fail('payee', 'malformed_allowance', 'It must name a merchant_id');
    return;
  }
  const id = payee.key.startsWith('merchant:') ? payee.key.slice(payee.key.lastIndexOf(':') + 1) : null;
  const detail = `It is for ${quoted(merchant_id)}, the event pays ${quoted(id)}`;
  if (id !== null) list.check('payee', id === merchant_id, 'payee_mismatch', detail);
  else if (payee.name !== null && fold(payee.name) === fold(merchant_id)) list.pass('payee');
  else
    list.open(
      'payee',
      'payee_not_comparable',
      'The allowance and the event name the payee in ways that cannot be compared',
    );
}

/** A token expires at `expires_at`. */
function checkExpiry(list: Checklist, expires_at: unknown, at: number): void {
  const time = typeof expires_at === 'string' ? parseRfc3339(expires_at.slice(0, 64)) : null;
  if (!time?.ok) list.fail('validity', 'malformed_allowance', 'It must have an expires_at (RFC 3339)');
  else list.check('validity', at < time.value, 'allowance_expired', `It was good until ${quoted(expires_at)}`);
}

/** The most keys tried: requests name none, so all trusted agents' keys are tried. */
const MOST_TRIES = 16;

/** The `Signature` header: base64url over the canonical JSON (RFC 8785) of the request, by a key and an algorithm agreed beforehand. */
function checkSignature(
  list: Checklist,
  { request, signature: text }: SignedRequest,
  keys: VerificationInput['keys'],
  at: number,
): void {
  if (text === null) {
    list.open('signature', 'unsigned', 'It is not signed');
    return;
  }
  const signature = decodeBase64url(text);
  const signed = canonicalOf(request);
  if (!signature || !signed) {
    list.fail('signature', 'malformed_signature', 'It must be base64url, over a request that has canonical JSON');
    return;
  }
  const agent_keys = keys.find({ use: 'agent', at }).slice(0, MOST_TRIES);
  const signer = agent_keys.find(({ jwk }) => signatureHolds({ alg: algorithmOf(jwk) ?? '', signed, signature }, jwk));
  if (signer) list.pass('signature', `Signed by the trusted key ${quoted(signer.kid)}`);
  else list.open('signature', 'key_unknown', 'No key that was trusted for agents then made it');
}

function canonicalOf(value: JsonObject): Buffer | null {
  try {
    return Buffer.from(canonicalJson(value));
  } catch (error) {
    if (error instanceof NotCanonical) return null;
    throw error;
  }
}
