import { keccak_256 } from '@noble/hashes/sha3.js';
import { LRUCache } from 'lru-cache';

/** What a wallet signs for a struct under a domain (EIP-712): `keccak256(0x1901 ‖ domain separator ‖ struct hash)`, 32 bytes. */
export const typedDataHash = (domain: Domain, struct_hash: Uint8Array): Uint8Array =>
  keccak_256(Buffer.concat([prefix, domainSeparator(domain), struct_hash]));

/** The domain of a signature. Absent members are left out: Permit2 has no version, x402 receipts no contract. */
type Domain = { name: string; version?: string; chain_id: bigint; verifying_contract?: string };

/** `keccak256(type hash ‖ fields)`; every field is one word, nested structs are given by their hash. */
export const structHash = (type_hash: Uint8Array, ...fields: Uint8Array[]): Uint8Array =>
  keccak_256(Buffer.concat([type_hash, ...fields]));

/** Hash of a type as EIP-712 writes it: `Name(type member,…)`, followed by the types it refers to, by name. */
export const typeHash = (type: string): Uint8Array => hashOfText(type);

/** One address (`0x` and 40 hex digits) as a word of 32 bytes. */
export function addressWord(address: string): Uint8Array {
  const word = Buffer.alloc(32);
  word.write(address.slice(2), 12, 'hex');
  return word;
}

/** A number from 0 to 2^256 − 1 as a word. */
export const uintWord = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** 32 bytes given as `0x` and 64 hex digits. */
export const bytes32Word = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');

/** A text is represented in a struct by the hash of its UTF-8 bytes. */
export const textWord = (text: string): Uint8Array => hashOfText(text);

const prefix = Buffer.from([0x19, 0x01]);

const hashOfText = (text: string) => keccak_256(Buffer.from(text, 'utf8'));

// A few tokens make up nearly all payments, and a separator costs four hashes.
const separators = new LRUCache<string, Uint8Array>({ max: 1_000 });

function domainSeparator({ name, version, chain_id, verifying_contract }: Domain): Uint8Array {
  const id = JSON.stringify([name, version, String(chain_id), verifying_contract]);
  const cached_separator = separators.get(id);
  if (cached_separator) return cached_separator;
  const members: [type: string, word: Uint8Array][] = [['string name', textWord(name)]];
  if (version !== undefined) members.push(['string version', textWord(version)]);
  members.push(['uint256 chainId', uintWord(chain_id)]);
  if (verifying_contract !== undefined) members.push(['address verifyingContract', addressWord(verifying_contract)]);
  const type = `EIP712Domain(${members.map(([member]) => member).join(',')})`;
  const separator = structHash(typeHash(type), ...members.map(([, word]) => word));
  separators.set(id, separator);
  return separator;
}
