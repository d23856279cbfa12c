import { z } from 'zod';
import { commentOnAlerts } from '#shared/casework/alert_actions.ts';
import { type DetectionEvent, isPaid, isUndone, type Payment } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { formatUsdMicro } from '#shared/values/money.ts';

/** What a report changed for alerts of a detector on its payment, as a clause. */
export type LaterReport = { agent_id: string; payment_id: string; detector: string; text: string };

/** What an event says that takes the ground from an alert on its payment; null: nothing. `former`: the payment before it. */
export function laterReport(
  { agent_id, payment_id, type }: DetectionEvent,
  former: Payment | undefined,
  payment: Payment,
): LaterReport | null {
  if (!former) return null;
  const said = (detector: string, text: string) => ({ agent_id, payment_id, detector, text });
  if (isPaid(former) && isUndone(payment.latest_type))
    return said('duplicate_payment', `${payment_id} ${type === 'payment.failed' ? 'failed' : 'was canceled'}`);
  if (isRefunded(payment) && !isRefunded(former)) return said('duplicate_payment', `${payment_id} was refunded`);
  if (isCovered(payment) && former.settled && !isCovered(former))
    return said('price_drift', `${formatUsdMicro(payment.authorized_micro ?? 0n)} was authorized for ${payment_id}`);
  return null;
}

const isRefunded = ({ paid_micro, refunded_micro }: Payment) => paid_micro > 0n && refunded_micro >= paid_micro;

const isCovered = ({ authorized_micro, largest_settled_micro }: Payment) =>
  authorized_micro !== null && largest_settled_micro !== null && authorized_micro >= largest_settled_micro;

const Found = z.object({ alert_id: z.string(), text: z.string() });

/** Says on alerts that are not closed what was reported of their payments since. */
export async function tellLater(
  tx: Db,
  tenant: Tenant,
  reports: readonly LaterReport[],
  now: number,
): Promise<{ told: number }> {
  if (reports.length === 0) return { told: 0 };
  const { org_id, environment } = tenant;
  const found = await tx.any(sql.type(Found)`
    select a.id as alert_id, r.text
    from ${tableOf('r', [...reports], { agent_id: 'text', payment_id: 'text', detector: 'text', text: 'text' })}
    join alerts a on a.org_id = ${org_id} and a.environment = ${environment} and a.agent_id = r.agent_id and a.detector = r.detector
      and a.state in ('open', 'acknowledged', 'escalated')
    where exists (
      select from alert_events n join events e
        on e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = n.chain_seq
      where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = a.id
        and e.payment_id = r.payment_id and e.agent_id = r.agent_id)
    order by a.id, r.payment_id`);
  const comments = [...Map.groupBy(found, ({ alert_id }) => alert_id)].map(([alert_id, list]) => ({
    alert_id,
    reason: `By what was reported later, ${list.map(({ text }) => text).join(', ')}.`,
  }));
  await commentOnAlerts(tx, tenant, comments, now);
  return { told: comments.length };
}
