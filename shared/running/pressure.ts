import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';

const Behind = z.object({
  org_id: z.string(),
  organization: z.string(),
  environment: z.string(),
  /** Events that are not analyzed yet. */
  waiting: z.number(),
  since: z.string(),
});
export type Behind = z.infer<typeof Behind>;

/** The logs whose analysis is furthest behind, by how long their events have waited. */
export const listBehind = (db: Db, limit: number): Promise<readonly Behind[]> =>
  db.any(sql.type(Behind)`
    select l.org_id, coalesce(o.name, l.org_id) as organization, l.environment, l.size - c.seq as waiting, e.received_at as since
    from event_logs l join detection_cursors c using (org_id, environment)
    cross join lateral (
      select received_at from events
      where org_id = l.org_id and environment = l.environment and chain_seq = c.seq + 1 limit 1) e
    left join organizations o on o.id = l.org_id
    where l.has_news and l.size > c.seq order by e.received_at limit ${limit}`);

const Storm = z.object({
  org_id: z.string(),
  organization: z.string(),
  incident_id: z.string(),
  title: z.string(),
  severity: z.string(),
  alert_count: z.number(),
  agent_count: z.number(),
  last_at: z.string(),
});
export type Storm = z.infer<typeof Storm>;

/** Open storms: incidents of an organization over many agents, newest first. */
export const listStorms = (db: Db, limit: number): Promise<readonly Storm[]> =>
  db.any(sql.type(Storm)`
    select i.org_id, coalesce(o.name, i.org_id) as organization, i.id as incident_id, i.lead_title as title, i.severity, i.alert_count,
      i.agent_count, i.last_at
    from incidents i left join organizations o on o.id = i.org_id
    where i.state = 'open' and i.agent_id is null and i.merged_into is null order by i.id desc limit ${limit}`);
