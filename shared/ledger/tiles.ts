import { HASH_BYTES, hashPair } from './merkle.ts';
import type { Node } from './ranges.ts';

/** Levels of the tree that lie in one tile (C2SP tlog-tiles). */
export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 2 ** TILE_HEIGHT;
export const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** The position of a tile: its hashes are nodes of height 8 × `level`. */
export type TileId = { level: number; tile_index: number };
export type Tile = TileId & { hashes: Buffer };

/** The tile with the hashes below a node. */
export const tileOf = ({ height, index }: Node): TileId => ({
  level: Math.floor(height / TILE_HEIGHT),
  tile_index: Math.floor((index * 2 ** (height % TILE_HEIGHT)) / TILE_WIDTH),
});

/** The number of leaves up to the end of a full tile. */
export const endOf = ({ level, tile_index }: TileId) => (tile_index + 1) * TILE_WIDTH ** (level + 1);

/** The number of hashes in the unfinished tile of a level in a tree of `size` leaves. */
export const widthAt = (size: number, level: number) => Math.floor(size / TILE_WIDTH ** level) % TILE_WIDTH;

/** A tile, full or not, whose inner nodes are hashed on first use. */
export type OpenTile = { width: number; node(height: number, index: number): Buffer };

/** `node` takes the height above the tile's own hashes (0 to 7) and the index within the tile; the node must be complete. */
export function openTile(hashes: Buffer): OpenTile {
  const rows = [hashes];
  const rowOf = (height: number): Buffer => {
    const hashed_row = rows[height];
    if (hashed_row) return hashed_row;
    const below = rowOf(height - 1);
    const count = Math.floor(below.length / (2 * HASH_BYTES));
    const row = Buffer.allocUnsafe(count * HASH_BYTES);
    for (let at = 0; at < count; at += 1) hashPair(below, at * 2 * HASH_BYTES, row, at * HASH_BYTES);
    rows[height] = row;
    return row;
  };
  return {
    width: hashes.length / HASH_BYTES,
    node: (height, index) => rowOf(height).subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  };
}

/** The unfinished tile of each level, without empty ones. Throws `LogFault` when `edge` is not that of a tree of `size` leaves. */
export function edgeTiles(size: number, edge: Buffer): Tile[] {
  const tiles: Tile[] = [];
  let at = 0;
  for (let level = 0, nodes = size; nodes > 0; level += 1, nodes = Math.floor(nodes / TILE_WIDTH)) {
    const bytes = (nodes % TILE_WIDTH) * HASH_BYTES;
    const tile_index = Math.floor(nodes / TILE_WIDTH);
    if (bytes > 0) tiles.push({ level, tile_index, hashes: edge.subarray(at, at + bytes) });
    at += bytes;
  }
  if (at !== edge.length) throw new LogFault(`The right edge of the tree is not that of ${size} leaves.`);
  return tiles;
}

/**
 * The stored log differs from its signed checkpoints, or cannot be signed. Signing such a log stops; the message gives the reason in a
 * sentence.
 */
export class LogFault extends Error {
  override name = 'LogFault';
}
