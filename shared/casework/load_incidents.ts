import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Severity } from './alerts.ts';
import { type AssignedIncident, EPISODE_GAP, type ReportedFinding, STORM_WINDOW } from './assigned_incident.ts';
import { FEWEST_STORM_AGENTS, type KnownIncidents, STORM_AGENTS } from './group_alerts.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** How many of the newest open incidents may begin a storm. */
const MOST_NEWEST = 200;

/** When these events occurred, by chain_seq, in milliseconds since 1970. */
export async function timesOf(
  tx: Db,
  { org_id, environment }: Tenant,
  changes: readonly { found_at: readonly number[] }[],
): Promise<Map<number, number>> {
  const seqs = [...new Set(changes.flatMap(({ found_at }) => found_at))];
  const rows = await tx.any(sql.type(LinkedEvent)`
    select chain_seq, occurred_at from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq = any(${sql.array(seqs, 'int8')})`);
  return new Map(rows.map(({ chain_seq, occurred_at }) => [chain_seq, occurred_at]));
}

/** Reads the stored incidents around these moments; `grown` are the existing alerts. */
export async function loadIncidents(
  tx: Db,
  tenant: Tenant,
  moments: readonly ReportedFinding[],
  grown: readonly string[],
): Promise<KnownIncidents> {
  const incident_of = await incidentsOf(tx, tenant, grown);
  const fresh = moments.filter(({ alert_id }) => !incident_of.has(alert_id));
  const agents = [...new Set(fresh.map(({ agent_id }) => agent_id))];
  const ids = [...new Set(incident_of.values())];
  const range = rangeOf(moments);
  const incidents = await incidentsAround(tx, tenant, agents, range, ids);
  if (fresh.length === 0) return { incidents, newest: [], members: new Map(), incident_of, agents: null };
  const detectors = [...new Set(fresh.map(({ detector }) => detector))];
  const newest = await newestOfAgents(tx, tenant, detectors, range);
  const concerned = new Set([...agents, ...newest.flatMap(({ agent_id }) => agent_id ?? [])]);
  const storms = incidents.filter(({ agent_id }) => agent_id === null).map(({ id }) => id);
  const members = await membersOf(tx, tenant, storms, [...concerned]);
  const agents_of_all = concerned.size < FEWEST_STORM_AGENTS ? null : await countAgents(tx, tenant);
  return { incidents, newest, members, incident_of, agents: agents_of_all };
}

/** How many agents the organization has; null where half of them are as many as make any storm. */
async function countAgents(tx: Db, { org_id, environment }: Tenant): Promise<number | null> {
  const most = 2 * STORM_AGENTS;
  const agents = await tx.oneFirst(sql.type(Count)`
    select count(*)::int from (
      select from agents where org_id = ${org_id} and environment = ${environment} limit ${most}) known`);
  return agents < most ? agents : null;
}

const Count = z.object({ count: z.number() });

type Range = { from: number; to: number };

const rangeOf = (moments: readonly ReportedFinding[]): Range => ({
  from: moments.reduce((least, { at }) => Math.min(least, at), Infinity),
  to: moments.reduce((most, { at }) => Math.max(most, at), -Infinity),
});

const AlertIncident = z.object({ id: z.string(), incident_id: z.string() });

async function incidentsOf(tx: Db, { org_id, environment }: Tenant, alert_ids: readonly string[]) {
  const rows = await tx.any(sql.type(AlertIncident)`
    select id, incident_id from alerts
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...alert_ids], 'text')})`);
  return new Map(rows.map(({ id, incident_id }) => [id, incident_id]));
}

/** These incidents of growing alerts, the open ones of these agents, and storms that were active in this time. */
function incidentsAround(
  tx: Db,
  { org_id, environment }: Tenant,
  agents: readonly string[],
  { from, to }: Range,
  ids: readonly string[],
): Promise<readonly AssignedIncident[]> {
  const open = sql.fragment`org_id = ${org_id} and environment = ${environment} and state = 'open'`;
  const during = (gap: number) =>
    sql.fragment`last_at >= ${timestamp(from - gap)} and episode_from <= ${timestamp(to + gap)}`;
  return tx.any(sql.type(Row)`
    select ${columns} from incidents
    where org_id = ${org_id} and environment = ${environment} and id in (
      select unnest(${sql.array([...ids], 'text')})
      union all
      select id from incidents where ${open} and agent_id = any(${sql.array([...agents], 'text')}) and ${during(EPISODE_GAP)}
      union all
      select id from incidents where ${open} and agent_id is null and ${during(STORM_WINDOW)})
    order by id`);
}

/** The newest open incidents of single agents that began in this time and have alerts of these detectors. */
function newestOfAgents(
  tx: Db,
  { org_id, environment }: Tenant,
  detectors: readonly string[],
  { from, to }: Range,
): Promise<readonly AssignedIncident[]> {
  return tx.any(sql.type(Row)`
    select ${columns} from (
      select * from incidents
      where org_id = ${org_id} and environment = ${environment} and state = 'open' and agent_id is not null
      order by id desc limit ${MOST_NEWEST}) newest
    where first_at between ${timestamp(from - STORM_WINDOW)} and ${timestamp(to + STORM_WINDOW)}
      and detectors && ${sql.array([...detectors], 'text')}
    order by id`);
}

const IncidentAgent = z.object({ incident_id: z.string(), agent_id: z.string() });

/** Which of these agents each storm includes. */
async function membersOf(
  tx: Db,
  { org_id, environment }: Tenant,
  storms: readonly string[],
  agents: readonly string[],
): Promise<Map<string, Set<string>>> {
  const members = new Map(storms.map(id => [id, new Set<string>()]));
  if (storms.length === 0) return members;
  const rows = await tx.any(sql.type(IncidentAgent)`
    select incident_id, agent_id from incident_agents
    where org_id = ${org_id} and environment = ${environment} and agent_id = any(${sql.array([...agents], 'text')})
      and incident_id = any(${sql.array([...storms], 'text')})`);
  for (const { incident_id, agent_id } of rows) members.get(incident_id)?.add(agent_id);
  return members;
}

const Milliseconds = z.string().transform(value => Date.parse(value));
const LinkedEvent = z.object({ chain_seq: z.number(), occurred_at: Milliseconds });
const Names = z.array(z.string()).transform(names => new Set(names));

const Row = z.object({
  id: z.string(),
  agent_id: z.string().nullable(),
  severity: Severity,
  lead_title: z.string(),
  lead_score: z.number(),
  lead_key: z.string(),
  detectors: Names,
  storm_detectors: Names,
  alert_count: z.number(),
  agent_count: z.number(),
  first_at: Milliseconds,
  last_at: Milliseconds,
  episode_from: Milliseconds,
  is_new: z.literal(false),
});

const columns = sql.fragment`id, agent_id, severity, lead_title, lead_score::float8 as lead_score, lead_key, detectors, storm_detectors, alert_count,
  agent_count, first_at, last_at, episode_from, false as is_new`;
