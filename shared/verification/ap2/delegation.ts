import type { JWK } from 'jose';
import type { Checklist } from '#shared/verification/checklist.ts';
import type { Hop } from './chain.ts';
import { INVALID_CREDENTIAL, MANDATE_EXPIRED, MANDATE_INVALID_SIGNATURE } from './codes.ts';
import { isObject, type JsonObject, quoted } from '#shared/verification/json.ts';
import { isAlgorithm } from '#shared/verification/jose/signature.ts';
import { isSignedBy } from '#shared/verification/jose/signer.ts';
import { findTimeFault, isTime } from '#shared/verification/jose/times.ts';
import { MINUTE } from '#shared/values/time.ts';

/**
 * Checks that each hop after the first was signed with the key that the previous hop named (`cnf.jwk`, RFC 7800), for exactly that hop
 * (exactly one of `sd_hash` and `issuer_jwt_hash`). Returns whether the last hop's signature is valid.
 */
export function checkDelegation(list: Checklist, hops: readonly Hop[]): boolean {
  let holds = true;
  for (const [index, hop] of hops.entries()) {
    const before = hops[index - 1];
    if (!before) continue;
    const terminal = index === hops.length - 1;
    checkType(list, hop, index, terminal);
    checkBinding(list, hop, before, index);
    holds = checkSignature(list, hop, before, index) && holds;
  }
  return holds;
}

/** A terminal hop names no further key; one in between must. */
function checkType(list: Checklist, { jwt, claims, mandates }: Hop, index: number, terminal: boolean): void {
  const typ = jwt.header['typ'];
  const expected = terminal ? terminalTypes : intermediateTypes;
  const typed = typeof typ === 'string' && expected.has(typ);
  list.check('hop_type', typed, INVALID_CREDENTIAL, `hop ${index}: typ ${quoted(typ)}`);
  const names = [claims, ...mandates].some(({ cnf }) => cnf !== undefined);
  const detail = terminal ? 'the last hop must not name a further key' : 'it must name the key of the next hop';
  list.check('hop_key', names !== terminal, INVALID_CREDENTIAL, `hop ${index}: ${detail}`);
  list.check(
    'hop_issued_at',
    isTime(claims['iat']),
    INVALID_CREDENTIAL,
    `hop ${index}: it must say when it was issued`,
  );
}

const terminalTypes = new Set(['kb+sd-jwt', 'kb-sd-jwt']);
const intermediateTypes = new Set(['kb+sd-jwt+kb', 'kb-sd-jwt+kb']);

function checkBinding(list: Checklist, { claims }: Hop, before: Hop, index: number): void {
  const { sd_hash, issuer_jwt_hash } = claims;
  const one = (sd_hash === undefined) !== (issuer_jwt_hash === undefined);
  const bound =
    sd_hash === undefined ? issuer_jwt_hash === before.digest(before.text) : sd_hash === before.digest(before.token);
  const detail = one
    ? 'its hash is not that of the hop before'
    : 'it must have one of sd_hash and issuer_jwt_hash, and not both';
  list.check('hop_binding', one && bound, INVALID_CREDENTIAL, `hop ${index}: ${detail}`);
}

function checkSignature(list: Checklist, { jwt }: Hop, before: Hop, index: number): boolean {
  const key = confirmationKey(before);
  if (!key) return list.fail('hop_signature', INVALID_CREDENTIAL, `hop ${index}: the hop before names no key`);
  const { alg } = jwt.header;
  const detail = isAlgorithm(alg)
    ? 'it is not signed with the key that the hop before names'
    : `alg ${quoted(alg)} is not one of ES256, ES384 and EdDSA`;
  return list.check('hop_signature', isSignedBy(jwt, key), MANDATE_INVALID_SIGNATURE, `hop ${index}: ${detail}`);
}

/** The key that must sign the next hop, named by the delegated items or the credential itself. */
function confirmationKey({ claims, mandates }: Hop): JWK | null {
  for (const { cnf } of [...mandates, claims]) if (isObject(cnf) && isObject(cnf['jwk'])) return cnf['jwk'] as JWK;
  return null;
}

const SKEW = { exp: 5 * MINUTE, nbf: 5 * MINUTE, iat: 5 * MINUTE };

/** Checks the times of every hop, of the token and its delegated items, at the time of the payment. */
export function checkTimes(list: Checklist, hops: readonly Hop[], at: number): void {
  const faults = hops.flatMap(({ claims, mandates }, index) =>
    [...new Set<JsonObject>([claims, ...mandates])].flatMap(part => {
      const fault = findTimeFault(part, at, SKEW);
      return fault ? [{ ...fault, index }] : [];
    }),
  );
  for (const { kind, detail, index } of faults)
    list.fail('validity', kind === 'expired' ? MANDATE_EXPIRED : INVALID_CREDENTIAL, `hop ${index}: ${detail}`);
  if (faults.length === 0) list.pass('validity');
}
