import { type Pool, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { claimDue } from './builds.ts';

/** The jobs of packs that need a worker. */
export async function claimPacks(db: Pool, now: number): Promise<Jobs['pack'][]> {
  const rows = await claimDue(db, 'packs', now, async (tx, { org_id, environment }, ids) => {
    // A pack that will not be built no longer needs its selected events.
    await tx.query(sql.unsafe`
      delete from pack_events e using packs p
      where e.org_id = ${org_id} and e.environment = ${environment}
        and p.org_id = ${org_id} and p.environment = ${environment} and p.id = e.pack_id and p.state in ('failed', 'expired')
        and p.id = any(${sql.array([...ids], 'text')})`);
  });
  return rows.map(({ org_id, environment, id }) => ({ org_id, environment, pack_id: id }));
}
