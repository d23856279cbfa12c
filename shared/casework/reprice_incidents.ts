import { linking } from '#shared/events/log/holding.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** Adds newly priced events to the sums of their incidents: each payment at the highest amount its events report. */
export const repriceIncidents = (tx: Db, tenant: Tenant, chain_seqs: readonly number[]) => {
  const { org_id, environment } = tenant;
  return tx.query(sql.unsafe`
    with priced as (
      select e.id, e.chain_seq, e.agent_id, e.payment_id, e.amount_usd_micro from events e
      where e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = any(${sql.array([...chain_seqs], 'int8')})
    ), linked as (
      select distinct a.incident_id, p.chain_seq, p.agent_id, p.payment_id, p.amount_usd_micro
      from priced p
      -- Looked up event by event: planned as one, without statistics every pair is compared.
      cross join lateral (
        select n.alert_id from alert_events n where ${linking(tenant, sql.fragment`p.id`)} offset 0) n
      cross join lateral (
        select incident_id from alerts
        where org_id = ${org_id} and environment = ${environment} and id = n.alert_id limit 1) a
      where a.incident_id is not null
    ), changed as (
      update incident_events n set amount_usd_micro = l.amount_usd_micro from linked l
      where n.org_id = ${org_id} and n.environment = ${environment} and n.incident_id = l.incident_id and n.agent_id = l.agent_id
        and n.payment_id = l.payment_id and n.chain_seq = l.chain_seq and n.amount_usd_micro is null
      returning n.incident_id, n.agent_id, n.payment_id, n.amount_usd_micro
    ), payments as (
      select incident_id, agent_id, payment_id, max(amount_usd_micro) as amount from changed group by 1, 2, 3
    ), sums as (
      select p.incident_id, sum(greatest(p.amount - b.amount, 0)) as amount
      from payments p cross join lateral (
        -- As it was before this statement.
        select coalesce(max(n.amount_usd_micro), 0) as amount from incident_events n
        where n.org_id = ${org_id} and n.environment = ${environment} and n.incident_id = p.incident_id
          and n.agent_id = p.agent_id and n.payment_id = p.payment_id) b
      group by p.incident_id
    )
    update incidents i set amount_usd_micro = coalesce(i.amount_usd_micro, 0) + s.amount
    from sums s where i.org_id = ${org_id} and i.environment = ${environment} and i.id = s.incident_id`);
};
