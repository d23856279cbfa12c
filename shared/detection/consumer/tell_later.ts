import { z } from 'zod';
import { commentOnAlerts } from '#shared/casework/alert_actions.ts';
import { type DetectionEvent, isPaid, isUndone, type Payment } from '#shared/events/log/payment.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding, linking } from '#shared/events/log/holding.ts';

/** What the event at `chain_seq` changed for alerts of detectors (their names, with commas between) on its payment, as a clause. */
export type LaterReport = { chain_seq: number; agent_id: string; payment_id: string; detectors: string; text: string };

/** Those that tell of what was spent. */
const OF_SPENDING = 'duplicate_payment,mandate_breach';

/** What an event says that takes the ground from an alert on its payment; null: nothing. `former`: the payment before it. */
export function laterReport(
  { agent_id, payment_id, type, chain_seq }: DetectionEvent,
  former: Payment | undefined,
  payment: Payment,
): LaterReport | null {
  if (!former) return null;
  const said = (detectors: string, text: string) => ({ chain_seq, agent_id, payment_id, detectors, text });
  if (isPaid(former) && isUndone(payment.latest_type))
    return said(OF_SPENDING, `${payment_id} ${type === 'payment.failed' ? 'failed' : 'was canceled'}`);
  if (isRefunded(payment) && !isRefunded(former)) return said(OF_SPENDING, `${payment_id} was refunded`);
  if (isCovered(payment) && former.settled && !isCovered(former))
    return said('price_drift', `what was settled for ${payment_id} had been authorized`);
  return null;
}

const isRefunded = ({ paid_micro, refunded_micro }: Payment) => paid_micro > 0n && refunded_micro >= paid_micro;

/** The same amount was authorized last as was settled. */
const isCovered = ({ authorized_key, settled_key, settled_unlike }: Payment) =>
  authorized_key !== null && authorized_key === settled_key && !settled_unlike;

const Found = z.object({ alert_id: z.string(), chain_seq: z.number(), text: z.string() });

/** Clauses of a comment; of more it says how many. */
const MOST_TOLD = 10;

/** Says on alerts of rules that are not closed what was reported of their payments, of each alert after the event `sinceOf` it. */
export async function tellLater(
  tx: Db,
  tenant: Tenant,
  reports: readonly LaterReport[],
  sinceOf: (alert_id: string) => number,
  now: number,
): Promise<{ told: number }> {
  if (reports.length === 0) return { told: 0 };
  const { org_id, environment } = tenant;
  const found = await tx.any(sql.type(Found)`
    select distinct a.id as alert_id, r.chain_seq, r.text
    from ${tableOf('r', [...reports], { chain_seq: 'int8', agent_id: 'text', payment_id: 'text', detectors: 'text', text: 'text' })}
    cross join lateral (
      select e.id from events e
      where ${holding('payment_id', tenant, sql.fragment`r.payment_id`)} and e.agent_id = r.agent_id and e.chain_seq < r.chain_seq
      order by e.chain_seq desc limit ${MOST_OF_PAYMENT}) e
    cross join lateral (select n.alert_id from alert_events n where ${linking(tenant, sql.fragment`e.id`)} offset 0) n
    join alerts a on a.org_id = ${org_id} and a.environment = ${environment} and a.id = n.alert_id
      and a.agent_id = r.agent_id and a.detector = any(string_to_array(r.detectors, ',')) and a.state in ('open', 'acknowledged', 'escalated') and a.conduct_at is null
    order by a.id, r.chain_seq`);
  const later = found.filter(({ alert_id, chain_seq }) => sinceOf(alert_id) < chain_seq);
  const comments = [...Map.groupBy(later, ({ alert_id }) => alert_id)].map(([alert_id, list]) => {
    const further = list.length - MOST_TOLD;
    const texts = list.slice(0, MOST_TOLD).map(({ text }) => text);
    return {
      alert_id,
      reason: `By what was reported later, ${texts.join(', ')}${further > 0 ? `, and as much of ${further} more` : ''}.`,
    };
  });
  await commentOnAlerts(tx, tenant, comments, now);
  return { told: comments.length };
}

/** Events that are looked at of a payment, the latest. */
const MOST_OF_PAYMENT = 20;
