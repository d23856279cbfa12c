import { type Pool, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { claimDue } from './builds.ts';

/** The jobs of packs that somebody has to look at. */
export const claimPacks = (db: Pool, now: number): Promise<Jobs['pack'][]> =>
  db.transaction(async tx => {
    const rows = await claimDue(tx, 'packs', now);
    // What will not be built needs them no more.
    await tx.query(sql.unsafe`
      delete from pack_events e using packs p
      where p.org_id = e.org_id and p.environment = e.environment and p.id = e.pack_id and p.state in ('failed', 'expired')
        and p.id = any(${sql.array(
          rows.map(({ id }) => id),
          'text',
        )})`);
    return rows.map(({ org_id, environment, id }) => ({ org_id, environment, pack_id: id }));
  });
