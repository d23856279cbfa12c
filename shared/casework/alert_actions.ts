import { UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, invalidTransition, reasonRequired, orNotFound } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import { transitions } from './alert_transitions.ts';
import { type Alert, type AlertActionName, AlertState, findAlert } from './alerts.ts';
import { escalateToCase } from './case_escalation.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

type NewAction = { action: AlertActionName; reason: string | null; actor_id: string | null };

/**
 * Takes an action on an alert and returns the alert after and before it. Escalating opens a case for the agent, or joins its open one.
 * Throws `not_found`, `invalid_transition`, `reason_required` (dismiss and comment need one), and `conflict` when a reopened alert
 * has been followed by a newer one about the same thing.
 */
export function actOnAlert(
  db: Db,
  tenant: Tenant,
  id: string,
  { action, reason, actor_id }: NewAction,
  now: number,
): Promise<{ before: { state: AlertState; case_id: string | null }; alert: Alert }> {
  const { org_id, environment } = tenant;
  const at = timestamp(now);
  return db.transaction(async tx => {
    const alert = orNotFound(
      'alert',
      await tx.maybeOne(sql.type(Current)`
      select state, agent_id, title, severity, case_id from alerts
      where org_id = ${org_id} and environment = ${environment} and id = ${id} for update`),
    );
    if ((action === 'dismiss' || action === 'comment') && !reason?.trim())
      throw reasonRequired(`To ${action} an alert, give a reason.`);
    const next = transitions[alert.state][action];
    if (!next)
      throw invalidTransition(
        `An alert that is ${alert.state} cannot be moved by ${action}; it allows ${allowed(alert.state)}.`,
      );
    const case_id =
      action === 'escalate' ? await escalateToCase(tx, tenant, { ...alert, id }, actor_id, now) : alert.case_id;
    const closed = next === 'resolved' || next === 'dismissed';
    const change = closed
      ? sql.fragment`closed_at = coalesce(closed_at, ${at}), closed_score = coalesce(closed_score, score)`
      : sql.fragment`closed_at = null, closed_score = null`;
    try {
      await tx.query(sql.unsafe`
        update alerts set state = ${next}, case_id = ${case_id}, ${change}
        where org_id = ${org_id} and environment = ${environment} and id = ${id}`);
    } catch (error) {
      if (!(error instanceof UniqueIntegrityConstraintViolationError)) throw error;
      throw conflict('A newer alert about the same thing is open; act on that one.');
    }
    await tx.query(sql.unsafe`
      insert into alert_actions (org_id, environment, alert_id, id, action, reason, actor_id, at)
      values (${org_id}, ${environment}, ${id}, ${newId('act')}, ${action}, ${reason?.trim() ? reason : null}, ${actor_id}, ${at})`);
    const updated = orNotFound('alert', await findAlert(tx, tenant, id));
    return { before: { state: alert.state, case_id: alert.case_id }, alert: updated };
  });
}

/** Comments on alerts in the name of the service. */
export async function commentOnAlerts(
  tx: Db,
  { org_id, environment }: Tenant,
  alert_ids: readonly string[],
  reason: string,
  now: number,
): Promise<void> {
  if (alert_ids.length === 0) return;
  const rows = alert_ids.map(alert_id => [alert_id, newId('act', now)]);
  await tx.query(sql.unsafe`
    insert into alert_actions (org_id, environment, alert_id, id, action, reason, actor_id, at)
    select ${org_id}, ${environment}, r.alert_id, r.id, 'comment', ${reason}, null, ${timestamp(now)}
    from ${sql.unnest(rows, ['text', 'text'])} as r (alert_id, id)`);
}

const Current = z.object({
  state: AlertState,
  agent_id: z.string(),
  title: z.string(),
  severity: z.enum(['low', 'medium', 'high', 'critical']),
  case_id: z.string().nullable(),
});

const allowed = (state: AlertState) => Object.keys(transitions[state]).join(', ');
