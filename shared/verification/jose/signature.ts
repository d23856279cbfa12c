import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';

/** The accepted algorithms (RFC 7518 §3.4, RFC 8037), each with the only kind of key it may be used with. */
const algorithms = new Map([
  ['ES256', { kty: 'EC', crv: 'P-256', hash: 'sha256', bytes: 64 }],
  ['ES384', { kty: 'EC', crv: 'P-384', hash: 'sha384', bytes: 96 }],
  ['EdDSA', { kty: 'OKP', crv: 'Ed25519', hash: null, bytes: 64 }],
]);

/** An accepted `alg`: never `none`, never one with a shared secret. */
export const isAlgorithm = (alg: unknown): alg is string => typeof alg === 'string' && algorithms.has(alg);

/** The algorithm that a key signs with, or null when it is not an accepted one. */
export function algorithmOf(jwk: JWK): string | null {
  for (const [alg, { kty, crv }] of algorithms) if (jwk.kty === kty && jwk.crv === crv) return alg;
  return null;
}

/**
 * Whether a key may be used with an algorithm: it is of the algorithm's kind, public, and for signatures only. RFC 9864 calls EdDSA on
 * Ed25519 by the curve's name.
 */
export function fits(jwk: JWK, alg: string): boolean {
  const algorithm = algorithms.get(alg);
  if (!algorithm || jwk.kty !== algorithm.kty || jwk.crv !== algorithm.crv || jwk.d !== undefined) return false;
  if (jwk.alg !== undefined && jwk.alg !== alg && jwk.alg !== jwk.crv) return false;
  if (jwk.use !== undefined && jwk.use !== 'sig') return false;
  return jwk.key_ops === undefined || (Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify'));
}

/**
 * Whether the key made `signature` over `signed`. The algorithm must fit the key, so that one kind of key is never mistaken for another.
 * ECDSA signatures are r‖s (RFC 7518 §3.4). Both possible values of s are valid there, so whatever must not be used twice is identified by
 * what was signed, not by the signature.
 */
export function signatureHolds(
  { alg, signed, signature }: { alg: string; signed: Buffer; signature: Buffer },
  jwk: JWK,
): boolean {
  const algorithm = algorithms.get(alg);
  if (!algorithm || !fits(jwk, alg) || signature.length !== algorithm.bytes) return false;
  const key = importKey(jwk);
  return key !== null && verify(algorithm.hash, signed, key, signature);
}

const MOST_KEYS = 10_000;
/** By the members behind a key's RFC 7638 thumbprint; a null `key` marks a point that is not on its curve. */
const imported = new LRUCache<string, { key: ImportedKey | null }>({ max: MOST_KEYS });

function importKey({ kty, crv, x, y }: JWK): ImportedKey | null {
  if (!isCoordinate(x) || (kty === 'EC' && !isCoordinate(y))) return null;
  const name = `${crv} ${x} ${kty === 'EC' ? y : ''}`;
  const cached_key = imported.get(name) ?? { key: createKey({ kty, crv, x, ...(kty === 'EC' && { y }) }) };
  imported.set(name, cached_key);
  return cached_key.key;
}

const isCoordinate = (text: unknown): text is string => typeof text === 'string' && /^[\w-]{43,64}$/.test(text);

/** The form of its signatures is stored on the key: given a wrapper object, Node spends 12 of 90 µs finding out what it is. */
type ImportedKey = KeyObject & { dsaEncoding: 'ieee-p1363' };

function createKey(jwk: JWK): ImportedKey | null {
  try {
    return Object.assign(createPublicKey({ key: jwk, format: 'jwk' }), { dsaEncoding: 'ieee-p1363' } as const);
  } catch {
    return null;
  }
}
