import type { Db } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { LogFault, edgeTiles, type Tile, TILE_WIDTH, type TileId } from '#shared/ledger/tiles.ts';
import { HASH_BYTES } from '#shared/ledger/merkle.ts';
import { readTiles } from '#shared/ledger/tree_store.ts';
import type { Flaw } from './check_events.ts';

/** Compares leaf hashes, starting with that of `from`, with the tiles of leaves, up to a tree of `tree_size`. */
export async function checkLeaves(
  db: Db,
  tenant: Tenant,
  { from, leaves, tree_size }: { from: number; leaves: Buffer; tree_size: number },
): Promise<Flaw | null> {
  const to = Math.min(from + leaves.length / HASH_BYTES - 1, tree_size);
  if (to < from) return null;
  const first = tileOfSeq(from);
  const ids = Array.from({ length: tileOfSeq(to) - first + 1 }, (_, offset) => ({
    level: 0,
    tile_index: first + offset,
  }));
  const tiles = await readStored(db, tenant, ids, tree_size);
  for (let seq = from; seq <= to; seq += 1) {
    const at = ((seq - 1) % TILE_WIDTH) * HASH_BYTES;
    const leaf = leaves.subarray((seq - from) * HASH_BYTES, (seq - from + 1) * HASH_BYTES);
    if (
      !tiles
        .get(`0/${tileOfSeq(seq)}`)
        ?.hashes.subarray(at, at + HASH_BYTES)
        .equals(leaf)
    )
      return { seq, reason: `Event ${seq} is not the one that the tree has a leaf of.` };
  }
  return null;
}

/** The leaf hashes of archived events, for which the database has only the tree; a flaw if that is missing. */
export async function readLeaves(
  db: Db,
  tenant: Tenant,
  { from, to, tree_size }: { from: number; to: number; tree_size: number },
): Promise<{ leaves: Buffer; flaw: Flaw | null }> {
  const first = tileOfSeq(from);
  const ids = Array.from({ length: tileOfSeq(to) - first + 1 }, (_, offset) => ({
    level: 0,
    tile_index: first + offset,
  }));
  const tiles = await readStored(db, tenant, ids, tree_size);
  const hashes: Buffer[] = [];
  for (const { tile_index } of ids) {
    const tile = tiles.get(`0/${tile_index}`);
    const [start, end] = [Math.max(from, tile_index * TILE_WIDTH + 1), Math.min(to, (tile_index + 1) * TILE_WIDTH)];
    const at = (seq: number) => (seq - 1 - tile_index * TILE_WIDTH) * HASH_BYTES;
    if (!tile || tile.hashes.length < at(end + 1))
      return {
        leaves: Buffer.concat(hashes),
        flaw: { seq: start, reason: `The tree has no leaf of event ${start}, which is in an archive.` },
      };
    hashes.push(tile.hashes.subarray(at(start), at(end + 1)));
  }
  return { leaves: Buffer.concat(hashes), flaw: null };
}

/** Compares computed tiles with the stored ones, which must all exist. */
export async function checkFullTiles(
  db: Db,
  tenant: Tenant,
  { computed, tree_size }: { computed: readonly Tile[]; tree_size: number },
): Promise<Flaw | null> {
  if (computed.length === 0) return null;
  const stored = await readStored(db, tenant, computed, tree_size);
  return firstDifference(computed, stored);
}

/** Compares the computed right edge of a tree of `size` leaves with the stored one. */
export function checkEdge(size: number, computed: Buffer, stored: Buffer): Flaw | null {
  try {
    return firstDifference(edgeTiles(size, computed), byKey(edgeTiles(size, stored)));
  } catch (error) {
    if (!(error instanceof LogFault)) throw error;
    return { seq: null, reason: error.message };
  }
}

/** Tiles by key. If the right edge is damaged, none is readable. */
async function readStored(
  db: Db,
  tenant: Tenant,
  ids: readonly TileId[],
  tree_size: number,
): Promise<Map<string, Tile>> {
  try {
    return byKey(await readTiles(db, tenant, ids, tree_size));
  } catch (error) {
    if (!(error instanceof LogFault)) throw error;
    return new Map();
  }
}

/** The first event that differs under two tiles: a node above the leaves stands for those below it. */
function firstDifference(computed: readonly Tile[], stored: ReadonlyMap<string, Tile>): Flaw | null {
  const flaws = computed.flatMap(({ level, tile_index, hashes }) => {
    const other = stored.get(`${level}/${tile_index}`)?.hashes ?? Buffer.alloc(0);
    for (let at = 0; at < hashes.length; at += HASH_BYTES) {
      if (hashes.subarray(at, at + HASH_BYTES).equals(other.subarray(at, at + HASH_BYTES))) continue;
      const seq = (tile_index * TILE_WIDTH + at / HASH_BYTES) * TILE_WIDTH ** level + 1;
      return [
        {
          seq,
          reason: `The tree is not that of the events: tile ${tile_index} of level ${level} differs from ${seq} on.`,
        },
      ];
    }
    return [];
  });
  return flaws.toSorted((a, b) => a.seq - b.seq)[0] ?? null;
}

const tileOfSeq = (seq: number) => Math.floor((seq - 1) / TILE_WIDTH);
const byKey = (tiles: readonly Tile[]) => new Map(tiles.map(tile => [`${tile.level}/${tile.tile_index}`, tile]));
