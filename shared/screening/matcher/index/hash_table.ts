import { packNumbers } from './text_table.ts';

/**
 * Numbers by hashes of texts, any number of them for one hash. Different texts may share a hash: the caller checks each hit.
 * Buckets are ranges of the two arrays, so that a look-up touches a few neighboring numbers.
 */
export type HashTable = { buckets: Uint32Array; hashes: Uint32Array; values: Uint32Array };

/** Packs pairs of hash and number; equal pairs are kept once. */
export function packHashTable(hashes: readonly number[], values: readonly number[]): HashTable {
  const size = bucketsFor(hashes.length);
  const buckets = new Uint32Array(size + 1);
  for (const hash of hashes) buckets[(hash & (size - 1)) + 1] = (buckets[(hash & (size - 1)) + 1] ?? 0) + 1;
  for (let index = 0; index < size; index += 1) buckets[index + 1] = (buckets[index + 1] ?? 0) + (buckets[index] ?? 0);
  const next = buckets.slice();
  const placedHashes = new Uint32Array(hashes.length);
  const placedValues = new Uint32Array(hashes.length);
  for (let index = 0; index < hashes.length; index += 1) {
    const bucket = (hashes[index] ?? 0) & (size - 1);
    const place = next[bucket] ?? 0;
    placedHashes[place] = hashes[index] ?? 0;
    placedValues[place] = values[index] ?? 0;
    next[bucket] = place + 1;
  }
  return { buckets: packNumbers(buckets), hashes: packNumbers(placedHashes), values: packNumbers(placedValues) };
}

/** Calls `visit` with every number stored under a hash. */
export function eachOf({ buckets, hashes, values }: HashTable, hash: number, visit: (value: number) => void): void {
  const bucket = hash & (buckets.length - 2);
  const end = buckets[bucket + 1] ?? 0;
  for (let place = buckets[bucket] ?? 0; place < end; place += 1) if (hashes[place] === hash) visit(values[place] ?? 0);
}

/** A hash of 32 bits (FNV-1a) of a text and of what it is looked up as. */
export function hashOf(kind: string, text: string): number {
  let hash = 0x811c9dc5 ^ kind.charCodeAt(0);
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}

const bucketsFor = (entries: number) => 2 ** Math.max(1, Math.ceil(Math.log2(Math.max(entries, 2) / 2)));
