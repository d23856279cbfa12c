import { LRUCache } from 'lru-cache';
import type { Db } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { EMPTY_ROOT } from './merkle.ts';
import { consistencyRanges, inclusionRanges, type Range } from './ranges.ts';
import { createSubtrees } from './subtrees.ts';

/** Proofs about the tree of a log at an earlier size. Hashes are 32 bytes. */
export type Prover = {
  root(): Promise<Buffer>;
  /** The audit path of a leaf, from the leaf upward (RFC 6962 §2.1.1). */
  path(leaf_index: number): Promise<Buffer[]>;
  /** The proof that the tree begins with that of `from` leaves (RFC 6962 §2.1.2). */
  consistency(from: number): Promise<Buffer[]>;
};

/**
 * A prover for a tree of `size` leaves; the log's tree must have at least as many. A path is one query, or none when an earlier one read
 * its tiles: request many in ascending order. Its memory is bounded. Throws `LogFault` when the stored tree is damaged.
 */
export function createProver(db: Db, tenant: Tenant, size: number): Prover {
  const subtrees = createSubtrees(db, tenant, size);
  // Only the right edge of the tree has incomplete subtrees: at most one per height.
  const incomplete = new Map<number, Buffer>();
  async function rootsOf(ranges: readonly Range[]): Promise<Buffer[]> {
    const roots = ranges.map(({ from, to }) => (to === size ? incomplete.get(from) : undefined));
    const missing = ranges.filter((_, index) => !roots[index]);
    const roots_read = missing.length > 0 ? await subtrees.rootsOf(missing) : [];
    for (const [index, { from, to }] of missing.entries())
      if (to === size && roots_read[index]) incomplete.set(from, roots_read[index]);
    return roots.flatMap(root => root ?? roots_read.shift() ?? []);
  }
  return {
    root: async () => (size === 0 ? EMPTY_ROOT : ((await rootsOf([{ from: 0, to: size }]))[0] ?? EMPTY_ROOT)),
    path: leaf_index => rootsOf(inclusionRanges(leaf_index, size)),
    consistency: from => rootsOf(consistencyRanges(from, size)),
  };
}

export type ProverOf = (tenant: Tenant, size: number) => Prover;

const MOST_PROVERS = 16;

/**
 * Provers that cache the tiles of earlier proofs: most are for the newest checkpoint, and share the tiles above the leaves. (With
 * 10,000,000 leaves a proof usually took 1.2 ms, and 2.4 ms without the cache.)
 */
export function createProvers(db: Db): ProverOf {
  const provers = new LRUCache<string, Prover>({ max: MOST_PROVERS });
  return (tenant, size) => {
    const key = `${tenant.org_id} ${tenant.environment} ${size}`;
    const prover = provers.get(key) ?? createProver(db, tenant, size);
    provers.set(key, prover);
    return prover;
  };
}
