import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { EventFinding } from '#shared/detection/model/detector.ts';
import { type Payment, withEvent } from '#shared/events/log/payment.ts';
import { type LoggedEvent, paymentKey, readPaymentEvents } from '#shared/events/ranges/load.ts';
import { tellFindings } from '#shared/detection/consumer/tell_findings.ts';
import { type LaterReport, laterReport, tellLater } from '#shared/detection/consumer/tell_later.ts';
import type { Verdict } from '#shared/assessment/verdict.ts';
import { verdictDetectors } from '#shared/detection/detectors/index.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';

/** An event with what is new in its verdict: only that is shown to the detectors. */
export type Changed = { event: LoggedEvent; verdict: Verdict };

/**
 * Raises the alerts that changed verdicts call for, says on them what is known by now to have become of their payments, and moves the counters.
 * Returns the webhooks to send. Comes last in a transaction.
 */
export async function tellChanges(
  tx: Db,
  tenant: Tenant,
  changed: readonly Changed[],
  now: number,
): Promise<Jobs['webhook'][]> {
  const active = await activeDetectors(tx, tenant, verdictDetectors);
  const findings = changed.flatMap(({ event, verdict }): EventFinding[] =>
    active.flatMap(({ detector, params }) =>
      [detector.judge(event, { verdict }, params) ?? []]
        .flat()
        .map(finding => ({ detector: detector.name, event, finding })),
    ),
  );
  const { raised, jobs } = await tellFindings(tx, tenant, findings, active, now);
  const is_new = new Set(raised.map(({ alert_id }) => alert_id));
  const reports = is_new.size === 0 ? [] : await reportsOf(tx, tenant, changed);
  await tellLater(tx, tenant, reports, alert_id => (is_new.has(alert_id) ? 0 : Infinity), now);
  await moveVersions(tx, tenant, ['alerts', 'mandates', 'verdicts']);
  return jobs;
}

const Seq = z.object({ seq: z.number() });

/** What takes the ground from alerts on these payments, as far as the log is analyzed: detection tells of the rest. */
async function reportsOf(tx: Db, tenant: Tenant, changed: readonly Changed[]): Promise<LaterReport[]> {
  const { org_id, environment } = tenant;
  const seq = await tx.oneFirst(sql.type(Seq)`
    select seq from detection_cursors where org_id = ${org_id} and environment = ${environment}`);
  const payment_ids = [...new Set(changed.map(({ event }) => event.payment_id))];
  const payments = new Map<string, Payment>();
  return (await readPaymentEvents(tx, tenant, payment_ids, seq)).flatMap(event => {
    const former = payments.get(paymentKey(event));
    const payment = withEvent(former, event);
    payments.set(paymentKey(event), payment);
    return laterReport(event, former, payment) ?? [];
  });
}
