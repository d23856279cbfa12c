import type { JWK } from 'jose';
import type { Jws } from './jws.ts';
import { fits, isAlgorithm, signatureHolds } from './signature.ts';
import type { BelievedKey, KeyResolver, KeyUse } from '#shared/verification/verifier.ts';

/**
 * Who made a signature, according to the trusted keys: `believed`: one of them did; `unknown`: none has that kid (or, without a kid, none
 * of them made it); `forged`: the key it names did not make it, or cannot with that algorithm.
 */
type Signer = { result: 'believed'; key: BelievedKey } | { result: 'unknown' } | { result: 'forged'; why: string };

/** The most keys tried for a signature that names none. */
const MOST_TRIES = 16;

/** Looks for the signer among the keys of a use. `alg` must be an accepted one. */
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

/** Whether the key made the signature, with an accepted algorithm that fits it. */
export const isSignedBy = ({ header: { alg }, signed, signature }: Jws, jwk: JWK): boolean =>
  isAlgorithm(alg) && signatureHolds({ alg, signed, signature }, jwk);

/** Whether a key may vouch for statements of this issuer. A statement that names no issuer may come from any holder of the key. */
export const speaksFor = (issuer: string | null, claimed: unknown): boolean =>
  issuer === null || claimed === undefined || claimed === issuer;
