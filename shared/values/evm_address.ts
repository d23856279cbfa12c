import { keccak_256 } from '@noble/hashes/sha3.js';
import { LRUCache } from 'lru-cache';
import { atMost } from './at_most.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';

/**
 * An EVM address (`0x` and 40 hex digits) in its EIP-55 form; all-lower and all-upper case carry no checksum and are
 * accepted, mixed case must have the right one.
 */
export function parseEvmAddress(text: string): Parsed<string> {
  if (!evmAddress.test(text)) return unparsed('must be an EVM address: 0x followed by 40 hexadecimal digits');
  const hex = text.slice(2);
  const lower = hex.toLowerCase();
  const address = checksummed(lower);
  if (address.slice(2) === hex || hex === lower || hex === hex.toUpperCase()) return parsed(address);
  return unparsed(
    'has a wrong EIP-55 checksum, so a digit or letter may be mistyped; copy it again, or send it in lower case',
  );
}

const evmAddress = /^0[xX][0-9a-fA-F]{40}$/;

// One Keccak-256 costs about 7 µs, more than all other checks of an address; payees and tokens come back.
const cached_addresses = new LRUCache<string, string>(atMost(50_000));

function checksummed(lower: string): string {
  const cached = cached_addresses.get(lower);
  if (cached) return cached;
  const digest = keccak_256(Buffer.from(lower, 'latin1'));
  let address = '0x';
  for (let at = 0; at < 40; at++) {
    const nibble = ((digest[at >> 1] ?? 0) >> (at % 2 ? 0 : 4)) & 0xf;
    address += nibble > 7 ? lower.charAt(at).toUpperCase() : lower.charAt(at);
  }
  cached_addresses.set(lower, address);
  return address;
}
