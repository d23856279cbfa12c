import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';
import { unprocessable } from '#shared/interface/errors.ts';
import type { PackScope } from './pack_input.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

export const MOST_EVENTS = 100_000;

const Selected = z.object({ chain_seqs: z.array(z.int()) });

/**
 * The positions of a scope's events, ascending, up to one more than a pack may contain. Throws `unprocessable` when it names something that
 * does not exist, and for an invalid time.
 */
export async function selectEvents(db: Db, tenant: Tenant, scope: PackScope): Promise<readonly number[]> {
  await needThere(db, tenant, scope);
  const { chain_seqs } = await db.one(sql.type(Selected)`
    select coalesce(array_agg(s.chain_seq order by s.chain_seq), '{}') as chain_seqs
    from (select distinct chain_seq from (${eventsOf(tenant, scope)}) e limit ${MOST_EVENTS + 1}) s`);
  return chain_seqs;
}

/** The positions chosen for a pack, ascending. */
export async function selectedEvents(db: Db, { org_id, environment }: Tenant, pack_id: string): Promise<number[]> {
  const { chain_seqs } = await db.one(sql.type(Selected)`
    select chain_seqs from pack_events
    where org_id = ${org_id} and environment = ${environment} and pack_id = ${pack_id}`);
  return chain_seqs;
}

function eventsOf(tenant: Tenant, scope: PackScope) {
  const { org_id, environment } = tenant;
  const { case_id, alert_ids, event_ids, payment_id, agent_id, from, to } = scope;
  const here = (alias: 'e' | 'n' | 'k' | 'a') =>
    sql.fragment`${sql.identifier([alias, 'org_id'])} = ${org_id} and ${sql.identifier([alias, 'environment'])} = ${environment}`;
  const ofAlerts = (alerts: ReturnType<typeof sql.fragment>) => sql.fragment`
    select n.chain_seq from alert_events n where ${here('n')} and n.alert_id in (${alerts})`;
  /** Events in the database, and those moved to archives. */
  const both = (condition: FragmentSqlToken) => sql.fragment`
    select e.chain_seq from events e where ${here('e')} and ${condition}
    union all select e.chain_seq from archived_events e where ${here('e')} and ${condition}`;
  if (case_id !== undefined)
    return sql.fragment`${both(sql.fragment`e.id in (
        select k.target_id from case_links k where ${here('k')} and k.case_id = ${case_id} and k.kind = 'event')`)}
      union all ${ofAlerts(sql.fragment`
        select k.target_id from case_links k where ${here('k')} and k.case_id = ${case_id} and k.kind = 'alert'
        union select a.id from alerts a where ${here('a')} and a.case_id = ${case_id}`)}`;
  if (alert_ids) return ofAlerts(sql.fragment`select unnest(${sql.array(alert_ids, 'text')})`);
  if (event_ids) return both(sql.fragment`e.id = any(${sql.array(event_ids, 'text')})`);
  if (payment_id !== undefined)
    return sql.fragment`
      select e.chain_seq from events e where ${holding('payment_id', tenant, payment_id)}
      union all select e.chain_seq from archived_events e where ${here('e')} and e.payment_id = ${payment_id}`;
  return both(sql.fragment`
    e.agent_id = ${agent_id ?? ''} and e.occurred_at >= ${from ?? null} and e.occurred_at < ${to ?? null}`);
}

const IdRow = z.object({ id: z.string() });

async function needThere(db: Db, tenant: Tenant, scope: PackScope): Promise<void> {
  const { case_id, alert_ids, event_ids, payment_id, agent_id, from = '', to = '' } = scope;
  const single = [
    ['case', 'cases', case_id],
    ['agent', 'agents', agent_id],
  ] as const;
  for (const [thing, table, id] of single)
    if (id !== undefined && (await missing(db, tenant, [table], [id])) >= 0)
      throw unprocessable(`/scope/${thing}_id`, 'not_found', `There is no such ${thing}: ${id}.`);
  const many = [
    ['alert', ['alerts'], alert_ids],
    ['event', ['events', 'archived_events'], event_ids],
  ] as const;
  for (const [thing, tables, ids = []] of many) {
    const position = await missing(db, tenant, tables, ids);
    if (position >= 0)
      throw unprocessable(
        `/scope/${thing}_ids/${position}`,
        'not_found',
        `There is no such ${thing}: ${ids[position]}.`,
      );
  }
  if (payment_id !== undefined && !(await hasPayment(db, tenant, payment_id)))
    throw unprocessable('/scope/payment_id', 'not_found', 'There is no event of such a payment.');
  if (agent_id !== undefined && from >= to)
    throw unprocessable('/scope/to', 'invalid_value', 'to must be later than from.');
}

/** The index of the first id that none of these tables has; -1 when all exist. */
async function missing(
  db: Db,
  { org_id, environment }: Tenant,
  tables: readonly string[],
  ids: readonly string[],
): Promise<number> {
  const existing_ids = new Set<string>();
  for (const table of tables) {
    const unknown = ids.filter(id => !existing_ids.has(id));
    if (unknown.length === 0) break;
    const table_ids = await db.anyFirst(sql.type(IdRow)`
      select id from ${sql.identifier([table])}
      where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array(unknown, 'text')})`);
    for (const id of table_ids) existing_ids.add(id);
  }
  return ids.findIndex(id => !existing_ids.has(id));
}

const hasPayment = (db: Db, tenant: Tenant, payment_id: string) =>
  db.exists(sql.unsafe`
    select from events e where ${holding('payment_id', tenant, payment_id)}
    union all
    select from archived_events
    where org_id = ${tenant.org_id} and environment = ${tenant.environment} and payment_id = ${payment_id}`);
