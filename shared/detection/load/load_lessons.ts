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
});

/** How many lessons of an owner's other agents count, the latest ones: over the years there are more. */
export const MOST_OF_PEERS = 200;

/** The lessons about the agents of these events, about any agent, and the latest about the other agents of the same owners, in one query. */
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
  return lessonsOf(
    await db.any(sql.type(Row)`
      select ${columns} from lessons l where ${here} and l.agent_id = any(${sql.array(agents, 'text')})
      union
      select ${columns} from unnest(${sql.array(owners, 'text')}) o (id) cross join lateral (
        select * from lessons l where ${here} and l.owner_id = o.id order by l.last_at desc, l.id desc limit ${MOST_OF_PEERS}) l
      order by id`),
  );
}
