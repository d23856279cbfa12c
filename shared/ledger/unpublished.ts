import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';

const Unpublished = z.object({
  org_id: z.string(),
  environment: z.string(),
  since: z.string().nullable(),
  is_due: z.boolean(),
});

const MOST_LOGS = 1_000;

/**
 * Logs that are not as long as their last checkpoint says: longer as a rule, with `since` when the first event beyond it came. A log that
 * was signed a moment ago is not due yet, nor is one that could not be signed.
 */
export const unpublishedLogs = (db: Db, now: number) =>
  db.any(sql.type(Unpublished)`
    select l.org_id, l.environment, e.received_at as since, coalesce(t.next_at <= ${timestamp(now)}, true) as is_due
    from event_logs l left join log_trees t using (org_id, environment) left join lateral (
      select received_at from events
      where org_id = l.org_id and environment = l.environment and chain_seq = coalesce(t.checkpoint_size, 0) + 1 limit 1) e on true
    where l.size <> coalesce(t.checkpoint_size, 0)
    order by e.received_at limit ${MOST_LOGS}`);
