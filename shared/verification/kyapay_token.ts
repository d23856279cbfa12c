import { findAsset } from '#shared/values/assets.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { MINUTE } from '#shared/values/time.ts';
import { type Decimal, readDecimal } from '#shared/verification/ap2/amounts.ts';
import { hostOf } from '#shared/verification/ap2/merchants.ts';
import { type Checklist, createChecklist } from './checklist.ts';
import { isObject, type JsonObject, quoted, textOf } from './json.ts';
import { type Jwt, parseJwt } from '#shared/verification/jose/jws.ts';
import { findSigner, speaksFor } from '#shared/verification/jose/signer.ts';
import { findTimeFault, isTime } from '#shared/verification/jose/times.ts';
import type { Evidence, Outcome, VerificationInput, Verifier } from './verifier.ts';

/** KYAPay tokens (draft-skyfire-oauth-kyapay-token): whom an agent acts for (`kya`), and what it may pay with it (`pay`). */
export const kyapayToken: Verifier = { kind: 'kyapay_token', version: '1', reads: ['kyapay.token'], verify };

function verify(evidence: Evidence, input: VerificationInput): Outcome {
  const list = createChecklist();
  const token = openToken(list, evidence);
  if (!token) return list.outcome();
  const { claims, header } = token;
  const type = tokenTypes.get(String(header['typ']).toLowerCase());
  list.check('type', type !== undefined, 'malformed_token', `typ ${quoted(header['typ'])} is not a KYAPay token's`);
  const signed = checkSigner(list, token, input);
  checkTimes(list, claims, input.event.occurred_at);
  checkEnvironment(list, claims, input.event);
  checkPayee(list, claims, input.event);
  if (type?.pays) checkAmount(list, claims, input.event);
  else list.skip('amount', 'A token of identity carries no payment');
  const { jti, iss } = claims;
  const isIdentified = typeof jti === 'string' && jti !== '' && typeof iss === 'string';
  if (list.check('token_id', isIdentified, 'malformed_token', 'It must have an iss and a jti') && signed)
    list.once({ scope: 'kyapay_jti', value: JSON.stringify([iss, jti]), code: 'token_replayed' });
  return list.outcome();
}

/** As the draft spells them, and as its first versions did. */
const tokenTypes = new Map([
  ['kya+jwt', { pays: false }],
  ['pay+jwt', { pays: true }],
  ['kya-pay+jwt', { pays: true }],
  ['kya+pay+jwt', { pays: true }],
]);

function openToken(list: Checklist, { value }: Evidence): Jwt | null {
  if (value === null) {
    list.open('token', 'evidence_erased');
    return null;
  }
  const jwt = typeof value === 'string' ? parseJwt(value.trim()) : null;
  if (jwt?.ok) return jwt.value;
  list.fail('token', 'malformed_token', jwt ? `It ${jwt.expected}` : 'It must be the compact text of a JWT');
  return null;
}

/** ES256 only: the draft fixes the algorithm, the token does not choose it. */
function checkSigner(list: Checklist, token: Jwt, { keys, event }: VerificationInput): boolean {
  const { alg, kid } = token.header;
  if (alg !== 'ES256') return list.fail('signature', 'algorithm_not_allowed', `alg ${quoted(alg)} is not ES256`);
  const signer = findSigner(token, keys, 'kyapay', event.occurred_at);
  if (signer.result === 'forged') return list.fail('signature', 'signature_mismatch', signer.why);
  if (signer.result === 'unknown')
    return list.open('signature', 'issuer_key_unknown', `No key ${quoted(kid)} was trusted for KYAPay then`);
  const { iss } = token.claims;
  const detail = `The key is ${quoted(signer.key.issuer)}'s, the token says it is from ${quoted(iss)}`;
  return list.pass('signature') && list.check('issuer', speaksFor(signer.key.issuer, iss), 'issuer_mismatch', detail);
}

/** A token expires at the very second of `exp` (RFC 7519 §4.1.4); its issuer's clock may be ahead. */
const SKEW = { exp: -1, nbf: 0, iat: 5 * MINUTE };

