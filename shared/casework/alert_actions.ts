import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, invalidTransition, reasonRequired, orNotFound } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import { transitions } from './alert_transitions.ts';
import { type AlertActionName, type AlertDetail, AlertState, findAlert, Severity } from './alerts.ts';
import { escalateToCase } from './case_escalation.ts';
import { holdIncidents, settleIncident } from './incident_state.ts';
import { learnFrom, unlearn } from './lessons.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

export type NewAction = { action: AlertActionName; reason: string | null; actor_id: string | null };

/**
 * Takes an action on an alert and returns the alert before and after. Escalating opens a case for the agent, or joins its open one. Closing
 * an alert teaches how similar findings are to be weighed, and reopening it undoes that. Throws `not_found`, `invalid_transition`,
 * `reason_required` (dismiss and comment need one), and `conflict` when a reopened alert has been followed by a newer one about the same
 * thing.
 */
export function actOnAlert(
  db: Db,
  tenant: Tenant,
  id: string,
  action: NewAction,
  now: number,
): Promise<{ before: { state: AlertState; case_id: string | null }; alert: AlertDetail }> {
  const { org_id, environment } = tenant;
  return db.transaction(async tx => {
    await holdIncidents(tx, tenant);
    const alert = orNotFound(
      'alert',
      await tx.maybeOne(sql.type(LockedAlert)`
      select ${lockedAlertColumns} from alerts
      where org_id = ${org_id} and environment = ${environment} and id = ${id} for update`),
    );
    needReason(action, 'an alert');
    const { state, case_id, incident_id } = alert;
    const next = transitions[state][action.action];
    if (!next)
      throw invalidTransition(
        `An alert that is ${state} cannot be moved by ${action.action}; it allows ${allowed(state)}.`,
      );
    if (action.action === 'escalate')
      await escalateToCase(tx, tenant, { ...alert, alerts: [alert] }, action.actor_id, now);
    await moveAlerts(tx, tenant, [{ id, state, next }], action, now);
    await settleIncident(tx, tenant, incident_id);
    return { before: { state, case_id }, alert: orNotFound('alert', await findAlert(tx, tenant, id)) };
  });
}

/** Throws `reason_required` when an action needs a reason and has none, or a blank one. */
export function needReason({ action, reason }: NewAction, thing: string): void {
  if ((action === 'dismiss' || action === 'comment') && !reason?.trim())
    throw reasonRequired(`To ${action} ${thing}, give a reason.`);
}

/**
 * Moves locked alerts, records who did it, and learns from those that are closed. Throws `conflict` when one is reopened while a newer one
 * is live.
 */
export async function moveAlerts(
  tx: Db,
  tenant: Tenant,
  moves: readonly { id: string; state: AlertState; next: AlertState }[],
  { action, reason, actor_id }: NewAction,
  now: number,
): Promise<void> {
  const { org_id, environment } = tenant;
  const at = timestamp(now);
  const rows = moves.map(({ id, next }) => [id, next, newId('act')]);
  const moved = sql.fragment`${sql.unnest(rows, ['text', 'text', 'text'])} as r (id, next, action_id)`;
  const closes = sql.fragment`r.next in ('resolved', 'dismissed')`;
  try {
    await tx.query(sql.unsafe`
      update alerts a set state = r.next, closed_at = case when ${closes} then coalesce(a.closed_at, ${at}) end,
        closed_score = case when ${closes} then coalesce(a.closed_score, a.score) end
      from ${moved}
      where a.org_id = ${org_id} and a.environment = ${environment} and a.id = r.id`);
  } catch (error) {
    if (!(error instanceof UniqueIntegrityConstraintViolationError)) throw error;
    throw conflict('A newer alert about the same thing is open; act on that one.');
  }
  await tx.query(sql.unsafe`
    insert into alert_actions (org_id, environment, alert_id, id, action, reason, actor_id, at)
    select ${org_id}, ${environment}, r.id, r.action_id, ${action}, ${reason?.trim() ? reason : null}, ${actor_id}, ${at}
    from ${moved}`);
  for (const closed of ['resolved', 'dismissed'] as const) {
    const ids = (list: typeof moves) => list.map(({ id }) => id);
    const learned = moves.filter(({ state, next }) => next === closed && closedAs(state) === null);
    const forgotten = moves.filter(({ state, next }) => state === closed && closedAs(next) === null);
    if (learned.length > 0) await learnFrom(tx, tenant, ids(learned), closed, now);
    if (forgotten.length > 0) await unlearn(tx, tenant, ids(forgotten), closed);
  }
}

/** Comments on alerts in the name of the service. */
export async function commentOnAlerts(
  tx: Db,
  tenant: Tenant,
  comments: readonly { alert_id: string; reason: string }[],
  now: number,
): Promise<void> {
  if (comments.length === 0) return;
  // A comment changes its alert's `updated_at`, and so locks it.
  await holdIncidents(tx, tenant);
  const { org_id, environment } = tenant;
  const rows = comments.map(({ alert_id, reason }) => [alert_id, newId('act', now), reason]);
  await tx.query(sql.unsafe`
    insert into alert_actions (org_id, environment, alert_id, id, action, reason, actor_id, at)
    select ${org_id}, ${environment}, r.alert_id, r.id, 'comment', r.reason, null, ${timestamp(now)}
    from ${sql.unnest(rows, ['text', 'text', 'text'])} as r (alert_id, id, reason)`);
}

export const LockedAlert = z.object({
  id: z.string(),
  state: AlertState,
  agent_id: z.string(),
  title: z.string(),
  severity: Severity,
  case_id: z.string().nullable(),
  incident_id: z.string(),
});
export const lockedAlertColumns = sql.fragment`id, state, agent_id, title, severity, case_id, incident_id`;

/** The state that closes an alert; null for states that do not. */
const closedAs = (state: AlertState) => (state === 'resolved' || state === 'dismissed' ? state : null);

const allowed = (state: AlertState) => Object.keys(transitions[state]).join(', ');
