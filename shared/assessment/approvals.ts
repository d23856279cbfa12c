import { z } from 'zod';
import { type EvaluationStep, isEvaluated } from './evaluation_plan.ts';
import { widest } from './judge_plan.ts';
import { loadReports } from './load_reports.ts';
import { asksApproval, type MandateSet } from './mandate_set.ts';
import { holdingAny } from '#shared/events/log/holding.ts';
import { Milliseconds, paymentKey, readPaymentEvents } from '#shared/events/ranges/load.ts';
import type { Late } from '#shared/events/ranges/rechecks.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { approvalOf } from '#shared/mandates/approval.ts';
import { type Db, sql } from '#shared/platform/db.ts';

type Reports = ReadonlyMap<number, ReportedEvent>;

/**
 * These reports, by chain_seq, with the approval that another report of the same payment shows: an agent says that a person approved, and a
 * payment service, which does not know, reports the settlement. Of what was reported up to `until`, or where that is null, before each report.
 * An approval covers no more than the amount that came with it. Reads nothing where no mandate asks for one.
 */
export async function withApprovals(
  tx: Db,
  tenant: Tenant,
  reports: Reports,
  mandates: MandateSet,
  until: number | null,
): Promise<Reports> {
  const wanting = [...reports].filter(
    ([, event]) => mandates.asksApproval(event.agent_id) && isEvaluated(event) && approvalOf(event) === null,
  );
  if (wanting.length === 0) return reports;
  const payment_ids = [...new Set(wanting.map(([, { payment_id }]) => payment_id))];
  const last = until ?? Math.max(...wanting.map(([chain_seq]) => chain_seq));
  const others = await readPaymentEvents(tx, tenant, payment_ids, last);
  const unread = others.filter(({ chain_seq }) => !reports.has(chain_seq));
  const approved = [...reports, ...(await loadReports(tx, tenant, unread))].filter(
    ([, event]) => approvalOf(event) !== null,
  );
  const approvals = Map.groupBy(approved, ([, event]) => paymentKey(event));
  const covered = wanting.flatMap(([seq, event]): [number, ReportedEvent][] => {
    const isApproved = approvals
      .get(paymentKey(event))
      ?.some(([approved_seq, approval]) => (until !== null || approved_seq < seq) && covers(approval, event));
    return isApproved ? [[seq, { ...event, human_present: true }]] : [];
  });
  return new Map([...reports, ...covered]);
}

/**
 * What has to be evaluated again by mandate because an approval arrived: where an earlier report of the same payment was in breach. Changes
 * `late`.
 */
export async function reopenApproved(
  tx: Db,
  tenant: Tenant,
  steps: readonly EvaluationStep[],
  late: Map<string, Late>,
): Promise<void> {
  const approved = steps.filter(
    ({ report, before, mandate }) => before !== null && asksApproval(mandate) && approvalOf(report.event) !== null,
  );
  if (approved.length === 0) return;
  const payment_ids = [...new Set(approved.map(({ report }) => report.event.payment_id))];
  const mandate_ids = [...new Set(approved.map(({ mandate }) => mandate.id))];
  const { org_id, environment } = tenant;
  const rows = await tx.any(sql.type(BreachRow)`
    select m.mandate_id, min(m.position_at) as first, max(m.position_at) as last
    from events e join mandate_evaluations m on m.org_id = ${org_id} and m.environment = ${environment} and m.chain_seq = e.chain_seq
      and m.mandate_id = any(${sql.array(mandate_ids, 'text')}) and m.result = 'breach'
    where ${holdingAny('payment_id', tenant, payment_ids)}
    group by m.mandate_id`);
  for (const { mandate_id, first, last } of rows) {
    const reopened = { from: { at: first, seq: 0 }, until: last + 1 };
    late.set(mandate_id, widest(late.get(mandate_id) ?? reopened, reopened));
  }
}

const BreachRow = z.object({ mandate_id: z.string(), first: Milliseconds, last: Milliseconds });

/** How much more an amount in another currency may come to, in percent: rates differ from day to day. */
const RATES_DIFFER = 5n;

function covers({ amount, usd_micro }: ReportedEvent, event: ReportedEvent): boolean {
  if (amount.denomination === event.amount.denomination) return event.amount.value <= amount.value;
  if (usd_micro === null || event.usd_micro === null) return false;
  return event.usd_micro * 100n <= usd_micro * (100n + RATES_DIFFER);
}
