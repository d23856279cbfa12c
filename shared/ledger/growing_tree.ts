import { EMPTY_ROOT, HASH_BYTES, hashPair } from './merkle.ts';
import { foldNodes } from './ranges.ts';
import { edgeTiles, openTile, type Tile, TILE_BYTES, TILE_HEIGHT, TILE_WIDTH, widthAt } from './tiles.ts';

/** A tree that leaves are added to. It holds its right edge only: at most 8 KB a level, whatever its size. */
export type GrowingTree = {
  readonly size: number;
  /** Adds the leaf hash of 32 bytes that stands at `at` in `hashes`. */
  add(hashes: Buffer, at: number): void;
  /** The root over all leaves so far, of at most 53 hashes. */
  root(): Buffer;
  /** The unfinished tile of each level, one after the other. */
  edge(): Buffer;
  /** The tiles that have been completed since the last call. */
  takeFull(): Tile[];
};

/** Continues a tree from its right edge. Throws `LogFault` when `edge` is not that of a tree of `size` leaves. */
export function growTreeFrom(size: number, edge: Buffer): GrowingTree {
  // The root of the complete subtree of each height in the tree: one for every 1 in its size.
  const peaks = Buffer.alloc(MOST_HEIGHTS * HASH_BYTES);
  const unfinished: (Buffer | undefined)[] = [];
  const pair = Buffer.alloc(2 * HASH_BYTES);
  let full: Tile[] = [];

  for (const { level, hashes } of edgeTiles(size, edge)) {
    const { width, node } = openTile(hashes);
    for (let height = 0, rest = width; rest > 0; height += 1, rest = Math.floor(rest / 2))
      if (rest % 2 === 1) node(height, rest - 1).copy(peaks, (level * TILE_HEIGHT + height) * HASH_BYTES);
    hashes.copy(tileAt(level));
  }

  function tileAt(level: number): Buffer {
    const tile = unfinished[level] ?? Buffer.alloc(TILE_BYTES);
    unfinished[level] = tile;
    return tile;
  }

  /** Puts the newest node of a level into its tile. `nodes`: how many the level had before. */
  function place(level: number, nodes: number): void {
    const tile = tileAt(level);
    const position = nodes % TILE_WIDTH;
    pair.copy(tile, position * HASH_BYTES, HASH_BYTES);
    if (position + 1 < TILE_WIDTH) return;
    full.push({ level, tile_index: Math.floor(nodes / TILE_WIDTH), hashes: tile });
    unfinished[level] = undefined;
  }

  return {
    get size() {
      return size;
    },
    add(hashes, at) {
      hashes.copy(pair, HASH_BYTES, at, at + HASH_BYTES);
      let height = 0;
      let nodes = size;
      place(0, nodes);
      // With a peak of this height, both make one of the next; the newest node is the second of the pair.
      for (; nodes % 2 === 1; nodes = Math.floor(nodes / 2)) {
        peaks.copy(pair, 0, height * HASH_BYTES, (height + 1) * HASH_BYTES);
        hashPair(pair, 0, pair, HASH_BYTES);
        height += 1;
        if (height % TILE_HEIGHT === 0) place(height / TILE_HEIGHT, Math.floor(nodes / 2));
      }
      pair.copy(peaks, height * HASH_BYTES, HASH_BYTES);
      size += 1;
    },
    root() {
      const roots: Buffer[] = [];
      for (let height = 0, rest = size; rest > 0; height += 1, rest = Math.floor(rest / 2))
        if (rest % 2 === 1) roots.unshift(peaks.subarray(height * HASH_BYTES, (height + 1) * HASH_BYTES));
      return roots.length === 0 ? EMPTY_ROOT : Buffer.from(foldNodes(roots));
    },
    edge: () =>
      Buffer.concat(
        Array.from(unfinished, (tile, level) => tile?.subarray(0, widthAt(size, level) * HASH_BYTES) ?? NOTHING),
      ),
    takeFull() {
      const tiles = full;
      full = [];
      return tiles;
    },
  };
}

/** Sizes are whole numbers that JavaScript represents exactly. */
const MOST_HEIGHTS = 54;
const NOTHING = Buffer.alloc(0);
