import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { NotifiedMember } from './notifications.ts';

/** What a daily summary says: how many incidents are open, of which severity, and how many of them and of the open cases are the reader's. */
export const Digest = z.object({
  incidents: z.record(z.string(), z.number()),
  own_incidents: z.number(),
  own_cases: z.number(),
});
export type Digest = z.infer<typeof Digest>;

const severities = ['critical', 'high', 'medium', 'low'];
/** Beyond, "999+" says enough. */
const MOST = 1_000;

/** What waits in an organization now, for one of its members. */
export const readDigest = (db: Db, { org_id, environment, user_id }: NotifiedMember): Promise<Digest> =>
  db.one(sql.type(Digest)`
    select coalesce((select jsonb_object_agg(severity, number) from (
        select s.severity, (select count(*) from (
          select 1 from incidents
          where org_id = ${org_id} and environment = ${environment} and state = 'open' and severity = s.severity
          limit ${MOST}) open) as number
        from unnest(${sql.array(severities, 'text')}) s (severity)) counted where number > 0), '{}') as incidents,
      (select count(*) from (
        select 1 from incidents
        where org_id = ${org_id} and environment = ${environment} and assignee_id = ${user_id} and state = 'open'
        limit ${MOST}) own) as own_incidents,
      (select count(*) from (
        select 1 from cases
        where org_id = ${org_id} and environment = ${environment} and assignee_id = ${user_id} and status <> 'closed'
        limit ${MOST}) own) as own_cases`);

/** A summary in words: `Daily summary: 3 open incidents (1 critical, 2 low). Assigned to you: 1 incident, 2 cases`. */
export function digestWords({ incidents, own_incidents, own_cases }: Digest): string {
  const bySeverity = severities.flatMap(severity => {
    const count = incidents[severity];
    return count ? [`${countOf(count)} ${severity}`] : [];
  });
  const all = Object.values(incidents).reduce((sum, count) => sum + count, 0);
  const open = all === 0 ? 'no open incidents' : `${nounOf(all, 'open incident')} (${bySeverity.join(', ')})`;
  const own = [
    own_incidents > 0 && nounOf(own_incidents, 'incident'),
    own_cases > 0 && nounOf(own_cases, 'case'),
  ].filter(Boolean);
  return `Daily summary: ${open}${own.length > 0 ? `. Assigned to you: ${own.join(', ')}` : ''}`;
}

const nounOf = (count: number, noun: string): string => `${countOf(count)} ${noun}${count === 1 ? '' : 's'}`;
const countOf = (count: number): string => (count >= MOST ? `${MOST - 1}+` : String(count));
