import { z } from 'zod';
import { factorColumns } from '#shared/casework/lesson.ts';
import { type Lessons, lessonsOf } from '#shared/detection/conduct/lessons.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

const Row = z.object({
  detector: z.string(),
  agent_id: z.string(),
  owner_id: z.string(),
  aspect: z.string(),
  factor: z.number(),
  peers_factor: z.number(),
  dismissals: z.number(),
  resolutions: z.number(),
  is_of_peers: z.boolean(),
});

/** How many lessons of an owner's agents count for one another, the latest ones: over the years there are more. */
export const MOST_OF_PEERS = 200;

/**
 * The lessons about the agents of these events, about any agent, and the latest about the agents of the same owners, in one query. For
 * others only the latest count, whichever events are read together.
 */
export async function loadLessons(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
): Promise<Lessons> {
  const agents = [...new Set(events.map(({ agent_id }) => agent_id)), ''];
  const owners = [...new Set(events.map(({ owner_id }) => owner_id))];
  const columns = sql.fragment`l.id, l.detector, l.agent_id, l.owner_id, l.aspect, ${factorColumns}, l.dismissals, l.resolutions`;
  const here = sql.fragment`l.org_id = ${org_id} and l.environment = ${environment}`;
  // With `or`, all lessons of the organization would be read.
  const lessons = await db.any(sql.type(Row)`
    select ${columns}, false as is_of_peers from lessons l where ${here} and l.agent_id = any(${sql.array(agents, 'text')})
    union all
    select ${columns}, true from unnest(${sql.array(owners, 'text')}) o (id) cross join lateral (
      select * from lessons l where ${here} and l.owner_id = o.id order by l.last_at desc, l.id desc limit ${MOST_OF_PEERS}) l
    order by id`);
  return {
    by_agent: lessonsOf(lessons.filter(({ is_of_peers }) => !is_of_peers)).by_agent,
    by_owner: lessonsOf(lessons.filter(({ is_of_peers }) => is_of_peers)).by_owner,
  };
}
