import { z } from 'zod';
import type { Episode } from '#shared/detection/conduct/episodes.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { Milliseconds } from '#shared/events/ranges/load.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

const Row = z.object({ agent_id: z.string(), detector: z.string(), subject: z.string(), last_at: Milliseconds });

/**
 * What alerts tell of the conduct of the agents in these findings: by agent the latest of these detectors that is live, or was closed
 * within a day.
 */
export async function loadEpisodes(
  tx: Db,
  { org_id, environment }: Tenant,
  findings: readonly EventFinding[],
  detectors: readonly string[],
  now: number,
): Promise<Map<string, Episode>> {
  const conduct = findings.filter(({ finding }) => finding.conduct_at !== undefined);
  if (conduct.length === 0) return new Map();
  const agents = [...new Set(conduct.map(({ event }) => event.agent_id))];
  const rows = await tx.any(sql.type(Row)`
    select distinct on (a.agent_id) a.agent_id, a.detector, a.subject, e.occurred_at as last_at
    from alerts a
    cross join lateral (
      select e.occurred_at from alert_events l
      join events e on e.org_id = l.org_id and e.environment = l.environment and e.chain_seq = l.chain_seq
      where l.org_id = ${org_id} and l.environment = ${environment} and l.alert_id = a.id
      order by l.chain_seq desc limit 1) e
    where a.org_id = ${org_id} and a.environment = ${environment} and a.agent_id = any(${sql.array(agents, 'text')})
      and a.detector = any(${sql.array([...detectors], 'text')})
      and (a.state in ('open', 'acknowledged', 'escalated') or a.closed_at > ${timestamp(now - DAY)})
    order by a.agent_id, e.occurred_at desc, a.id desc`);
  return new Map(rows.map(({ agent_id, ...episode }) => [agent_id, episode]));
}
