import type { FragmentSqlToken } from 'slonik';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { IncidentPlan } from './group_alerts.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** Stores new and changed incidents, and the agents of new alerts. */
export async function saveIncidents(
  tx: Db,
  { org_id, environment }: Tenant,
  { changed, incident_of }: IncidentPlan,
  fresh: readonly { alert_id: string; agent_id: string }[],
  now: number,
): Promise<void> {
  const rows = changed.map(incident => ({
    ...incident,
    detectors: [...incident.detectors].toSorted().join(' '),
    storm_detectors: [...incident.storm_detectors].toSorted().join(' '),
    first_at: timestamp(incident.first_at),
    last_at: timestamp(incident.last_at),
    episode_from: timestamp(incident.episode_from),
  }));
  const pairs = new Map(
    fresh.map(({ alert_id, agent_id }) => {
      const incident_id = incident_of.get(alert_id) ?? '';
      return [`${agent_id} ${incident_id}`, [agent_id, incident_id]];
    }),
  );
  await tx.query(sql.unsafe`
    with agents as (
      insert into incident_agents (org_id, environment, agent_id, incident_id)
      select ${org_id}, ${environment}, p.* from ${sql.unnest([...pairs.values()], ['text', 'text'])} as p
      on conflict do nothing
    )
    insert into incidents as i (org_id, environment, id, agent_id, severity, lead_title, lead_score, lead_key, detectors, storm_detectors,
      alert_count, agent_count, first_at, last_at, episode_from, created_at)
    select ${org_id}, ${environment}, r.id, r.agent_id, r.severity, r.lead_title, r.lead_score, r.lead_key, string_to_array(r.detectors, ' '),
      string_to_array(r.storm_detectors, ' '), r.alert_count, r.agent_count, r.first_at, r.last_at, r.episode_from, ${timestamp(now)}::timestamptz
    from ${tableOf('r', rows, incidentColumns)}
    on conflict (org_id, environment, id) do update set
      severity = excluded.severity, lead_title = excluded.lead_title, lead_score = excluded.lead_score, lead_key = excluded.lead_key,
      detectors = excluded.detectors, storm_detectors = excluded.storm_detectors, alert_count = excluded.alert_count, agent_count = excluded.agent_count,
      first_at = excluded.first_at, last_at = excluded.last_at, episode_from = excluded.episode_from,
      acknowledged = i.acknowledged and excluded.alert_count = i.alert_count,
      snoozed_until = case when severity_rank(excluded.severity) <= severity_rank(i.severity) then i.snoozed_until end`);
}

const incidentColumns = {
  id: 'text',
  agent_id: 'text',
  severity: 'text',
  lead_title: 'text',
  lead_score: 'numeric',
  lead_key: 'text',
  detectors: 'text',
  storm_detectors: 'text',
  alert_count: 'int8',
  agent_count: 'int8',
  first_at: 'timestamptz',
  last_at: 'timestamptz',
  episode_from: 'timestamptz',
};

/** Moves the contents of incidents into their storms. Their ids then lead to the storm. */
export async function takeIn(tx: Db, { org_id, environment }: Tenant, merged: IncidentPlan['merged']): Promise<void> {
  if (merged.length === 0) return;
  const pairs = sql.unnest([...merged], ['text', 'text']);
  await tx.query(sql.unsafe`
    update alerts a set incident_id = m.storm_id from ${pairs} as m (id, storm_id)
    where a.org_id = ${org_id} and a.environment = ${environment} and a.incident_id = m.id`);
  await tx.query(sql.unsafe`
    with agents as (
      delete from incident_agents n using ${pairs} as m (id, storm_id)
      where n.org_id = ${org_id} and n.environment = ${environment} and n.incident_id = m.id
      returning n.agent_id, m.storm_id
    ), moved as (
      insert into incident_agents (org_id, environment, agent_id, incident_id)
      select ${org_id}, ${environment}, * from agents on conflict do nothing
    )
    update incidents i set merged_into = m.storm_id, state = 'closed' from ${pairs} as m (id, storm_id)
    where i.org_id = ${org_id} and i.environment = ${environment} and i.id = m.id`);
  await countEvents(
    tx,
    { org_id, environment },
    sql.fragment`
    delete from incident_events n using ${pairs} as m (id, storm_id)
    join incidents o on o.org_id = ${org_id} and o.environment = ${environment} and o.id = m.id
    where n.org_id = ${org_id} and n.environment = ${environment} and n.incident_id = m.id
    returning m.storm_id as incident_id, n.agent_id, n.payment_id, n.chain_seq, n.amount_usd_micro, o.evidence_from as occurred_at`,
  );
}

