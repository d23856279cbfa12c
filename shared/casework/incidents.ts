import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { centsOf } from '#shared/events/parties/agent_records.ts';
import { conflict, orNotFound } from '#shared/interface/errors.ts';
import { Id } from '#shared/interface/ids.ts';
import {
  byChange,
  checkSort,
  direction,
  ofEachState,
  type Order,
  ordered,
  updatedFrom,
} from '#shared/interface/changes.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { Alert, alertColumns, alertStanding, bySeverity, Severity, severityRanks } from './alerts.ts';
import { type Tenant, Timestamp, TimeFilter } from '#shared/interface/schemas.ts';

const IncidentState = z.enum(['open', 'closed']);

/** How many of its alerts are read with an incident. */
const MOST_ALERTS = 50;

export const Incident = z
  .object({
    id: Id('inc'),
    agent_id: Id('agt').nullable().meta({ description: 'null: a storm over many agents' }),
    state: IncidentState.meta({ description: 'open while one of its alerts is open, acknowledged or escalated' }),
    acknowledged: z.boolean().meta({ description: 'none of its alerts is `open`' }),
    severity: Severity.meta({ description: 'that of its worst alert' }),
    title: z.string(),
    alert_count: z.int(),
    agent_count: z.int(),
    event_count: z.int().meta({ description: 'distinct events of its alerts' }),
    amount_usd_minor: z.string().nullable().meta({
      description:
        'US cents: the distinct payments of its alerts, as far as they could be priced; null when none could',
    }),
    amount_usd_micro: z.string().nullable().meta({ description: 'the same in millionths of a US dollar, unrounded' }),
    first_at: Timestamp.meta({ description: 'when the first of what its alerts tell of occurred' }),
    last_at: Timestamp.meta({ description: 'when the last of it occurred' }),
    detectors: z.array(z.string()).meta({ description: 'those whose findings its alerts tell of, or told of' }),
    snoozed_until: Timestamp.nullable().meta({
      description:
        'until when it is snoozed; null where it is not, or has got another alert or become more severe since',
    }),
    assignee_id: Id('usr').nullable().meta({ description: 'the member it is assigned to' }),
    created_at: Timestamp,
    updated_at: Timestamp.meta({ description: 'when it changed last' }),
  })
  .meta({ id: 'Incident' });
export type Incident = z.infer<typeof Incident>;

/** How many of its assignments are kept with an incident. */
export const MOST_ASSIGNMENTS = 50;

const Assignment = z
  .object({
    actor_id: z.string().nullable().meta({ description: '`usr_…` or `key_…`: who assigned it' }),
    from: Id('usr').nullable().meta({ description: 'null: nobody' }),
    to: Id('usr').nullable().meta({ description: 'null: nobody' }),
    at: Timestamp,
  })
  .meta({ id: 'IncidentAssignment' });
export type Assignment = z.infer<typeof Assignment>;

const IncidentRow = Incident.extend({
  assignments: z
    .array(Assignment)
    .max(MOST_ASSIGNMENTS)
    .meta({ description: `to whom it was assigned, newest first, at most ${MOST_ASSIGNMENTS} times` }),
});

export const IncidentDetail = IncidentRow.extend({
  alerts: z
    .array(Alert)
    .max(MOST_ALERTS)
    .meta({
      description: `Its newest alerts, at most ${MOST_ALERTS}, the strongest first. \`GET /v1/alerts?incident_id=\` has them all.`,
    }),
}).meta({ id: 'IncidentDetail' });
export type IncidentDetail = z.infer<typeof IncidentDetail>;

export const IncidentFilters = z.strictObject({
  state: IncidentState.optional(),
  severity: Severity.optional(),
  snoozed: z.enum(['true', 'false']).optional().meta({ description: 'only those that are snoozed, or that are not' }),
  assignee_id: z
    .union([z.literal('none'), Id('usr')])
    .optional()
    .meta({ description: 'only those assigned to this member, or to nobody' }),
  agent_id: Id('agt').optional().meta({ description: 'that an alert on this agent belongs to, storms too' }),
  from: TimeFilter.optional().meta({ description: 'created at this time or later' }),
  to: TimeFilter.optional().meta({ description: 'created before this time' }),
  updated_from: updatedFrom,
  sort: z.enum(['created_at', 'urgency', 'severity', 'amount', 'last_at']).optional().meta({
    description:
      'the newest first, as without it; or the most urgent, the worst, the dearest or what was active last first, the newest of them first. Urgency weighs severity, money and waiting: one more level counts like a hundred times the money, and ten times the money like four days of waiting. An incident that grows meanwhile moves.',
  }),
  direction,
});
export type IncidentFilters = z.infer<typeof IncidentFilters>;

/** The title of an incident: its strongest alert, and the number of others. */
const title = sql.fragment`case
  when i.agent_id is null then to_char(i.agent_count, 'FM999,999,999,999') || ' agents, for example: ' || i.lead_title
  when i.alert_count = 1 then i.lead_title
  when i.alert_count = 2 then i.lead_title || ' and 1 more alert'
  else i.lead_title || ' and ' || to_char(i.alert_count - 1, 'FM999,999,999,999') || ' more alerts' end`;

/** Nobody has to look at it now. */
const isSnoozed = sql.fragment`(i.snoozed_until is not null and i.snoozed_until > now() and i.snoozed_alerts = i.alert_count)`;

const columns = sql.fragment`i.id, i.agent_id, i.state, i.acknowledged, i.severity, ${title} as title, i.alert_count, i.agent_count, i.event_count,
  case when i.amount_usd_micro is not null then ${centsOf(sql.fragment`i.amount_usd_micro`)} end as amount_usd_minor, i.amount_usd_micro::text as amount_usd_micro, least(i.first_at, i.evidence_from) as first_at, i.last_at, i.detectors, case when ${isSnoozed} then i.snoozed_until end as snoozed_until, i.assignee_id, i.created_at, i.updated_at`;

