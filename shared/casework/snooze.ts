import { z } from 'zod';
import { conflict, orNotFound, unprocessable } from '#shared/interface/errors.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { DAY } from '#shared/values/time.ts';
import { findIncident, type IncidentDetail, needIncident } from './incidents.ts';

const LONGEST = 30 * DAY;

/** How many alerts of an incident somebody saw. */
export const SeenAlerts = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

export const Snooze = z
  .strictObject({
    until: TimeInput.meta({ description: 'in the future, at most 30 days ahead' }),
    alert_count: SeenAlerts.optional().meta({
      description: 'how many alerts you saw: with another one since, it is not snoozed',
    }),
  })
  .meta({ id: 'Snooze', examples: [{ until: '2026-11-25T08:00:00.000Z' }] });

/**
 * Takes an open incident out of the queue until a time, or until it has another alert or becomes more severe. Throws `not_found`, `conflict`
 * where it is closed, part of a storm by now, or has other than `alert_count` alerts, `unprocessable` for a time that is past or too far ahead.
 */
export async function snoozeIncident(
  tx: Db,
  tenant: Tenant,
  id: string,
  { until, alert_count }: z.output<typeof Snooze>,
  now: number,
): Promise<IncidentDetail> {
  const incident = await needIncident(tx, tenant, id);
  const at = Date.parse(until);
  if (at <= now || at > now + LONGEST)
    throw unprocessable('/until', 'out_of_range', 'until must be in the future, at most 30 days ahead.');
  return setSnooze(tx, tenant, incident.id, { until, alert_count });
}

/** Brings a snoozed incident back. Throws `not_found`, and `conflict` where it is closed or part of a storm by now. */
export async function unsnoozeIncident(tx: Db, tenant: Tenant, id: string): Promise<IncidentDetail> {
  const incident = await needIncident(tx, tenant, id);
  return setSnooze(tx, tenant, incident.id, { until: null });
}

async function setSnooze(
  tx: Db,
  tenant: Tenant,
  id: string,
  { until, alert_count }: { until: string | null; alert_count?: number | undefined },
): Promise<IncidentDetail> {
  const { rowCount } = await tx.query(sql.unsafe`
    update incidents set snoozed_until = ${until}, snoozed_alerts = case when ${until}::timestamptz is not null then alert_count end
    where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${id} and state = 'open'
      and alert_count = coalesce(${alert_count ?? null}::int, alert_count)`);
  const changed = orNotFound('incident', await findIncident(tx, tenant, id));
  if (rowCount > 0) return changed;
  if (changed.state === 'closed') throw conflict('The incident is closed: it is in no queue.');
  throw conflict(`The incident has ${changed.alert_count} alerts now. Look at it again first.`);
}
