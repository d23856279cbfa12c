import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';

/** Algorithms of RFC 9421 §3.3 that agents may sign with: no shared secrets, and no RSASSA-PKCS1-v1_5. */
export const algorithms = ['ed25519', 'ecdsa-p256-sha256', 'rsa-pss-sha512'] as const;
export type Algorithm = (typeof algorithms)[number];

export const isAlgorithm = (name: string): name is Algorithm => (algorithms as readonly string[]).includes(name);

/** The algorithm a key is for; null when there is none, or when the key says that it is for another one. */
export function algorithmOf({ kty, crv, alg }: JWK): Algorithm | null {
  if (kty === 'OKP' && crv === 'Ed25519') return !alg || alg === 'EdDSA' || alg === 'Ed25519' ? 'ed25519' : null;
  if (kty === 'EC' && crv === 'P-256') return !alg || alg === 'ES256' ? 'ecdsa-p256-sha256' : null;
  if (kty === 'RSA') return !alg || alg === 'PS512' ? 'rsa-pss-sha512' : null;
  return null;
}

/** Whether the signature over the bytes is the key's. False for a key that cannot be used. */
export function isSignedBy(jwk: JWK, algorithm: Algorithm, signed: Buffer, signature: Buffer): boolean {
  try {
    const key = publicKey(jwk);
    if (algorithm === 'ed25519') return signature.length === 64 && verify(null, signed, key, signature);
    if (algorithm === 'ecdsa-p256-sha256')
      return signature.length === 64 && verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
    return verify('sha512', signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }, signature);
  } catch {
    return false;
  }
}

// To import a key costs as much as to use it. Found by its longest member and told by all of them, so that none stands for another.
const imported = new LRUCache<string, { jwk: JWK; key: KeyObject }>({ max: 10_000 });

function publicKey(jwk: JWK): KeyObject {
  const { kty, crv, x, y, n, e } = jwk;
  const name = String(n ?? x);
  const known = imported.get(name);
  if (known && isSameKey(known.jwk, jwk)) return known.key;
  // Only public members: a private key among the believed ones would otherwise be imported as one.
  const members = Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined);
  const key = createPublicKey({ key: Object.fromEntries(members), format: 'jwk' });
  imported.set(name, { jwk: { ...jwk }, key });
  return key;
}

const isSameKey = (one: JWK, other: JWK) =>
  one.kty === other.kty &&
  one.crv === other.crv &&
  one.x === other.x &&
  one.y === other.y &&
  one.n === other.n &&
  one.e === other.e;
