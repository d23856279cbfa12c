import { type Db, sql } from '#shared/platform/db.ts';
import type { Found } from '#shared/detection/model/detector.ts';
import { type LoggedEvent, paymentKey } from '#shared/events/ranges/load.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import type { Verdict } from '#shared/assessment/verdict.ts';
import { verdictDetectors } from '#shared/detection/detectors/index.ts';
import { newId } from '#shared/interface/ids.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';

/** An event with what is new in its verdict: only that is shown to the detectors. */
export type Changed = { event: LoggedEvent; verdict: Verdict };

/** Raises the alerts that changed verdicts call for, and moves the counters. Answers with the webhooks to send. Comes last in a transaction. */
export async function tellChanges(
  tx: Db,
  tenant: Tenant,
  changed: readonly Changed[],
  now: number,
): Promise<Jobs['webhook'][]> {
  const active = await activeDetectors(tx, tenant, verdictDetectors);
  const found = changed.flatMap(({ event, verdict }): Found[] =>
    active.flatMap(({ detector, params }) =>
      [detector.judge(event, { verdict }, params) ?? []]
        .flat()
        .map(finding => ({ detector: detector.name, event, finding })),
    ),
  );
  const { jobs } = await tellFindings(tx, tenant, found, active, now);
  await moveVersions(tx, tenant, ['alerts', 'mandates', 'verdicts']);
  return jobs;
}

/** Notes on the living alerts about breaches of these payments that they are none by what is known now. */
export async function commentOnAlerts(
  tx: Db,
  { org_id, environment }: Tenant,
  payments: readonly { agent_id: string; payment_id: string }[],
  reason: string,
  now: number,
): Promise<void> {
  if (payments.length === 0) return;
  const unique = new Map(payments.map(payment => [paymentKey(payment), payment]));
  const rows = [...unique.values()].map(({ agent_id, payment_id }) => [agent_id, payment_id, newId('act', now)]);
  await tx.query(sql.unsafe`
    insert into alert_actions (org_id, environment, alert_id, id, action, reason, actor_id, at)
    select a.org_id, a.environment, a.id, r.action_id, 'comment', ${reason}, null, ${timestamp(now)}
    from ${sql.unnest(rows, ['text', 'text', 'text'])} as r (agent_id, payment_id, action_id)
    join alerts a on a.org_id = ${org_id} and a.environment = ${environment} and a.detector = 'mandate_breach'
      and a.agent_id = r.agent_id and a.subject = r.payment_id and a.state in ('open', 'acknowledged', 'escalated')`);
}
