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
});

/** The conduct that live alerts of these findings' agents cover, by agent, oldest first. */
export async function loadEpisodes(
  tx: Db,
  { org_id, environment }: Tenant,
  findings: readonly EventFinding[],
): Promise<Map<string, Episode[]>> {
  const conduct = findings.filter(({ finding }) => finding.conduct_at !== undefined);
  if (conduct.length === 0) return new Map();
  const agents = [...new Set(conduct.map(({ event }) => event.agent_id))];
  const rows = await tx.any(sql.type(Row)`
    select a.agent_id, a.detector, a.subject, a.conduct_at as from_at, coalesce(a.conduct_until, a.conduct_at) as last_at
    from alerts a
    where a.org_id = ${org_id} and a.environment = ${environment} and a.agent_id = any(${sql.array(agents, 'text')})
      and a.state in ('open', 'acknowledged', 'escalated') and a.conduct_at is not null and a.dedup_agent_id <> ''
    order by a.id`);
  const episodes = new Map<string, Episode[]>();
  for (const { agent_id, ...episode } of rows) {
    const list = episodes.get(agent_id);
    if (list) list.push(episode);
    else episodes.set(agent_id, [episode]);
  }
  return episodes;
}

/** The start of an alert's conduct, and `endOf` its latest; null when the alert is about a rule. */
export type ConductSpan = { conduct_at: string | null; conduct_until: string | null };

/** The first and last time of conduct; null for findings of rules. */
export function spanOfConduct(findings: readonly Pick<EventFinding, 'finding'>[]): ConductSpan {
  const times = findings.flatMap(({ finding }) => finding.conduct_at ?? []);
  if (times.length === 0) return { conduct_at: null, conduct_until: null };
  return { conduct_at: timestamp(Math.min(...times)), conduct_until: timestamp(endOf(Math.max(...times))) };
}
