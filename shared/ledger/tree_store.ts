import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { edgeTiles, endOf, type Tile, TILE_BYTES, type TileId } from './tiles.ts';

const Tree = z.object({
  origin: z.string(),
  size: z.number(),
  edge: z.instanceof(Buffer),
  checkpoint_size: z.number(),
});
/** The stored state of a tree besides its full tiles; `checkpoint_size` is 0 without a checkpoint. */
export type Tree = z.infer<typeof Tree>;

const columns = sql.fragment`origin, size, edge, checkpoint_size`;

/** The tree of a log; null when there is none yet. */
export const findTree = (db: Db, { org_id, environment }: Tenant) =>
  db.maybeOne(sql.type(Tree)`
    select ${columns} from log_trees where org_id = ${org_id} and environment = ${environment}`);

/** The same, created under this name if necessary, and locked until the transaction ends, so that no one else grows or signs it. */
export async function lockTree(tx: Db, { org_id, environment }: Tenant, origin: string): Promise<Tree> {
  const locked = sql.type(Tree)`
    select ${columns} from log_trees where org_id = ${org_id} and environment = ${environment} for update`;
  const tree = await tx.maybeOne(locked);
  if (tree) return tree;
  await tx.query(sql.unsafe`
    insert into log_trees (org_id, environment, origin) values (${org_id}, ${environment}, ${origin}) on conflict do nothing`);
  return tx.one(locked);
}

/** Stores the growth of a tree. Throws when one of the tiles already exists. */
export async function saveGrowth(
  tx: Db,
  { org_id, environment }: Tenant,
  { size, edge, tiles }: { size: number; edge: Buffer; tiles: readonly Tile[] },
): Promise<void> {
  if (tiles.length > 0) {
    const hashes = sql.binary(Buffer.concat(tiles.map(tile => tile.hashes)));
    const ids = sql.unnest(
      tiles.map(({ level, tile_index }) => [level, tile_index]),
      ['int2', 'int8'],
    );
    await tx.query(sql.unsafe`
      insert into log_tiles (org_id, environment, level, tile_index, hashes)
      select ${org_id}, ${environment}, n.level, n.tile_index, substr(h.all_hashes, 1 + (n.position::int - 1) * ${TILE_BYTES}, ${TILE_BYTES})
      from (select ${hashes}::bytea as all_hashes) h, ${ids} with ordinality as n (level, tile_index, position)`);
  }
  await tx.query(sql.unsafe`
    update log_trees set size = ${size}, edge = ${sql.binary(edge)}
    where org_id = ${org_id} and environment = ${environment}`);
}

const TileRow = z.object({ level: z.number(), tile_index: z.number(), hashes: z.instanceof(Buffer) });
const EDGE = -1;

/**
 * The requested tiles that exist, in one query: full ones, and unfinished ones at their current width. Tiles that are full in a tree of
 * `known_size` leaves are not searched for in the right edge, which is as large as several tiles. Throws `LogFault` when the edge is
 * damaged.
 */
export async function readTiles(
  db: Db,
  { org_id, environment }: Tenant,
  ids: readonly TileId[],
  known_size = 0,
): Promise<Tile[]> {
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  // A list of conditions is planned in half the time of a join (one tile: 0.4 ms against 0.65).
  const wanted = sql.join(
    ids.map(({ level, tile_index }) => sql.fragment`(level = ${level} and tile_index = ${tile_index})`),
    sql.fragment` or `,
  );
  const edge = ids.every(id => endOf(id) <= known_size)
    ? sql.fragment``
    : sql.fragment`union all select ${EDGE}, size, edge from log_trees where ${here}`;
  const rows = await db.any(sql.type(TileRow)`
    select level, tile_index, hashes from log_tiles where ${here} and (${wanted}) ${edge}`);
  const full = rows.filter(({ level }) => level !== EDGE);
  const tree = rows.find(({ level }) => level === EDGE);
  const unfinished = tree ? edgeTiles(tree.tile_index, tree.hashes) : [];
  const isWanted = (tile: Tile) =>
    ids.some(({ level, tile_index }) => tile.level === level && tile.tile_index === tile_index);
  return [...full, ...unfinished.filter(isWanted)];
}
