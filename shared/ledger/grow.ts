import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { growTreeFrom } from './growing_tree.ts';
import { LogFault } from './tiles.ts';
import { HASH_BYTES } from './merkle.ts';
import { lockTree, saveGrowth, type Tree } from './tree_store.ts';

/** Leaves added in one transaction: 2 MB of hashes. */
const LEAVES_AT_ONCE = 65_536;

/**
 * Grows the tree of a log toward its end, within a transaction that holds the tree: whoever else grows or signs it waits. Returns the tree, and
 * whether it has every leaf. Throws `LogFault` when the log is shorter than its tree, has a gap, or a tile exists that should not. `origin` names
 * a new tree's log.
 */
export async function growTree(tx: Db, tenant: Tenant, origin: string): Promise<{ tree: Tree; is_whole: boolean }> {
  const tree = await lockTree(tx, tenant, origin);
  const end = await sizeOfLog(tx, tenant);
  if (end < tree.size) throw new LogFault(`The log has become shorter than its tree of ${tree.size} leaves.`);
  if (end === tree.size) return { tree, is_whole: true };
  const size = Math.min(end, tree.size + LEAVES_AT_ONCE);
  const hashes = await readLeaves(tx, tenant, tree.size, size);
  if (hashes.length !== (size - tree.size) * HASH_BYTES)
    throw new LogFault(
      `Between ${tree.size + 1} and ${size} the log does not have one leaf of 32 bytes for each position.`,
    );
  const growing = growTreeFrom(tree.size, tree.edge);
  for (let at = 0; at < hashes.length; at += HASH_BYTES) growing.add(hashes, at);
  const edge = growing.edge();
  await saveGrowth(tx, tenant, { size, edge, tiles: growing.takeFull() }).catch(describeFault);
  return { tree: { ...tree, size, edge }, is_whole: size === end };
}

const LogSize = z.object({ size: z.number() });

/** The last `chain_seq` of a log. */
export const sizeOfLog = async (db: Db, { org_id, environment }: Tenant): Promise<number> =>
  (await db.maybeOneFirst(sql.type(LogSize)`
    select size from event_logs where org_id = ${org_id} and environment = ${environment}`)) ?? 0;

const Leaves = z.object({ hashes: z.instanceof(Buffer) });

/** As one value: 65,536 rows took three times as long. */
const readLeaves = (tx: Db, { org_id, environment }: Tenant, size: number, to: number) =>
  tx.oneFirst(sql.type(Leaves)`
    select coalesce(string_agg(leaf_hash, ''::bytea order by chain_seq), '') as hashes from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq > ${size} and chain_seq <= ${to}`);

function describeFault(error: unknown): never {
  if (error instanceof UniqueIntegrityConstraintViolationError)
    throw new LogFault('There is a tile of leaves that the tree does not have yet.');
  throw error;
}
