import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, invalidTransition, orNotFound } from '#shared/interface/errors.ts';
import { LockedAlert, lockedAlertColumns, moveAlerts, needReason, type NewAction } from './alert_actions.ts';
import { transitions } from './alert_transitions.ts';
import { escalateToCase } from './case_escalation.ts';
import { findIncident, type IncidentDetail, needIncident } from './incidents.ts';
import { holdIncidents, settleIncident } from './incident_state.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * Takes an action on those live alerts of an incident that allow it, in a constant number of statements. Returns the incident before and
 * after it, and the alerts that were moved. `alert_count`: how many alerts it had when it was seen. Escalating puts them into one case: their agent's open one, or a new one. Throws `not_found`,
 * `conflict` where it is part of a storm by now or has another number of alerts, `reason_required` (dismiss and comment need one), and
 * `invalid_transition` when no live alert allows the action.
 */
export function actOnIncident(
  db: Db,
  tenant: Tenant,
  id: string,
  action: NewAction & { alert_count?: number | undefined },
  now: number,
): Promise<{ before: { state: string }; alert_ids: string[]; incident: IncidentDetail }> {
  const { org_id, environment } = tenant;
  return db.transaction(async tx => {
    await holdIncidents(tx, tenant);
    const incident = await needIncident(tx, tenant, id);
    if (action.alert_count !== undefined && action.alert_count !== incident.alert_count)
      throw conflict(`The incident has ${incident.alert_count} alerts now. Look at it again first.`);
    needReason(action, 'an incident');
    const live = await tx.any(sql.type(LockedAlert)`
      select ${lockedAlertColumns} from alerts
      where org_id = ${org_id} and environment = ${environment} and incident_id = ${incident.id}
        and state in ('open', 'acknowledged', 'escalated')
      order by id for update`);
    const moves = live.flatMap(alert => {
      const next = transitions[alert.state][action.action];
      return next ? [{ ...alert, next }] : [];
    });
    if (moves.length === 0) throw invalidTransition(whyNot(live.length, action.action));
    if (action.action === 'escalate')
      await escalateToCase(tx, tenant, { ...incident, alerts: moves }, action.actor_id, now);
    await moveAlerts(tx, tenant, moves, action, now);
    await settleIncident(tx, tenant, incident.id);
    return {
      before: { state: incident.state },
      alert_ids: moves.map(alert => alert.id),
      incident: orNotFound('incident', await findIncident(tx, tenant, incident.id)),
    };
  });
}

const whyNot = (live: number, action: string) =>
  live === 0
    ? `All alerts of the incident are closed; to look at one again, reopen that alert.`
    : `None of the incident's alerts that are not closed can be moved by ${action}.`;
