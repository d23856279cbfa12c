import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, unprocessable } from '#shared/interface/errors.ts';
import { type LinkedIds, noteInCase } from './case_timeline.ts';
import { holdIncidents } from './incident_state.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

/** A record to link to a case, and the agent it is about; screenings are about payees, packs about anything. */
type Target = { kind: 'alert' | 'event' | 'screening' | 'pack'; id: string; agent_id: string | null };

/** How many linked ids of each kind are read with a case. */
export const MOST_LINKS = 200;

/**
 * Finds the records to link to a case (null: to a new one). Its alerts stay locked until the transaction ends: lock the case after them, as
 * escalation does. Throws `unprocessable` for an unknown id, and `conflict` when an alert is in another case that is not closed.
 */
export async function findTargets(
  tx: Db,
  tenant: Tenant,
  { alert_ids = [], event_ids = [], screening_ids = [], pack_ids = [] }: LinkedIds,
  case_id: string | null,
): Promise<Target[]> {
  if (alert_ids.length > 0) await holdIncidents(tx, tenant);
  const alerts = await lockAlerts(tx, tenant, alert_ids);
  const events = await findEvents(tx, tenant, event_ids);
  const screenings = await findRecords(tx, tenant, 'screenings', screening_ids);
  const packs = await findRecords(tx, tenant, 'packs', pack_ids);
  needAll('alert', alert_ids, alerts);
  needAll('event', event_ids, events);
  needAll('screening', screening_ids, screenings);
  needAll('pack', pack_ids, packs);
  await refuseOthers(tx, tenant, alerts, case_id);
  return [
    ...alerts.map(({ id, agent_id }): Target => ({ kind: 'alert', id, agent_id })),
    ...events.map(({ id, agent_id }): Target => ({ kind: 'event', id, agent_id })),
    ...screenings.map(({ id }): Target => ({ kind: 'screening', id, agent_id: null })),
    ...packs.map(({ id }): Target => ({ kind: 'pack', id, agent_id: null })),
  ];
}

/**
 * Links records to a case, notes the new ones in its timeline, and moves alerts into it; existing links stay. A closed case that an alert
 * leaves keeps its link. Returns the ids that are new.
 */
export async function linkTargets(
  tx: Db,
  tenant: Tenant,
  case_id: string,
  targets: readonly Target[],
  actor_id: string | null,
  now: number,
): Promise<LinkedIds> {
  const { org_id, environment } = tenant;
  const rows = tableOf('r', targets, { kind: 'text', id: 'text', agent_id: 'text' });
  const added = await tx.any(sql.type(Link)`
    insert into case_links (org_id, environment, case_id, kind, target_id, linked_at)
    select ${org_id}, ${environment}, ${case_id}, r.kind, r.id, ${timestamp(now)} from ${rows}
    on conflict do nothing
    returning kind, target_id`);
  const moved = await tx.anyFirst(sql.type(Id)`
    update alerts set case_id = ${case_id}
    where org_id = ${org_id} and environment = ${environment} and case_id is distinct from ${case_id}
      and id = any(${sql.array(idsOf(targets, 'alert'), 'text')})
    returning id`);
  await tx.query(sql.unsafe`
    insert into case_agents (org_id, environment, agent_id, case_id)
    select distinct ${org_id}, ${environment}, r.agent_id, ${case_id} from ${rows}
    where r.agent_id is not null
    on conflict do nothing`);
  const isNew = ({ kind, id }: Target) =>
    added.some(link => link.kind === kind && link.target_id === id) || (kind === 'alert' && moved.includes(id));
  const news = targets.filter(isNew);
  const kinds = (['alert', 'event', 'screening', 'pack'] as const).map(
    kind => [`${kind}_ids`, idsOf(news, kind)] as const,
  );
  const linked: LinkedIds = Object.fromEntries(kinds.filter(([, ids]) => ids.length > 0));
  if (Object.keys(linked).length > 0)
    await noteInCase(tx, tenant, case_id, actor_id, [{ kind: 'linked', ...linked }], now);
  return linked;
}

/** The links of the case `c` of a query as JSON: the newest of each kind, newest first. */
export const linksColumn = sql.fragment`json_build_object(
  'alert_ids', ${newest('alert')}, 'event_ids', ${newest('event')},
  'screening_ids', ${newest('screening')}, 'pack_ids', ${newest('pack')})`;

function newest(kind: string) {
  return sql.fragment`(
    select coalesce(json_agg(l.target_id order by l.linked_at desc, l.target_id desc), '[]') from (
      select k.target_id, k.linked_at from case_links k
      where k.org_id = c.org_id and k.environment = c.environment and k.case_id = c.id and k.kind = ${kind}
      order by k.linked_at desc, k.target_id desc limit ${MOST_LINKS}) l)`;
}

const Link = z.object({ kind: z.string(), target_id: z.string() });
const Id = z.object({ id: z.string() });
const LinkedEvent = z.object({ id: z.string(), agent_id: z.string() });
const LinkedAlert = LinkedEvent.extend({ case_id: z.string().nullable() });

const lockAlerts = (tx: Db, { org_id, environment }: Tenant, ids: string[]) =>
  tx.any(sql.type(LinkedAlert)`
    select id, agent_id, case_id from alerts
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})
    order by id for update`);

const findEvents = (tx: Db, { org_id, environment }: Tenant, ids: string[]) =>
  tx.any(sql.type(LinkedEvent)`
    select id, agent_id from events
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})
    union all
    select id, agent_id from archived_events
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})`);

const findRecords = (tx: Db, { org_id, environment }: Tenant, table: 'screenings' | 'packs', ids: string[]) =>
  tx.any(sql.type(Id)`
    select id from ${sql.identifier([table])}
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(ids, 'text')})`);

function needAll(kind: string, ids: string[], rows: readonly { id: string }[]): void {
  const existing_ids = new Set(rows.map(({ id }) => id));
  const missing = ids.findIndex(id => !existing_ids.has(id));
  if (missing < 0) return;
  throw unprocessable(`/${kind}_ids/${missing}`, 'not_found', `There is no such ${kind}: ${ids[missing]}.`);
}

async function refuseOthers(
  tx: Db,
  { org_id, environment }: Tenant,
  alerts: readonly z.infer<typeof LinkedAlert>[],
  case_id: string | null,
): Promise<void> {
  const others = alerts.flatMap(alert => (alert.case_id === null || alert.case_id === case_id ? [] : [alert.case_id]));
  if (others.length === 0) return;
  const open = await tx.anyFirst(sql.type(Id)`
    select id from cases
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(others, 'text')}) and status <> 'closed'`);
  const linked = alerts.find(alert => alert.case_id !== null && open.includes(alert.case_id));
  if (linked)
    throw conflict(
      `The alert ${linked.id} is in the case ${linked.case_id}; close that, or go on with the alert there.`,
    );
}

const idsOf = (targets: readonly Target[], kind: Target['kind']) =>
  targets.filter(target => target.kind === kind).map(({ id }) => id);
