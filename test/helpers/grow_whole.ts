import type { Tenant } from '#shared/interface/schemas.ts';
import { growTree } from '#shared/ledger/grow.ts';
import type { Pool } from '#shared/platform/db.ts';

/** Grows the tree of a log to its end, part by part; returns its number of leaves. */
export async function growWhole(db: Pool, tenant: Tenant, origin: string): Promise<number> {
  for (;;) {
    const { tree, is_whole } = await db.transaction(tx => growTree(tx, tenant, origin));
    if (is_whole) return tree.size;
  }
}
