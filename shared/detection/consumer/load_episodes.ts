import { z } from 'zod';
import { endOf, type Episode } from '#shared/detection/conduct/episodes.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';

const Row = z.object({
  agent_id: z.string(),
  detector: z.string(),
  subject: z.string(),
  from_at: Milliseconds,
  last_at: Milliseconds,
  is_closed: z.boolean(),
});

/** The conduct that alerts of these findings' agents cover, live ones and those of the same detectors closed since `closed_after` (ms), by agent. */
export async function loadEpisodes(
  tx: Db,
  { org_id, environment }: Tenant,
  findings: readonly EventFinding[],
  closed_after: number,
): Promise<Map<string, Episode[]>> {
  const conduct = findings.filter(({ finding }) => finding.conduct_at !== undefined);
  if (conduct.length === 0) return new Map();
  const agents = sql.array([...new Set(conduct.map(({ event }) => event.agent_id))], 'text');
  const detectors = sql.array([...new Set(conduct.map(({ detector }) => detector))], 'text');
  const columns = sql.fragment`a.id, a.agent_id, a.detector, a.subject, a.conduct_at as from_at, coalesce(a.conduct_until, a.conduct_at) as last_at`;
  const rows = await tx.any(sql.type(Row)`
    select ${columns}, false as is_closed
    from alerts a
    where a.org_id = ${org_id} and a.environment = ${environment} and a.agent_id = any(${agents})
      and a.state in ('open', 'acknowledged', 'escalated') and a.conduct_at is not null and a.dedup_agent_id <> ''
    union all
    select ${columns}, true
    from alerts a
    where a.org_id = ${org_id} and a.environment = ${environment} and a.detector = any(${detectors}) and a.dedup_agent_id = any(${agents})
      and a.state in ('resolved', 'dismissed') and a.closed_at > ${timestamp(closed_after)} and a.conduct_at is not null
    order by id`);
  const episodes = new Map<string, Episode[]>();
  for (const { agent_id, is_closed, ...rest } of rows) {
    const episode = is_closed ? { ...rest, closed: true as const } : rest;
    const list = episodes.get(agent_id);
    if (list) list.push(episode);
    else episodes.set(agent_id, [episode]);
  }
  return episodes;
}

/** The start of an alert's conduct, and `endOf` its latest; null when the alert is about a rule. */
export type ConductSpan = { conduct_at: string | null; conduct_until: string | null };

/** The first and last time of conduct; null for findings of rules, and for what only goes on. */
export function spanOfConduct(findings: readonly Pick<EventFinding, 'finding'>[]): ConductSpan {
  const times = findings.flatMap(({ finding }) => (finding.goes_on === undefined ? (finding.conduct_at ?? []) : []));
  if (times.length === 0) return { conduct_at: null, conduct_until: null };
  return { conduct_at: timestamp(Math.min(...times)), conduct_until: timestamp(endOf(Math.max(...times))) };
}
