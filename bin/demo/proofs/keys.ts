import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { secp256k1 } from '#shared/verification/evm/secp256k1.ts';
import { parseEvmAddress } from '#shared/values/evm_address.ts';

/** A wallet on EVM chains. `sign` answers `0x`, r, s and v (27 or 28) in hex for a digest of 32 bytes. */
export type Wallet = { address: string; sign(digest: Uint8Array): string };

/** An ES256 key. `jwk` is its public part, `kid` the RFC 7638 thumbprint; `sign` answers r and s in base64url for a text. */
export type DemoKey = { kid: string; jwk: PublicEcKey; sign(text: string): string };
export type PublicEcKey = { kty: 'EC'; crv: 'P-256'; x: string; y: string };

/** The wallet of this name in the demo of this seed: the same in every run, and nobody's money. */
export function createWallet(seed: string | number, name: string): Wallet {
  const secret = secretOf(`wallet ${seed}/${name}`);
  const point = secp256k1().pointFromScalar(secret, false);
  if (!point) throw new Error('a secret has a point');
  const address = parseEvmAddress(`0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex')}`);
  if (!address.ok) throw new Error('a wallet has an address');
  return {
    address: address.value,
    sign(digest) {
      const { signature, recoveryId } = secp256k1().signRecoverable(digest, secret);
      return `0x${Buffer.from(signature).toString('hex')}${(27 + recoveryId).toString(16)}`;
    },
  };
}

/** The ES256 key of this name in the demo of this seed. Signatures are those of RFC 6979: the same for the same text. */
export function createSigningKey(seed: string | number, name: string): DemoKey {
  const secret = secretOf(`key ${seed}/${name}`);
  const point = p256.getPublicKey(secret, false);
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: base64url(point.subarray(1, 33)),
    y: base64url(point.subarray(33)),
  } as const;
  const { crv, kty, x, y } = jwk;
  return {
    kid: sha256(JSON.stringify({ crv, kty, x, y })),
    jwk,
    sign: text => base64url(p256.sign(Buffer.from(text), secret)),
  };
}

/** base64url SHA-256 of a text, as SD-JWT uses it everywhere. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

export const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');

/** 32 bytes below the order of both curves, as all but one in 2^32 are. */
function secretOf(name: string): Uint8Array {
  const secret = createHash('sha256').update(`agent payment demo ${name}`).digest();
  return secp256k1().isPrivate(secret) && p256.utils.isValidSecretKey(secret) ? secret : secretOf(`${name}.`);
}
