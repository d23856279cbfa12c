import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Flaw } from './check_events.ts';

const Covered = z.object({ last: z.int(), gap: z.int().nullable() });

/** Whether archives hold all events that have left the database, as far as the database says: without a gap, and none twice. */
export async function checkArchives(
  db: Db,
  { org_id, environment }: Tenant,
  archived_seq: number,
): Promise<Flaw | null> {
  const { last, gap } = await db.one(sql.type(Covered)`
    select coalesce(max(to_seq), 0) as last, min(before + 1) filter (where from_seq <> before + 1) as gap
    from (
      select from_seq, to_seq, lag(to_seq, 1, 0::bigint) over (order by to_seq) as before from log_archives
      where org_id = ${org_id} and environment = ${environment}) a`);
  if (gap === null && last === archived_seq) return null;
  const seq = gap ?? Math.min(last, archived_seq) + 1;
  return { seq, reason: `Event ${seq} is in no archive, or in two.` };
}