function checkTimes(list: Checklist, claims: JsonObject, at: number): void {
  const fault = findTimeFault(claims, at, SKEW);
  if (!isTime(claims['exp']) || !isTime(claims['iat']))
    list.fail('validity', 'malformed_token', 'It must have an exp and an iat');
  else if (fault) list.fail('validity', fault.kind === 'expired' ? 'token_expired' : 'token_not_valid', fault.detail);
  else list.pass('validity');
}

function checkEnvironment(list: Checklist, { env }: JsonObject, { environment }: ReportedEvent): void {
  if (env === undefined) list.skip('environment', 'The token is for no environment in particular');
  else
    list.check(
      'environment',
      env === environment,
      'environment_mismatch',
      `It is for ${quoted(env)}, not ${environment}`,
    );
}

/** `aud` is the payee's account at the issuer and `tdm` (earlier `sdm`) its domain: compared when the payee key contains the same. */
function checkPayee(list: Checklist, { aud, sdm, tdm = sdm }: JsonObject, { payee }: ReportedEvent): void {
  const paid = payee.key.slice(payee.key.lastIndexOf(':') + 1);
  const account = /^merchant:(skyfire|kyapay):/.test(payee.key);
  const target = account ? aud : payee.key.startsWith('domain:') ? tdm : undefined;
  if (typeof target !== 'string') {
    list.skip('payee', 'The token and the event name the payee in ways that cannot be compared');
    return;
  }
  const same = (account ? target : hostOf(target)) === paid;
  list.check('payee', same, 'payee_mismatch', `It is for ${quoted(target)}, the event pays ${quoted(paid)}`);
}

function checkAmount(list: Checklist, claims: JsonObject, event: ReportedEvent): void {
  // `amt` in the draft, `amount` before it.
  const texts = [claims['amt'], claims['amount']].filter(text => text !== undefined);
  const authorized = texts.length === 1 || texts[0] === texts[1] ? decimal(texts[0]) : null;
  if (!authorized || authorized.digits === 0n) {
    list.fail('amount', 'malformed_token', 'It must have one amount, a decimal number above zero as text');
    return;
  }
  const { currency, value } = event.amount;
  const exponent = currency === null ? null : minorUnitExponent(currency);
  if (currency === null || exponent === null) {
    checkSettlement(list, claims, event);
    return;
  }
  const { cur } = claims;
  list.check(
    'currency',
    cur === currency,
    'currency_mismatch',
    `The token is in ${quoted(cur)}, the event in ${currency}`,
  );
  const detail = `The token is good for ${texts[0]}, the event is for ${value} minor units`;
  list.check('amount', covers(authorized, value, exponent), 'amount_exceeded', detail);
}

/** A payment in tokens is compared with `val`, in units of the settlement network, if it was paid in that network's token. */
function checkSettlement(list: Checklist, claims: JsonObject, { amount }: ReportedEvent): void {
  const { sti } = claims;
  const settled = decimal(claims['val'] ?? claims['value']);
  const asset = amount.asset && findAsset(amount.asset.network, amount.asset.address);
  const isSameAsset = isObject(sti) && textOf(sti, 'type')?.toUpperCase() === asset?.symbol.toUpperCase();
  if (!asset || !isSameAsset || !settled) {
    list.open(
      'amount',
      'amount_not_comparable',
      `The token is in ${quoted(claims['cur'])}, ${amount.denomination} was paid`,
    );
    return;
  }
  const detail = `The token is good for ${quoted(claims['val'] ?? claims['value'])} units, the event is for ${amount.value}`;
  list.check('amount', covers(settled, amount.value, 0), 'amount_exceeded', detail);
}

const decimal = (value: unknown): Decimal | null => (typeof value === 'string' ? readDecimal(value) : null);

/** Whether whole units cover an amount with `exponent` further digits, to the last digit. */
const covers = ({ digits, places }: Decimal, value: bigint, exponent: number): boolean =>
  digits * 10n ** BigInt(exponent) >= value * 10n ** BigInt(places);
