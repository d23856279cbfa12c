import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';

const Behind = z.object({ org_id: z.string(), environment: z.string() });

const MOST_LOGS = 1_000;

/** Logs and their cursors, with the event past it: looked up of those alone that have one. */
const withNext = sql.fragment`event_logs l join detection_cursors c using (org_id, environment) cross join lateral (
  select received_at from events
  where l.size > c.seq and org_id = l.org_id and environment = l.environment and chain_seq = c.seq + 1 limit 1) e`;

/** Logs that have grown but whose cursor has not moved since a given time: they need a new job. */
export const logsBehind = (db: Db, before: number) =>
  db.any(sql.type(Behind)`
    select l.org_id, l.environment from ${withNext}
    where l.size > c.seq and c.moved_at < ${timestamp(before)} and e.received_at < ${timestamp(before)}
    limit ${MOST_LOGS}`);

/** Whether a log has events that detection has not processed. */
export const isBehind = (db: Db, { org_id, environment }: Tenant) =>
  db.oneFirst(sql.type(z.object({ behind: z.boolean() }))`
    select exists (
      select from event_logs l join detection_cursors c using (org_id, environment)
      where l.org_id = ${org_id} and l.environment = ${environment} and l.size > c.seq) as behind`);

/** The arrival of the oldest event in any log that detection has not processed; null when there is none. */
export const oldestUnanalyzed = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(e.received_at) as since from ${withNext} where l.size > c.seq`);
