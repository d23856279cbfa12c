import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';
import { readArrivals } from '#shared/events/log/arrivals.ts';

const Longer = z.object({ org_id: z.string(), environment: z.string(), chain_seq: z.number(), is_due: z.boolean() });

const MOST_LOGS = 1_000;

/**
 * Logs that are not as long as their last checkpoint says: longer as a rule, with `since` when the first event beyond it came. A log that
 * was signed a moment ago is not due yet, nor is one that could not be signed.
 */
export async function unpublishedLogs(db: Db, now: number) {
  const logs = await db.any(sql.type(Longer)`
    select l.org_id, l.environment, coalesce(t.checkpoint_size, 0) + 1 as chain_seq, coalesce(t.next_at <= ${timestamp(now)}, true) as is_due
    from event_logs l left join log_trees t using (org_id, environment)
    where l.has_news and l.size <> coalesce(t.checkpoint_size, 0)
    order by t.next_at nulls first limit ${MOST_LOGS}`);
  const since = new Map(
    (await readArrivals(db, logs)).map(each => [`${each.org_id} ${each.environment}`, each.received_at]),
  );
  return logs.map(({ org_id, environment, is_due }) => ({
    org_id,
    environment,
    is_due,
    since: since.get(`${org_id} ${environment}`) ?? null,
  }));
}
