import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { IncidentPlan } from './group_alerts.ts';
import { countEvents } from './count_events.ts';
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
export async function takeIn(tx: Db, tenant: Tenant, merged: IncidentPlan['merged']): Promise<void> {
  if (merged.length === 0) return;
  const { org_id, environment } = tenant;
  const pairs = sql.unnest([...merged], ['text', 'text']);
  const moved = await tx.anyFirst(sql.type(IdRow)`
    update alerts a set incident_id = m.storm_id from ${pairs} as m (id, storm_id)
    where a.org_id = ${org_id} and a.environment = ${environment} and a.incident_id = m.id
    returning a.id`);
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
    tenant,
    sql.fragment`
    select a.incident_id, a.id, n.chain_seq
    from unnest(${sql.array([...moved], 'text')}) as m (id)
    -- Looked up alert by alert: planned as one, without statistics whole tables are read.
    cross join lateral (
      select a.incident_id, a.id from alerts a
      where a.org_id = ${org_id} and a.environment = ${environment} and a.id = m.id offset 0) a
    cross join lateral (
      select n.chain_seq from alert_events n
      where n.org_id = ${org_id} and n.environment = ${environment} and n.alert_id = a.id offset 0) n`,
  );
}

const IdRow = z.object({ id: z.string() });
