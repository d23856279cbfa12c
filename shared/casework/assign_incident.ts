import { z } from 'zod';
import { conflict, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { needAssignee } from '#shared/people/members.ts';
import { notifyOfIncident } from '#shared/people/notifications.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';
import { holdIncidents } from './incident_state.ts';
import { type Assignment, findIncident, type IncidentDetail, MOST_ASSIGNMENTS, needIncident } from './incidents.ts';

export const NewAssignee = z
  .strictObject({
    assignee_id: Id('usr').nullable().meta({ description: 'a member of the organization; null: nobody' }),
    from: Id('usr')
      .nullable()
      .optional()
      .meta({ description: 'answer 409 if it is assigned neither to this member nor to `assignee_id`' }),
  })
  .meta({ id: 'NewAssignee', examples: [{ assignee_id: 'usr_01KAG4M0Y8N9T4A5W3R7C2XDEF' }] });

/**
 * Assigns an incident, open or closed, to a member or to nobody; the member is notified unless it is the one who assigns. Repeating it
 * changes nothing. Throws `not_found`, `unprocessable` where the assignee is no member, and `conflict` where it is assigned to another
 * than `from`, or part of a storm by now.
 */
export async function assignIncident(
  tx: Db,
  tenant: Tenant,
  id: string,
  { assignee_id, from }: z.output<typeof NewAssignee>,
  actor_id: string | null,
  now: number,
): Promise<{ before: string | null; incident: IncidentDetail }> {
  const { org_id, environment } = tenant;
  // Otherwise it may become part of a storm meanwhile.
  await holdIncidents(tx, tenant);
  const { assignee_id: before } = await needIncident(tx, tenant, id);
  if (assignee_id !== before) {
    if (from !== undefined && from !== before) throw conflict('The incident’s assignee has been changed since.');
    await needAssignee(tx, org_id, assignee_id);
    const latest: Assignment[] = [{ actor_id, from: before, to: assignee_id, at: timestamp(now) }];
    await tx.query(sql.unsafe`
      update incidents set assignee_id = ${assignee_id},
        assignments = (${JSON.stringify(latest)}::jsonb || coalesce(assignments, '[]')) - ${MOST_ASSIGNMENTS}::int
      where org_id = ${org_id} and environment = ${environment} and id = ${id}`);
    if (assignee_id !== null && assignee_id !== actor_id)
      await notifyOfIncident(tx, { ...tenant, user_id: assignee_id }, id, now);
  }
  return { before, incident: orNotFound('incident', await findIncident(tx, tenant, id)) };
}
