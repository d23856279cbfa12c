import type { JWK } from 'jose';
import type { Jws } from './jws.ts';
import { fits, isAlgorithm, signatureHolds } from './signature.ts';
import type { BelievedKey, KeyResolver, KeyUse } from '#shared/verification/verifier.ts';

/**
 * Who made a signature, as far as the keys that are believed tell: `believed` by one of them; `unknown` when none is known by that
 * kid (or, without a kid, none of them made it); `forged` when the key it names did not make it, or cannot with that algorithm.
 */
type Signer = { result: 'believed'; key: BelievedKey } | { result: 'unknown' } | { result: 'forged'; why: string };

/** Signatures that name no key are tried with so many keys at most. */
const MOST_TRIES = 16;

/** Looks for the signer among the keys of a use. `alg` has been found to be an accepted one. */
export function findSigner(jws: Jws, keys: KeyResolver, use: KeyUse, at: number): Signer {
  const { kid } = jws.header;
  if (kid !== undefined && typeof kid !== 'string') return { result: 'forged', why: 'Its kid is not text' };
  const signer_keys = keys.find({ use, kid, at });
  if (kid === undefined) return tryAll(jws, signer_keys);
  if (signer_keys.length === 0) return { result: 'unknown' };
  const key = signer_keys.find(candidate => isSignedBy(jws, candidate.jwk));
  if (key) return { result: 'believed', key };
  const why = signer_keys.some(candidate => fits(candidate.jwk, String(jws.header['alg'])))
    ? 'The key it names did not make it'
    : 'The key it names cannot be used with its algorithm';
  return { result: 'forged', why };
}

function tryAll(jws: Jws, signer_keys: readonly BelievedKey[]): Signer {
  const { alg } = jws.header;
  let tries = 0;
  for (const key of signer_keys) {
    if (!isAlgorithm(alg) || !fits(key.jwk, alg)) continue;
    if (isSignedBy(jws, key.jwk)) return { result: 'believed', key };
    if (++tries === MOST_TRIES) break;
  }
  return { result: 'unknown' };
}

/** Whether the key made the signature, with an algorithm that is accepted and fits it. */
export const isSignedBy = ({ header: { alg }, signed, signature }: Jws, jwk: JWK): boolean =>
  isAlgorithm(alg) && signatureHolds({ alg, signed, signature }, jwk);

/** Whether a key may vouch for what this issuer says. What names no issuer is believed of whoever holds the key. */
export const speaksFor = (issuer: string | null, claimed: unknown): boolean =>
  issuer === null || claimed === undefined || claimed === issuer;
