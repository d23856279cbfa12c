import { keccak_256 } from '@noble/hashes/sha3.js';
import { LRUCache } from 'lru-cache';
import { atMost } from '#shared/values/at_most.ts';
import { secp256k1 } from './secp256k1.ts';

/**
 * The address (lower case) whose key signed a hash of 32 bytes, or null when no key did. `signature` is r ‖ s ‖ v, 65 bytes, as
 * `parseSignature` returns it.
 */
export function recoverSigner(hash: Uint8Array, signature: Uint8Array): string | null {
  const recovery_id = signature[64] === 27 ? 0 : signature[64] === 28 ? 1 : null;
  if (signature.length !== 65 || hash.length !== 32 || recovery_id === null) return null;
  try {
    const point = secp256k1().recover(hash, signature.subarray(0, 64), recovery_id, false);
    return point && addressOfPoint(point);
  } catch {
    // r or s is zero or not below the order of the group.
    return null;
  }
}

/** A wallet's own signature, one that only a contract can verify (ERC-1271, ERC-6492), or one that no chain would accept. */
type Signature = { kind: 'account'; bytes: Uint8Array } | { kind: 'contract' } | { kind: 'malformed'; reason: string };

/**
 * Parses a signature in hex. A wallet's has 65 bytes, v 27 or 28 (the tokens' own check refuses 0 and 1) and s in the lower half of the
 * group (EIP-2: a signature with the other half can be derived without the key).
 */
export function parseSignature(hex: string): Signature {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(hex)) return { kind: 'malformed', reason: 'is not bytes in hexadecimal' };
  const bytes = Buffer.from(hex.slice(2), 'hex');
  if (bytes.length > 65) return { kind: 'contract' };
  if (bytes.length < 65) return { kind: 'malformed', reason: `has ${bytes.length} bytes instead of 65` };
  if (bytes[64] !== 27 && bytes[64] !== 28)
    return { kind: 'malformed', reason: `has v ${bytes[64]} instead of 27 or 28` };
  if (Buffer.compare(bytes.subarray(32, 64), halfOrder) > 0)
    return { kind: 'malformed', reason: 'has s in the upper half of the group (EIP-2)' };
  return { kind: 'account', bytes };
}

/** The address of a secp256k1 public key: 65 bytes, 04 ‖ x ‖ y. */
export function addressOfPoint(point: Uint8Array): string {
  const key = Buffer.from(point.buffer, point.byteOffset + 1, point.length - 1);
  const name = key.toString('latin1');
  const cached_address = addresses.get(name);
  if (cached_address) return cached_address;
  const address = `0x${Buffer.from(keccak_256(key).subarray(12)).toString('hex')}`;
  addresses.set(name, address);
  return address;
}

// Wallets recur, and a hash costs a fortieth of recovering a key.
const addresses = new LRUCache<string, string>(atMost(10_000));

const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');