/** Adds the linked events of alerts, by chain_seq, to their incidents. */
export async function addEvents(
  tx: Db,
  { org_id, environment }: Tenant,
  links: readonly { incident_id: string; chain_seq: number }[],
): Promise<void> {
  const rows = links.map(({ incident_id, chain_seq }) => [incident_id, chain_seq]);
  if (rows.length === 0) return;
  await countEvents(
    tx,
    { org_id, environment },
    sql.fragment`
    select r.incident_id, e.agent_id, e.payment_id, e.chain_seq, e.amount_usd_micro, e.occurred_at
    from ${sql.unnest(rows, ['text', 'int8'])} as r (incident_id, chain_seq)
    join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.chain_seq = r.chain_seq`,
  );
}

/**
 * Adds events to incidents, each once, and updates the sums: the number of events, when the first of them occurred, and each payment at the
 * highest amount its events report. Reads only the added events and earlier ones of the same payments.
 */
async function countEvents(tx: Db, { org_id, environment }: Tenant, events: FragmentSqlToken): Promise<void> {
  await tx.query(sql.unsafe`
    with events as (${events}), added as (
      -- Nobody else adds any: the caller holds the incidents.
      insert into incident_events (org_id, environment, incident_id, agent_id, payment_id, chain_seq, amount_usd_micro)
      select distinct on (e.incident_id, e.agent_id, e.payment_id, e.chain_seq)
        ${org_id}, ${environment}, e.incident_id, e.agent_id, e.payment_id, e.chain_seq, e.amount_usd_micro
      from events e left join lateral (
        select true as is_there from incident_events n
        where n.org_id = ${org_id} and n.environment = ${environment} and n.incident_id = e.incident_id and n.agent_id = e.agent_id
          and n.payment_id = e.payment_id and n.chain_seq = e.chain_seq
        limit 1) n on true
      where n.is_there is null
      returning incident_id, agent_id, payment_id, chain_seq, amount_usd_micro
    ), payments as (
      select incident_id, agent_id, payment_id, array_agg(chain_seq) as seqs, max(amount_usd_micro) as amount
      from added group by incident_id, agent_id, payment_id
    ), sums as (
      select p.incident_id, sum(cardinality(p.seqs))::int8 as events,
        sum(case when p.amount is not null then greatest(p.amount - b.amount, 0) end) as amount
      from payments p cross join lateral (
        -- As it was before: a cluster adds the rows before it reads.
        select coalesce(max(n.amount_usd_micro), 0) as amount from incident_events n
        where n.org_id = ${org_id} and n.environment = ${environment} and n.incident_id = p.incident_id
          and n.agent_id = p.agent_id and n.payment_id = p.payment_id and n.chain_seq <> all(p.seqs)) b
      group by p.incident_id
    )
    update incidents i set event_count = i.event_count + s.events,
      evidence_from = least(i.evidence_from, s.since),
      amount_usd_micro = case when s.amount is null then i.amount_usd_micro else coalesce(i.amount_usd_micro, 0) + s.amount end
    from (select * from sums join (select incident_id, min(occurred_at) as since from events group by incident_id) b using (incident_id)) s
    where i.org_id = ${org_id} and i.environment = ${environment} and i.id = s.incident_id`);
}
