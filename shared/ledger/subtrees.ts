import { LRUCache } from 'lru-cache';
import type { Db } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { LogFault, type OpenTile, openTile, TILE_HEIGHT, TILE_WIDTH, type TileId, tileOf } from './tiles.ts';
import { foldNodes, type Node, nodesOf, type Range } from './ranges.ts';
import { readTiles } from './tree_store.ts';

/** Returns the roots of subtrees of a log's tree. */
export type Subtrees = { rootsOf(ranges: readonly Range[]): Promise<Buffer[]> };

/** 16 KB each, with the nodes within. */
const MOST_TILES = 256;

/**
 * Reads the tiles of subtrees, all missing ones in one query; the latest are cached, and their inner nodes hashed once. A subtree is the
 * same in every tree that has all its leaves, however much was added since. Throws `LogFault` when a tile is missing or too short. The tree
 * has at least `known_size` leaves.
 */
export function createSubtrees(db: Db, tenant: Tenant, known_size = 0): Subtrees {
  const open_tiles = new LRUCache<string, OpenTile>({ max: MOST_TILES });
  return {
    async rootsOf(ranges) {
      const nodes = ranges.map(nodesOf);
      const tiles = new Map<string, OpenTile>();
      const missing = new Map<string, TileId>();
      for (const node of nodes.flat()) {
        const id = tileOf(node);
        const tile = open_tiles.get(keyOf(id));
        // A tile that was incomplete when read may have grown.
        if (tile && tile.width >= widthFor(node)) tiles.set(keyOf(id), tile);
        else missing.set(keyOf(id), id);
      }
      const rows = missing.size > 0 ? await readTiles(db, tenant, [...missing.values()], known_size) : [];
      for (const { level, tile_index, hashes } of rows) {
        const key = keyOf({ level, tile_index });
        const tile = openTile(hashes);
        open_tiles.set(key, tile);
        tiles.set(key, tile);
      }
      return nodes.map(parts => foldNodes(parts.map(node => hashIn(tiles, node))));
    },
  };
}

function hashIn(tiles: Map<string, OpenTile>, node: Node): Buffer {
  const id = tileOf(node);
  const tile = tiles.get(keyOf(id));
  if (!tile || tile.width < widthFor(node))
    throw new LogFault(`The tile ${id.tile_index} of level ${id.level} is missing or not complete.`);
  const height = node.height % TILE_HEIGHT;
  return tile.node(height, node.index % (TILE_WIDTH / 2 ** height));
}

/** The number of hashes that a tile needs for this node to be complete. */
function widthFor({ height, index }: Node): number {
  const leaves = 2 ** (height % TILE_HEIGHT);
  return (index % (TILE_WIDTH / leaves)) * leaves + leaves;
}

const keyOf = ({ level, tile_index }: TileId) => `${level}/${tile_index}`;