const byAmount: Order<Incident> = {
  by: sql.fragment`coalesce(div(i.amount_usd_micro + 5000, 10000), -1)`,
  type: 'numeric',
  direction: 'desc',
  keyOf: ({ amount_usd_minor }) => amount_usd_minor ?? '-1',
};

const byActivity: Order<Incident> = {
  by: sql.fragment`i.last_at`,
  type: 'timestamptz',
  direction: 'desc',
  keyOf: ({ last_at }) => last_at,
};

const HOUR = 3_600_000;
const WAITING_SINCE = Date.parse('2020-01-01T00:00:00.000Z');

/**
 * Severity times money times age, as a sum of logarithms: 200 points per level of severity, 100 per digit of dollars (at most six), and one
 * per hour of waiting, so that the order of two incidents never changes by time alone.
 */
const byUrgency: Order<Incident> = {
  // As the index defines it.
  by: sql.fragment`incident_urgency(i.severity, i.amount_usd_micro, i.created_at)`,
  type: 'int4',
  direction: 'desc',
  keyOf({ severity, amount_usd_minor, created_at }) {
    const dollars = BigInt(amount_usd_minor ?? '0') / 100n;
    const digits = dollars > 0n ? Math.min(String(dollars).length, 6) : 0;
    const hours = Math.floor((Date.parse(created_at) - WAITING_SINCE) / HOUR);
    return String(200 * severityRanks[severity] + 100 * digits - hours);
  },
};

/** The requested order; null: newest first. */
async function orderOf(db: Db, filters: IncidentFilters): Promise<Order<Incident> | null> {
  const { sort, updated_from } = filters;
  checkSort(filters);
  if (updated_from !== undefined) return byChange(db, 'incidents', sql.fragment`i.updated_at`);
  switch (sort) {
    case 'urgency':
      return byUrgency;
    case 'severity':
      return bySeverity(sql.fragment`i.severity`);
    case 'amount':
      return byAmount;
    case 'last_at':
      return byActivity;
    default:
      return null;
  }
}

/** Incidents of a tenant, filtered, newest first or in the requested order. */
export async function listIncidents(
  db: Db,
  { org_id, environment }: Tenant,
  filters: IncidentFilters,
  page: PageRequest,
): Promise<Page<Incident>> {
  const { state, severity, snoozed, assignee_id, agent_id, from, to, updated_from } = filters;
  const chosen = await orderOf(db, filters);
  const order = ordered(chosen, sql.fragment`i.id`, page, filters.direction);
  const limit = page.limit + 1;
  const where = sql.and([
    sql.fragment`i.org_id = ${org_id} and i.environment = ${environment} and i.merged_into is null`,
    state !== undefined && sql.fragment`i.state = ${state}`,
    severity !== undefined && sql.fragment`i.severity = ${severity}`,
    snoozed === 'true' && isSnoozed,
    snoozed === 'false' && sql.fragment`not ${isSnoozed}`,
    assignee_id === 'none' && sql.fragment`i.assignee_id is null`,
    assignee_id !== undefined && assignee_id !== 'none' && sql.fragment`i.assignee_id = ${assignee_id}`,
    agent_id !== undefined &&
      sql.fragment`i.id in (
        select n.incident_id from incident_agents n
        where n.org_id = ${org_id} and n.environment = ${environment} and n.agent_id = ${agent_id})`,
    from !== undefined && sql.fragment`i.created_at >= ${from}`,
    to !== undefined && sql.fragment`i.created_at < ${to}`,
    updated_from !== undefined && sql.fragment`i.updated_at >= ${updated_from}`,
    order.after,
  ]);
  const source =
    chosen && state === undefined && updated_from === undefined
      ? ofEachState(IncidentState.options, 'incidents', 'i', { where, by: order.by, limit })
      : sql.fragment`incidents i where ${where}`;
  const rows = await db.any(sql.type(Incident)`
    select ${columns} from ${source}
    order by ${order.by} limit ${limit}`);
  return pageOf(rows, page, order.keyOf);
}

/** One incident with its alerts; if it was merged into a storm, the storm. Null when the tenant has no such incident. */
export async function findIncident(db: Db, tenant: Tenant, id: string): Promise<IncidentDetail | null> {
  const { org_id, environment } = tenant;
  const incident = await db.maybeOne(sql.type(IncidentRow)`
    select ${columns}, coalesce(i.assignments, '[]') as assignments from incidents i
    where i.org_id = ${org_id} and i.environment = ${environment} and i.id = (
      select coalesce(m.merged_into, m.id) from incidents m
      where m.org_id = ${org_id} and m.environment = ${environment} and m.id = ${id})`);
  if (!incident) return null;
  const alerts = await db.any(sql.type(Alert)`
    select ${alertColumns}, ${alertStanding} from alerts a
    where a.org_id = ${org_id} and a.environment = ${environment} and a.incident_id = ${incident.id}
    order by a.id desc limit ${MOST_ALERTS}`);
  return { ...incident, alerts: alerts.toSorted((a, b) => b.score - a.score) };
}

/**
 * The incident that somebody acts on, by its own id. Throws `not_found`, and `conflict` where it has become part of a storm since it was seen:
 * what is meant for one agent is not done to all.
 */
export async function needIncident(db: Db, tenant: Tenant, id: string): Promise<IncidentDetail> {
  const incident = orNotFound('incident', await findIncident(db, tenant, id));
  if (incident.id === id) return incident;
  throw conflict(
    `The incident has become part of a storm over ${incident.agent_count} agents, ${incident.id}. Look at that first.`,
  );
}
