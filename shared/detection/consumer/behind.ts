import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';
import { readArrivals } from '#shared/events/log/arrivals.ts';

const Next = z.object({ org_id: z.string(), environment: z.string(), chain_seq: z.number() });

const MOST_LOGS = 1_000;

/** The places after the cursors of logs that have grown, those first whose cursor has stood longest: of cursors that have not moved since a time. */
const placesBehind = (db: Db, before: number | null) =>
  db.any(sql.type(Next)`
    select l.org_id, l.environment, c.seq + 1 as chain_seq from event_logs l join detection_cursors c using (org_id, environment)
    where l.has_news and l.size > c.seq and ${before === null ? sql.fragment`true` : sql.fragment`c.moved_at < ${timestamp(before)}`}
    order by c.moved_at limit ${MOST_LOGS}`);

/** Logs that have grown but whose cursor has not moved since a given time: they need a new job. */
export async function logsBehind(db: Db, before: number): Promise<Tenant[]> {
  const arrivals = await readArrivals(db, await placesBehind(db, before));
  return arrivals.flatMap(({ org_id, environment, received_at }) =>
    received_at < timestamp(before) ? [{ org_id, environment }] : [],
  );
}

const Behind = z.object({ behind: z.boolean() });

/** Whether a log has events that detection has not processed. */
export const isBehind = (db: Db, { org_id, environment }: Tenant) =>
  db.oneFirst(sql.type(Behind)`
    select exists (
      select from event_logs l join detection_cursors c using (org_id, environment)
      where l.org_id = ${org_id} and l.environment = ${environment} and l.size > c.seq) as behind`);

/** The arrival of the oldest event in any log that detection has not processed; null when there is none. */
export const oldestUnanalyzed = async (db: Db): Promise<string | null> =>
  (await readArrivals(db, await placesBehind(db, null)))[0]?.received_at ?? null;
