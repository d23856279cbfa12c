import type { FragmentSqlToken } from 'slonik';
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

/** The lessons about the agents of these events, about any agent, and about the other agents of the same owners, in one query. */
export async function loadLessons(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
): Promise<Lessons> {
  const agents = [...new Set(events.map(({ agent_id }) => agent_id)), ''];
  const owners = [...new Set(events.map(({ owner_id }) => owner_id))];
  const lessonsWhere = (condition: FragmentSqlToken) => sql.fragment`
    select l.id, l.detector, l.agent_id, l.owner_id, l.aspect, ${factorColumns}, l.dismissals, l.resolutions from lessons l
    where l.org_id = ${org_id} and l.environment = ${environment} and ${condition}`;
  // With `or`, all lessons of the organization would be read.
  return lessonsOf(
    await db.any(sql.type(Row)`
      ${lessonsWhere(sql.fragment`l.agent_id = any(${sql.array(agents, 'text')})`)}
      union
      ${lessonsWhere(sql.fragment`l.owner_id = any(${sql.array(owners, 'text')})`)}
      order by id`),
  );
}
