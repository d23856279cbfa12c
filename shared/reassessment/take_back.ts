import { z } from 'zod';
import { commentOnAlerts } from '#shared/casework/alert_actions.ts';
import { type LoggedEvent, paymentKey } from '#shared/events/ranges/load.ts';
import type { MandateVerdict } from '#shared/assessment/verdict.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { listed } from '#shared/mandates/rule.ts';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';

/** An event that broke a mandate and does not any more, or breaks it in another period: with the subjects of the alerts about the periods that it has left. */
type TakenBack = { event: LoggedEvent; left: readonly string[]; verdict: Pick<MandateVerdict, 'result'> };

/**
 * Says on alerts that are not closed which payments broke no mandate after all. Of an alert about a period such a payment is no evidence
 * any more: it stays linked, and is counted no longer. Returns the payments that are not.
 */
export async function takeBackBreaches(
  tx: Db,
  tenant: Tenant,
  mandate_id: string,
  broke: readonly TakenBack[],
  now: number,
): Promise<ReadonlySet<string>> {
  const mended = broke.flatMap(({ event, verdict }) => (verdict.result === 'breach' ? [] : [event]));
  const alone = await alertsOfPayments(tx, tenant, mended);
  const periods = await uncount(tx, tenant, mandate_id, broke);
  const comments = [
    ...alone.map(alert_id => ({ alert_id, reason: WITHIN })),
    ...periods.map(({ alert_id, payment_ids }) => ({ alert_id, reason: withinText(payment_ids) })),
  ];
  await commentOnAlerts(tx, tenant, comments, now);
  return new Set(periods.flatMap(({ payment_ids }) => payment_ids));
}

const WITHIN = 'By events that were reported later, this payment is within its mandate.';

const withinText = (payment_ids: readonly string[]) =>
  `By events that were reported later, ${payment_ids.length === 1 ? 'a payment that was' : `${payment_ids.length} payments that were`} ` +
  `counted here did not go beyond the limit: ${listed(payment_ids)}.`;

const rowsOf = (events: readonly LoggedEvent[]) =>
  tableOf('r', [...new Map(events.map(event => [paymentKey(event), event])).values()], {
    agent_id: 'text',
    payment_id: 'text',
  });

/** Whether an event of the payment `r` breaks one of these mandates (null: any). */
const stillBreaks = (tenant: Tenant, mandate_id: string | null) => sql.fragment`exists (
  select from events e cross join lateral (
    select distinct on (m.mandate_id) m.result from mandate_evaluations m
    where m.org_id = ${tenant.org_id} and m.environment = ${tenant.environment} and m.chain_seq = e.chain_seq
      and (${mandate_id}::text is null or m.mandate_id = ${mandate_id})
    order by m.mandate_id, m.number desc) m
  where ${holding('payment_id', tenant, sql.fragment`r.payment_id`)} and e.agent_id = r.agent_id and m.result = 'breach')`;

/** The alerts about breaches by one of these payments alone, where it breaks no mandate any more. */
async function alertsOfPayments(tx: Db, tenant: Tenant, events: readonly LoggedEvent[]) {
  if (events.length === 0) return [];
  const { org_id, environment } = tenant;
  return tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    select a.id from ${rowsOf(events)}
    join alerts a on a.org_id = ${org_id} and a.environment = ${environment} and a.detector = 'mandate_breach'
      and a.agent_id = r.agent_id and a.subject = r.payment_id and a.state in ('open', 'acknowledged', 'escalated')
    where not ${stillBreaks(tenant, null)}`);
}

const Uncounted = z.object({ alert_id: z.string(), payment_ids: z.array(z.string()) });

/**
 * Counts these payments, where none of their events breaks the mandate, no more in the alerts about its periods, nor such an event in those about the
 * periods that it has left; answers with those alerts.
 */
async function uncount(
  tx: Db,
  { org_id, environment }: Tenant,
  mandate_id: string,
  broke: readonly TakenBack[],
): Promise<readonly z.infer<typeof Uncounted>[]> {
  if (broke.length === 0) return [];
  const rows = broke.map(({ event: { agent_id, payment_id, chain_seq }, left }) => ({
    agent_id,
    payment_id,
    chain_seq,
    left: JSON.stringify(left),
  }));
  return tx.any(sql.type(Uncounted)`
    with within as (
      update alert_events n set counted = false
      from ${tableOf('r', rows, { agent_id: 'text', payment_id: 'text', chain_seq: 'int8', left: 'jsonb' })}
      join events e on ${holding('payment_id', { org_id, environment }, sql.fragment`r.payment_id`)} and e.agent_id = r.agent_id
      join alerts a on a.org_id = ${org_id} and a.environment = ${environment} and a.detector = 'mandate_breach'
        and a.agent_id = r.agent_id and starts_with(a.subject, ${`${mandate_id} `}) and a.state in ('open', 'acknowledged', 'escalated')
      where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = a.id and n.chain_seq = e.chain_seq and n.counted
        and ((n.chain_seq = r.chain_seq and jsonb_exists(r.left, a.subject)) or not ${stillBreaks({ org_id, environment }, mandate_id)})
      returning n.alert_id, e.payment_id
    )
    select alert_id, array_agg(distinct payment_id order by payment_id) as payment_ids from within group by alert_id order by alert_id`);
}
