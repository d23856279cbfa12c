import { createHash } from 'node:crypto';

/** RFC 6962 §2.1 word by word, over leaf hashes: slow, and nothing to get wrong. */
export function naiveRoot(leaves: readonly Buffer[]): Buffer {
  const [leaf] = leaves;
  if (!leaf) return sha256();
  if (leaves.length === 1) return leaf;
  const middle = splitOf(leaves.length);
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, middle)), naiveRoot(leaves.slice(middle)));
}

/** RFC 6962 §2.1.1: PATH(index, leaves). */
export function naivePath(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return [];
  const middle = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return index < middle
    ? [...naivePath(index, left), naiveRoot(right)]
    : [...naivePath(index - middle, right), naiveRoot(left)];
}

/** RFC 6962 §2.1.2: SUBPROOF(from, leaves, isWhole). */
export function naiveConsistency(from: number, leaves: readonly Buffer[], isWhole = true): Buffer[] {
  if (from === leaves.length) return isWhole ? [] : [naiveRoot(leaves)];
  const middle = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return from <= middle
    ? [...naiveConsistency(from, left, isWhole), naiveRoot(right)]
    : [...naiveConsistency(from - middle, right, false), naiveRoot(left)];
}

/** Leaf hashes that differ. */
export const someLeaves = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => sha256(Buffer.from(`leaf ${index}`)));

function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
