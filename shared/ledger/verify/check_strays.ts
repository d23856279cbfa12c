import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import type { Flaw } from './check_events.ts';

/** Looks for evidence, and for what signatures cover, of events that are not in the log. */
export async function checkStrays(db: Db, tenant: Tenant): Promise<Flaw | null> {
  for (const [table, name] of [
    ['evidence', 'evidence'],
    ['signed_inputs', 'what a signature covers'],
  ] as const) {
    const event_id = await firstStray(db, tenant, table);
    if (event_id !== null)
      return { seq: null, reason: `There is ${name} of an event ${event_id}, which is not in the log.` };
  }
  return null;
}

const AT_ONCE = 10_000;
const Part = z.object({ stray: z.string().nullable(), last: z.string().nullable() });

/** In parts that a statement is done with soon. An event and what belongs to it become visible at the same moment. */
async function firstStray(db: Db, { org_id, environment }: Tenant, table: 'evidence' | 'signed_inputs') {
  for (let after = ''; ;) {
    const { stray, last } = await db.one(sql.type(Part)`
      select min(r.event_id) filter (where e.id is null) as stray, max(r.event_id) as last
      from (
        select event_id from ${sql.identifier([table])}
        where org_id = ${org_id} and environment = ${environment} and event_id > ${after} order by event_id limit ${AT_ONCE}) r
      left join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.id = r.event_id`);
    if (stray !== null || last === null) return stray;
    after = last;
  }
}
