import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Reader } from './notifications.ts';

/** What a daily summary says: how many incidents are open, of which severity, and how many cases are the reader's. */
export const Digest = z.object({
  incidents: z.record(z.string(), z.number()),
  cases: z.number(),
});
export type Digest = z.infer<typeof Digest>;

const severities = ['critical', 'high', 'medium', 'low'];
/** Beyond, "999+" says enough. */
const MOST = 1_000;

/** What waits in an organization now, for one of its members. */
export const readDigest = (db: Db, { org_id, environment, user_id }: Reader): Promise<Digest> =>
  db.one(sql.type(Digest)`
    select coalesce((select jsonb_object_agg(severity, number) from (
        select s.severity, (select count(*) from (
          select 1 from incidents
          where org_id = ${org_id} and environment = ${environment} and state = 'open' and severity = s.severity
          limit ${MOST}) open) as number
        from unnest(${sql.array(severities, 'text')}) s (severity)) counted where number > 0), '{}') as incidents,
      (select count(*) from (
        select 1 from cases
        where org_id = ${org_id} and environment = ${environment} and assignee_id = ${user_id} and status <> 'closed'
        limit ${MOST}) own) as cases`);

/** A summary in words: `Daily summary: 3 open incidents (1 critical, 2 low), 2 open cases assigned to you`. */
export function digestWords({ incidents, cases }: Digest): string {
  const bySeverity = severities.flatMap(severity => {
    const count = incidents[severity];
    return count ? [`${countOf(count)} ${severity}`] : [];
  });
  const all = Object.values(incidents).reduce((sum, count) => sum + count, 0);
  const open = all === 0 ? 'no open incidents' : `${countOf(all)} open ${all === 1 ? 'incident' : 'incidents'}`;
  const own = cases === 0 ? [] : [`${countOf(cases)} open ${cases === 1 ? 'case' : 'cases'} assigned to you`];
  return `Daily summary: ${[open + (all > 0 ? ` (${bySeverity.join(', ')})` : ''), ...own].join(', ')}`;
}

const countOf = (count: number): string => (count >= MOST ? `${MOST - 1}+` : String(count));
