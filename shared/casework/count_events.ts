import type { FragmentSqlToken } from 'slonik';
import { holding, linking } from '#shared/events/log/holding.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** An event that was linked to an alert of an incident. */
type LinkedEvent = { incident_id: string; alert_id: string; chain_seq: number };

/** Counts events that were just linked to alerts in the incidents of those. The caller holds the incidents. */
export async function addEvents(tx: Db, tenant: Tenant, links: readonly LinkedEvent[]): Promise<void> {
  const rows = links.map(({ incident_id, alert_id, chain_seq }) => [incident_id, alert_id, chain_seq]);
  if (rows.length > 0)
    await countEvents(tx, tenant, sql.fragment`select * from ${sql.unnest(rows, ['text', 'text', 'int8'])}`);
}

/**
 * Counts events that were just linked to alerts in the incidents of those, each event once: their number, when the first of them occurred, and
 * each payment at the highest amount its events report. `links` are rows `(incident_id, alert_id, chain_seq)`; what an incident counts already
 * is what its other alerts are linked to. Reads only these events, and earlier ones of the same payments.
 */
export async function countEvents(tx: Db, tenant: Tenant, links: FragmentSqlToken): Promise<void> {
  const { org_id, environment } = tenant;
  await tx.query(sql.unsafe`
    with linked as (
      select l.incident_id, array_agg(l.alert_id) as alert_ids,
        e.chain_seq, e.id, e.agent_id, e.payment_id, e.amount_usd_micro, e.occurred_at
      from (${links}) as l (incident_id, alert_id, chain_seq)
      -- Looked up one by one: planned as one, without statistics the whole log is read.
      cross join lateral (
        select e.chain_seq, e.id, e.agent_id, e.payment_id, e.amount_usd_micro, e.occurred_at from events e
        where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = l.chain_seq offset 0) e
      group by l.incident_id, e.chain_seq, e.id, e.agent_id, e.payment_id, e.amount_usd_micro, e.occurred_at
    ), payments as (
      select l.incident_id, l.agent_id, l.payment_id, array_agg(l.chain_seq) as seqs, max(l.amount_usd_micro) as amount,
        min(l.occurred_at) as since
      from linked l
      where not exists (${linkedTo(tenant, sql.fragment`l.incident_id`, sql.fragment`l.id`)} and n.alert_id <> all(l.alert_ids))
      group by l.incident_id, l.agent_id, l.payment_id
    ), sums as (${addedBy(tenant)})
    update incidents i set event_count = i.event_count + s.events,
      evidence_from = least(i.evidence_from, s.since),
      amount_usd_micro = case when s.amount is null then i.amount_usd_micro else coalesce(i.amount_usd_micro, 0) + s.amount end
    from sums s where i.org_id = ${org_id} and i.environment = ${environment} and i.id = s.incident_id`);
}

/** Adds newly priced events to the sums of their incidents. None of them had a price before. */
export async function repriceIncidents(tx: Db, tenant: Tenant, chain_seqs: readonly number[]): Promise<void> {
  const { org_id, environment } = tenant;
  await tx.query(sql.unsafe`
    with linked as (
      select distinct a.incident_id, e.chain_seq, e.agent_id, e.payment_id, e.amount_usd_micro, e.occurred_at
      from events e
      -- Looked up event by event: planned as one, without statistics every pair is compared.
      cross join lateral (
        select n.alert_id from alert_events n where ${linking(tenant, sql.fragment`e.id`)} offset 0) n
      cross join lateral (
        select incident_id from alerts
        where org_id = ${org_id} and environment = ${environment} and id = n.alert_id limit 1) a
      where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = any(${sql.array([...chain_seqs], 'int8')})
    ), payments as (
      select incident_id, agent_id, payment_id, array_agg(chain_seq) as seqs, max(amount_usd_micro) as amount, min(occurred_at) as since
      from linked group by incident_id, agent_id, payment_id
    ), sums as (${addedBy(tenant)})
    update incidents i set amount_usd_micro = coalesce(i.amount_usd_micro, 0) + s.amount
    from sums s where i.org_id = ${org_id} and i.environment = ${environment} and i.id = s.incident_id and s.amount is not null`);
}

/** Rows `n` that link an event to an alert of an incident. */
const linkedTo = (
  tenant: Tenant,
  incident_id: FragmentSqlToken,
  event_id: FragmentSqlToken,
): FragmentSqlToken => sql.fragment`
  select from alert_events n
  cross join lateral (
    select a.incident_id from alerts a
    where a.org_id = ${tenant.org_id} and a.environment = ${tenant.environment} and a.id = n.alert_id offset 0) a
  where ${linking(tenant, event_id)} and a.incident_id = ${incident_id}`;

/** Of a payment with more events than is plausible, the newest. */
const MOST_OF_PAYMENT = 1_000;

/** What `payments` add to their incidents: their events `seqs`, and by how much these are worth more than all others of the payment that count. */
const addedBy = (tenant: Tenant): FragmentSqlToken => sql.fragment`
  select p.incident_id, sum(cardinality(p.seqs))::int8 as events, min(p.since) as since,
    sum(case when p.amount is not null then greatest(p.amount - coalesce(b.amount, 0), 0) end) as amount
  from payments p left join lateral (
    select o.amount from (
      select * from (
        select e.id, e.amount_usd_micro as amount from events e
        where ${holding('payment_id', tenant, sql.fragment`p.payment_id`)} and e.agent_id = p.agent_id and e.chain_seq <> all(p.seqs)
        order by e.chain_seq desc limit ${MOST_OF_PAYMENT}) newest
      -- Whether it counts is asked from the highest on, until one does.
      where amount is not null order by amount desc offset 0) o
    where exists (${linkedTo(tenant, sql.fragment`p.incident_id`, sql.fragment`o.id`)})
    limit 1) b on true
  group by p.incident_id`;
