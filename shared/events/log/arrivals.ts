import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** A place in a log. */
export type LogPosition = Tenant & { chain_seq: number };

const Arrival = z.object({
  org_id: z.string(),
  environment: z.string(),
  chain_seq: z.number(),
  received_at: z.string(),
});
export type Arrival = z.infer<typeof Arrival>;

/** When the events at these places of any logs came, the earliest first; a place that has none is left out. */
export async function readArrivals(db: Db, places: readonly LogPosition[]): Promise<readonly Arrival[]> {
  if (places.length === 0) return [];
  return db.any(sql.type(Arrival)`
    select e.org_id, e.environment, e.chain_seq, e.received_at
    from ${tableOf('p', places, { org_id: 'text', environment: 'text', chain_seq: 'int8' })}
    join events e on e.org_id = p.org_id and e.environment = p.environment and e.chain_seq = p.chain_seq
    order by e.received_at`);
}
