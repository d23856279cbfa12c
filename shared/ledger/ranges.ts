import { nodeHash } from './merkle.ts';

/** The leaves from `from` up to, not including, `to`: a subtree, complete unless it reaches the tree's right edge. */
export type Range = { from: number; to: number };

/** A complete subtree: the `index`th of those with 2^`height` leaves. */
export type Node = { height: number; index: number };

/** The subtrees whose roots form the audit path of a leaf, from the leaf upward (RFC 6962 §2.1.1). */
export function inclusionRanges(leaf_index: number, size: number): Range[] {
  const path: Range[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from);
    if (leaf_index < middle) {
      path.push({ from: middle, to });
      to = middle;
    } else {
      path.push({ from, to: middle });
      from = middle;
    }
  }
  return path.toReversed();
}

/** The subtrees whose roots prove that a tree of `second` leaves begins with one of `first`, in the order of RFC 6962 §2.1.2. */
export function consistencyRanges(first: number, second: number): Range[] {
  if (first === 0 || first === second) return [];
  const path: Range[] = [];
  let [from, to] = [0, second];
  while (first < to) {
    const middle = from + largestPowerBelow(to - from);
    if (first <= middle) {
      path.push({ from: middle, to });
      to = middle;
    } else {
      path.push({ from, to: middle });
      from = middle;
    }
  }
  // The rest is the end of the first tree, or all of it if that tree is complete.
  if (from > 0) path.push({ from, to });
  return path.toReversed();
}

/** The complete subtrees in a range, from left to right, each smaller than the one before. */
export function nodesOf({ from, to }: Range): Node[] {
  const nodes: Node[] = [];
  for (let at = from; at < to;) {
    const height = heightWithin(to - at);
    const leaves = 2 ** height;
    nodes.push({ height, index: at / leaves });
    at += leaves;
  }
  return nodes;
}

/** The root of a range from the roots of its complete subtrees (RFC 6962 §2.1), at least one. */
export function foldNodes(hashes: readonly Buffer[]): Buffer {
  return hashes.reduceRight((right, left) => nodeHash(left, right));
}

/** The largest power of two that is smaller than `count`, which is 2 at least. */
const largestPowerBelow = (count: number) => 2 ** heightWithin(count - 1);

/** The height of the largest complete subtree with at most `count` leaves. The logarithm alone is a little too large near 2^49. */
function heightWithin(count: number): number {
  const height = Math.round(Math.log2(count));
  return 2 ** height > count ? height - 1 : height;
}
