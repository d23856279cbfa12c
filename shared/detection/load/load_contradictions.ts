import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';
import type { History } from '#shared/detection/model/history.ts';
import { countedMicro, lastPlace, MicroUsd, Milliseconds, paymentKey } from '#shared/events/ranges/load.ts';
import { counts, type DetectionEvent, isUndone, type Payment, withEvent } from '#shared/events/log/payment.ts';
import type { PaymentReport } from '#shared/detection/model/detector.ts';
import { mayBeOvercharged } from '#shared/detection/model/overcharge.ts';
import { isRedirected } from '#shared/detection/model/redirection.ts';
import { EventType } from '#shared/values/event_types.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const ReportedAmount = z.object({
  value: z.string(),
  currency: z.string().optional(),
  asset: z.object({ network: z.string(), address: z.string() }).optional(),
});

const ReportRow = z.object({
  agent_id: z.string(),
  payment_id: z.string(),
  chain_seq: z.number(),
  source_id: z.string(),
  source_name: z.string(),
  type: EventType,
  occurred_at: Milliseconds,
  usd_micro: MicroUsd,
  price_key: z.string(),
  amount: ReportedAmount,
  category: z.string().nullable(),
  payee_id: z.string(),
  payee_key: z.string(),
});

/** The latest reports per payment; a bound, not a rule. */
const MOST_REPORTS = 200;

/**
 * All reports up to the end of a range on its payments whose reports may contradict each other. There are few, and only for them it matters
 * who reported what.
 */
export async function loadReports(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly DetectionEvent[],
  histories: ReadonlyMap<string, History>,
  outside: ReadonlyMap<string, Payment>,
): Promise<Map<string, PaymentReport[]>> {
  const reports = new Map<string, PaymentReport[]>();
  const contradicting = contradictingPayments(events, histories, outside);
  if (contradicting.size === 0) return reports;
  const last = lastPlace(events);
  const rows = await db.any(sql.type(ReportRow)`
    select agent_id, payment_id, chain_seq, source_id,
      coalesce((select name from sources s where s.org_id = e.org_id and s.environment = e.environment and s.id = e.source_id), source_id) as source_name,
      type, occurred_at, ${countedMicro} as usd_micro, encode(price_key, 'hex') as price_key,
      input::jsonb #> '{payment,amount}' as amount, input::jsonb ->> 'category' as category, payee_id,
      (select key from payees p where p.org_id = e.org_id and p.environment = e.environment and p.id = e.payee_id) as payee_key
    from unnest(${sql.array([...contradicting], 'text')}) g (id) cross join lateral (
      select * from events e
      where ${holding('payment_id', { org_id, environment }, sql.fragment`g.id`)} and e.chain_seq <= ${last}
      order by e.chain_seq desc limit ${MOST_REPORTS}) e
    order by chain_seq`);
  for (const { agent_id, payment_id, ...report } of rows) {
    const key = paymentKey({ agent_id, payment_id });
    const siblings = reports.get(key);
    if (siblings) siblings.push(report);
    else reports.set(key, [report]);
  }
  return reports;
}

/** The payments of a range whose reports may contradict each other, see `mayContradict`. */
export function contradictingPayments(
  events: readonly DetectionEvent[],
  histories: ReadonlyMap<string, History>,
  outside: ReadonlyMap<string, Payment>,
): Set<string> {
  const contradicting = new Set<string>();
  const inRange = new Map<string, Payment>();
  for (const event of events) {
    const { payment_id, agent_id } = event;
    if (!mayChange(event)) continue;
    const key = paymentKey(event);
    const former = inRange.get(key) ?? histories.get(agent_id)?.by_id.get(payment_id) ?? outside.get(key);
    const payment = withEvent(former, event);
    inRange.set(key, payment);
    if (mayContradict(former, payment) || isAuthorizedAnew(former, event)) contradicting.add(payment_id);
  }
  return contradicting;
}

const mayChange = ({ type }: DetectionEvent) => counts(type) || isUndone(type);

/** Whether a payment that was authorized before is authorized for another amount. */
const isAuthorizedAnew = (former: Payment | undefined, { type, price_key }: DetectionEvent): boolean =>
  type === 'payment.authorized' && typeof former?.authorized_key === 'string' && former.authorized_key !== price_key;

/**
 * Whether a payment was settled, and failed or canceled; or settled at two prices, perhaps above what was authorized; or for another payee.
 */
const mayContradict = (former: Payment | undefined, payment: Payment): boolean =>
  payment.settled_unlike ||
  (payment.settled && payment.undone_at !== null) ||
  isRedirected(payment) ||
  mayBeOvercharged(former, payment);
