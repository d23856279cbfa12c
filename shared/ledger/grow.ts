import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { growTreeFrom } from './growing_tree.ts';
import { LogFault } from './tiles.ts';
import { HASH_BYTES } from './merkle.ts';
import { lockTree, saveGrowth } from './tree_store.ts';

/** Leaves added in one transaction: 2 MB of hashes. */
const LEAVES_AT_ONCE = 65_536;

/**
 * Grows the tree of a log, in parts, to every leaf that was committed when this was called; returns its number of leaves. A concurrent
 * caller waits, and has nothing left to do. Throws `LogFault` when the log is shorter than its tree, has a gap, or a tile exists that
 * should not. `origin` names a new tree's log.
 */
export async function growTree(db: Pool, tenant: Tenant, origin: string): Promise<number> {
  const target = await sizeOfLog(db, tenant);
  for (;;) {
    const size = await db.transaction(tx => growOnce(tx, tenant, origin, target)).catch(describeFault);
    if (size >= target) return size;
  }
}

const LogSize = z.object({ size: z.number() });

/** The last `chain_seq` of a log. */
export const sizeOfLog = async (db: Db, { org_id, environment }: Tenant): Promise<number> =>
  (await db.maybeOneFirst(sql.type(LogSize)`
    select size from event_logs where org_id = ${org_id} and environment = ${environment}`)) ?? 0;

async function growOnce(tx: Db, tenant: Tenant, origin: string, target: number): Promise<number> {
  const { size, edge } = await lockTree(tx, tenant, origin);
  const to = Math.min(target, size + LEAVES_AT_ONCE);
  // The size was read before the lock; another process may have grown the tree meanwhile.
  if (to < size && (await sizeOfLog(tx, tenant)) < size)
    throw new LogFault(`The log has become shorter than its tree of ${size} leaves.`);
  if (to <= size) return size;
  const hashes = await readLeaves(tx, tenant, size, to);
  if (hashes.length !== (to - size) * HASH_BYTES)
    throw new LogFault(`Between ${size + 1} and ${to} the log does not have one leaf of 32 bytes for each position.`);
  const tree = growTreeFrom(size, edge);
  for (let at = 0; at < hashes.length; at += HASH_BYTES) tree.add(hashes, at);
  await saveGrowth(tx, tenant, { size: to, edge: tree.edge(), tiles: tree.takeFull() });
  return to;
}

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
