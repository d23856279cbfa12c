import { z } from 'zod';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';

/** How long the job of a pack has before reconcile queues another. */
export const QUEUE_GRACE = 10 * SECOND;
const MOST_ATTEMPTS = 20;
const MOST_AT_ONCE = 100;

const Due = z.object({ org_id: z.string(), environment: z.string(), id: z.string() });

/**
 * Packs that somebody has to look at: that wait and nobody has begun, whose worker has been silent for too long, whose time is over, or whose
 * files are to be deleted. Returns the jobs to queue.
 */
export const claimPacks = (db: Pool, now: number): Promise<Jobs['pack'][]> =>
  db.transaction(async tx => {
    const rows = await tx.any(sql.type(Due)`
      with due as materialized (
        select org_id, environment, id, state = 'building' and attempts >= ${MOST_ATTEMPTS} as is_lost from packs
        where next_at <= ${timestamp(now)}
        order by next_at limit ${MOST_AT_ONCE} for update skip locked
      )
      update packs p set
        state = case when is_lost then 'failed' when state = 'building' then 'queued' when state = 'ready' then 'expired' else state end,
        error = case when is_lost then ${LOST} else error end,
        next_at = ${timestamp(now + QUEUE_GRACE)}
      from due where p.org_id = due.org_id and p.environment = due.environment and p.id = due.id
      returning p.org_id, p.environment, p.id`);
    // What will not be built needs them no more.
    await tx.query(sql.unsafe`
      delete from pack_events e using packs p
      where p.org_id = e.org_id and p.environment = e.environment and p.id = e.pack_id and p.state in ('failed', 'expired')
        and p.id = any(${sql.array(
          rows.map(({ id }) => id),
          'text',
        )})`);
    const tenants = new Map(
      rows.map(({ org_id, environment }) => [`${org_id} ${environment}`, { org_id, environment }]),
    );
    await moveVersions(tx, [...tenants.values()], ['packs']);
    return rows.map(({ org_id, environment, id }) => ({ org_id, environment, pack_id: id }));
  });

const LOST = `The process that built it ended ${MOST_ATTEMPTS} times before it was done. Ask for it again, or for a shorter time.`;

/** When the longest waiting pack was asked for; null when none waits. */
export const oldestWaiting = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(created_at) as since from (
      select created_at from packs where next_at is not null and state in ('queued', 'building') order by next_at limit 1000) p`);
