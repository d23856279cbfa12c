import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';

/**
 * Algorithms that agents may sign with: those of RFC 9421 §3.3 without shared secrets and RSASSA-PKCS1-v1_5, and `rsa-pss-sha256`, which is
 * not registered, but named and used by Visa's sample agent (with a salt of maximum length).
 */
const algorithms = ['ed25519', 'ecdsa-p256-sha256', 'rsa-pss-sha512', 'rsa-pss-sha256'] as const;
export type Algorithm = (typeof algorithms)[number];

export const isAlgorithm = (name: string): name is Algorithm => (algorithms as readonly string[]).includes(name);

/**
 * The algorithm that a key signs with, given the one named by the signature, if any; null when the key does not fit it. A key that states
 * its algorithm is used with no other.
 */
export function algorithmOf({ kty, crv, alg }: JWK, name: Algorithm | undefined): Algorithm | null {
  const able = uses.filter(use => use.kty === kty && use.crv === crv && (!alg || use.algs.includes(alg)));
  return able.find(({ algorithm }) => name === undefined || algorithm === name)?.algorithm ?? null;
}

type Use = { algorithm: Algorithm; kty: string; crv?: string; algs: readonly string[] };

/** For a key that fits several, the first applies unless the signature names another. */
const uses: readonly Use[] = [
  { algorithm: 'ed25519', kty: 'OKP', crv: 'Ed25519', algs: ['EdDSA', 'Ed25519'] },
  { algorithm: 'ecdsa-p256-sha256', kty: 'EC', crv: 'P-256', algs: ['ES256'] },
  { algorithm: 'rsa-pss-sha512', kty: 'RSA', algs: ['PS512'] },
  { algorithm: 'rsa-pss-sha256', kty: 'RSA', algs: ['PS256'] },
];

/** Whether the key made this signature over the bytes. False for an unusable key. */
export function isSignedBy(jwk: JWK, algorithm: Algorithm, signed: Buffer, signature: Buffer): boolean {
  try {
    const key = publicKey(jwk, algorithm);
    if (algorithm === 'ed25519') return signature.length === 64 && verify(null, signed, key, signature);
    if (algorithm === 'ecdsa-p256-sha256')
      return signature.length === 64 && verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
    if (algorithm === 'rsa-pss-sha512') return verify('sha512', signed, key, signature);
    const saltLength = constants.RSA_PSS_SALTLEN_AUTO;
    return verify('sha256', signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }, signature);
  } catch {
    return false;
  }
}

// Importing a key costs as much as using it. Cached by its longest member and compared by all of them, so that no key stands for another.
const imported = new LRUCache<string, { jwk: JWK; algorithm: Algorithm; key: KeyObject }>({ max: 10_000 });

function publicKey(jwk: JWK, algorithm: Algorithm): KeyObject {
  const { kty, crv, x, y, n, e } = jwk;
  const name = String(n ?? x);
  const cached_key = imported.get(name);
  if (cached_key && cached_key.algorithm === algorithm && isSameKey(cached_key.jwk, jwk)) return cached_key.key;
  // Only public members, so that a private key among the trusted ones is not imported as one.
  const members = Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined);
  const whole = createPublicKey({ key: Object.fromEntries(members), format: 'jwk' });
  const key = algorithm === 'rsa-pss-sha512' ? forPssAlone(whole) : whole;
  imported.set(name, { jwk: { ...jwk }, algorithm, key });
  return key;
}

/**
 * An RSA key that states its parameters itself (RFC 4055): PSS with SHA-512 and a salt of 64 bytes. Passed as options instead, Node spends
 * a third of each check on them.
 */
function forPssAlone(rsa: KeyObject): KeyObject {
  const key = rsa.export({ format: 'der', type: 'spki' });
  const bits = key.subarray(key.indexOf(anyRsa) + anyRsa.length);
  const content = Buffer.concat([pssSha512, bits]);
  const length = content.length < 256 ? [0x81, content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return createPublicKey({
    key: Buffer.concat([Buffer.from([0x30, ...length]), content]),
    format: 'der',
    type: 'spki',
  });
}

/** AlgorithmIdentifier in DER: rsaEncryption, and RSASSA-PSS with its parameters. */
const anyRsa = Buffer.from('300d06092a864886f70d0101010500', 'hex');
const pssSha512 = Buffer.from(
  '304106092a864886f70d01010a3034a00f300d06096086480165030402030500' +
    'a11c301a06092a864886f70d010108300d06096086480165030402030500a203020140',
  'hex',
);

const isSameKey = (one: JWK, other: JWK) =>
  one.kty === other.kty &&
  one.crv === other.crv &&
  one.x === other.x &&
  one.y === other.y &&
  one.n === other.n &&
  one.e === other.e;
