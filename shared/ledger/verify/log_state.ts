import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { TILE_WIDTH } from '#shared/ledger/tiles.ts';
import type { Flaw } from './check_events.ts';

const State = z.object({
  size: z.number(),
  archived_seq: z.number(),
  first_seq: z.number().nullable(),
  last_seq: z.number().nullable(),
  origin: z.string().nullable(),
  tree_size: z.number(),
  edge: z.instanceof(Buffer).nullable(),
  checkpoint_size: z.number(),
  last_checkpoint: z.number(),
  tiles: z.number(),
});
/**
 * A log at one moment: its size, the end of its archived events, the first and last events in the database, its tree, the last checkpoint
 * according to the tree and the stored one (0: none), and the number of tiles. Later growth changes none of this.
 */
export type LogState = z.infer<typeof State>;

export function readLogState(db: Db, { org_id, environment }: Tenant): Promise<LogState> {
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  return db.one(sql.type(State)`
    select coalesce((select size from event_logs where ${here}), 0) as size,
      coalesce((select archived_seq from event_logs where ${here}), 0) as archived_seq,
      (select min(chain_seq) from events where ${here}) as first_seq, (select max(chain_seq) from events where ${here}) as last_seq,
      t.origin, coalesce(t.size, 0) as tree_size, t.edge, coalesce(t.checkpoint_size, 0) as checkpoint_size,
      coalesce((select max(size) from log_checkpoints where ${here}), 0) as last_checkpoint,
      (select count(*) from log_tiles where ${here}) as tiles
    from (select) as nothing left join log_trees t on t.org_id = ${org_id} and t.environment = ${environment}`);
}

/** A flaw of a log whose counted events are sound: it begins or ends in the wrong place, or something was added. */
export function boundsFlaw(state: LogState): Flaw | null {
  const { size, archived_seq, first_seq, last_seq, tree_size, edge, checkpoint_size, last_checkpoint, tiles } = state;
  const isAt = (seq: number | null, reason: string): Flaw => ({ seq, reason });
  if (first_seq !== null && first_seq < 1) return isAt(first_seq, `There is an event ${first_seq} before the first.`);
  if (first_seq !== null && first_seq >= 1 && first_seq <= archived_seq)
    return isAt(first_seq, `There is an event ${first_seq}, though events up to ${archived_seq} are in archives.`);
  if (last_seq !== null && last_seq > size)
    return isAt(size + 1, `There are events beyond the ${size} that the log counts.`);
  if (last_checkpoint > size)
    return isAt(size + 1, `The log ends at ${size}; it was signed with ${last_checkpoint} events.`);
  if (tree_size > size) return isAt(size + 1, `The log ends at ${size}; its tree has ${tree_size} leaves.`);
  if (last_checkpoint > tree_size)
    return isAt(tree_size + 1, `The tree ends at ${tree_size}; it was signed with ${last_checkpoint} leaves.`);
  if (last_checkpoint !== checkpoint_size)
    return isAt(
      Math.min(last_checkpoint, checkpoint_size) + 1,
      `The newest checkpoint should be that of ${checkpoint_size} events; it is that of ${last_checkpoint}.`,
    );
  if (tree_size === 0 && edge !== null && edge.length > 0)
    return isAt(null, 'The tree has no leaves, but a right edge.');
  if (tiles !== fullTiles(tree_size))
    return isAt(null, `A tree of ${tree_size} leaves has ${fullTiles(tree_size)} full tiles; there are ${tiles}.`);
  return null;
}

function fullTiles(size: number): number {
  const above = Math.floor(size / TILE_WIDTH);
  return above === 0 ? 0 : above + fullTiles(above);
}
