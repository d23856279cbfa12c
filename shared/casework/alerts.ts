import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { linking } from '#shared/events/log/holding.ts';
import { Lesson, lessonColumns } from './lesson.ts';
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
import { type Tenant, Timestamp, TimeFilter } from '#shared/interface/schemas.ts';

export const AlertState = z.enum(['open', 'acknowledged', 'escalated', 'resolved', 'dismissed']);
export type AlertState = z.infer<typeof AlertState>;
export const AlertActionName = z.enum(['acknowledge', 'escalate', 'resolve', 'dismiss', 'reopen', 'comment']);
export type AlertActionName = z.infer<typeof AlertActionName>;
export const Severity = z.enum(['low', 'medium', 'high', 'critical']);
export type Severity = z.infer<typeof Severity>;

const AlertAction = z
  .object({
    id: Id('act'),
    action: AlertActionName,
    reason: z.string().nullable(),
    actor_id: z.string().nullable().meta({ description: '`usr_…`, `key_…`, or null: the system' }),
    at: Timestamp,
  })
  .meta({ id: 'AlertAction' });

export const Alert = z
  .object({
    id: Id('alr'),
    agent_id: Id('agt'),
    detector: z
      .string()
      .meta({ description: 'whose finding it tells of; of conduct that goes on, the strongest so far' }),
    severity: Severity,
    title: z.string(),
    explanation: z.string(),
    event_ids: z.array(Id('evt')).meta({ description: 'newest first, at most 100' }),
    score: z.number().min(0).max(100),
    state: AlertState,
    case_id: Id('cas').nullable(),
    incident_id: Id('inc').meta({ description: 'the incident that it belongs to' }),
    created_at: Timestamp,
    updated_at: Timestamp.meta({ description: 'when it, its actions or its events changed last' }),
    actions: z.array(AlertAction),
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof Alert>;

export const AlertDetail = Alert.extend({
  lesson: Lesson.nullable().meta({
    description: 'what closing it taught, with all that was learned of its like; null: nothing, or it was forgotten',
  }),
}).meta({ id: 'AlertDetail' });
export type AlertDetail = z.infer<typeof AlertDetail>;

export const AlertFilters = z.strictObject({
  ids: IdList('alr').optional().meta({ description: 'these alerts alone: up to 200 ids, separated by commas' }),
  state: AlertState.optional(),
  severity: Severity.optional(),
  detector: z.string().optional(),
  agent_id: Id('agt').optional(),
  event_id: Id('evt').optional(),
  case_id: Id('cas').optional().meta({ description: 'the case that the alert is in now' }),
  incident_id: Id('inc').optional(),
  from: TimeFilter.optional().meta({ description: 'created at this time or later' }),
  to: TimeFilter.optional().meta({ description: 'created before this time' }),
  updated_from: updatedFrom,
  sort: z.enum(['created_at', 'severity', 'score']).optional().meta({
    description:
      'the newest first, as without it; or the worst first, the newest of them first. An alert that grows meanwhile moves.',
  }),
  direction,
});
export type AlertFilters = z.infer<typeof AlertFilters>;

/** How many events an alert names. Older ones stay linked, and the `event_id` filter finds them. */
const MOST_EVENTS = 100;

/** The columns of an alert, without its incident and `updated_at`, for a table or alias `a`. */
export const alertColumns = sql.fragment`a.id, a.agent_id, a.detector, a.severity, a.title, a.explanation, a.score::float8 as score, a.state, a.case_id,
  a.created_at,
  (select coalesce(json_agg(l.event_id order by l.chain_seq desc), '[]') from (
    select n.event_id, n.chain_seq from alert_events n
    where n.org_id = a.org_id and n.environment = a.environment and n.alert_id = a.id
    order by n.chain_seq desc limit ${MOST_EVENTS}) l) as event_ids,
  (select coalesce(json_agg(json_build_object('id', c.id, 'action', c.action, 'reason', c.reason, 'actor_id', c.actor_id,
      'at', ${timeText(sql.fragment`c.at`)}) order by c.id), '[]')
    from alert_actions c where c.org_id = a.org_id and c.environment = a.environment and c.alert_id = a.id) as actions`;

/** An alert's incident and `updated_at`, for a table or alias `a`. */
export const alertStanding = sql.fragment`a.incident_id, (
    select c.updated_at from alert_changes c
    where c.org_id = a.org_id and c.environment = a.environment and c.alert_id = a.id) as updated_at`;

/** As `severity_rank` in the database. */
export const severityRanks: Record<Severity, number> = { low: 1, medium: 2, high: 3, critical: 4 };
/** The order by severity, most severe first. */
export const bySeverity = (severity: FragmentSqlToken): Order<{ severity: Severity }> => ({
  // As the indexes define it.
  by: sql.fragment`severity_rank(${severity})`,
  type: 'int4',
  direction: 'desc',
  keyOf: row => String(severityRanks[row.severity]),
});
const byScore: Order<Alert> = {
  by: sql.fragment`a.score`,
  type: 'numeric',
  direction: 'desc',
  keyOf: ({ score }) => String(score),
};

/** `final_until`: with `updated_from`, a time until which changes are known to be final. */
type Following = AlertFilters & { final_until?: string };

/** The requested order; null: newest first. */
async function orderOf(db: Db, filters: Following): Promise<Order<Alert> | null> {
  const { sort, updated_from, final_until } = filters;
  checkSort(filters);
  if (updated_from !== undefined) return byChange(db, 'alert_changes', sql.fragment`c.updated_at`, final_until);
  return sort === 'severity' ? bySeverity(sql.fragment`a.severity`) : sort === 'score' ? byScore : null;
}

/** Alerts of a tenant, filtered, newest first or in the requested order. */
export async function listAlerts(
  db: Db,
  { org_id, environment }: Tenant,
  filters: Following,
  page: PageRequest,
): Promise<Page<Alert>> {
  const { ids, state, severity, detector, agent_id, event_id, case_id, incident_id, from, to, updated_from } = filters;
  const follows = updated_from !== undefined;
  const id = follows ? sql.fragment`c.alert_id` : sql.fragment`a.id`;
  const chosen = await orderOf(db, filters);
  const order = ordered(chosen, id, page, filters.direction);
  const limit = page.limit + 1;
  const where = sql.and([
    sql.fragment`a.org_id = ${org_id} and a.environment = ${environment}`,
    follows &&
      sql.fragment`c.org_id = ${org_id} and c.environment = ${environment} and c.updated_at >= ${updated_from}`,
    ids !== undefined && sql.fragment`a.id = any(${sql.array(ids, 'text')})`,
    state !== undefined && sql.fragment`a.state = ${state}`,
    severity !== undefined && sql.fragment`a.severity = ${severity}`,
    detector !== undefined && sql.fragment`a.detector = ${detector}`,
    agent_id !== undefined && sql.fragment`a.agent_id = ${agent_id}`,
    case_id !== undefined && sql.fragment`a.case_id = ${case_id}`,
    incident_id !== undefined &&
      sql.fragment`a.incident_id = coalesce((
        select i.merged_into from incidents i
        where i.org_id = ${org_id} and i.environment = ${environment} and i.id = ${incident_id}), ${incident_id})`,
    event_id !== undefined &&
      sql.fragment`a.id in (
        select n.alert_id from alert_events n where ${linking({ org_id, environment }, event_id)})`,
    from !== undefined && sql.fragment`a.created_at >= ${from}`,
    to !== undefined && sql.fragment`a.created_at < ${to}`,
    order.after,
  ]);
  const source = follows
    ? sql.fragment`alert_changes c join alerts a on a.id = c.alert_id where ${where}`
    : chosen && state === undefined
      ? ofEachState(AlertState.options, 'alerts', 'a', { where, by: order.by, limit })
      : sql.fragment`alerts a where ${where}`;
  const rows = await db.any(sql.type(Alert)`
    select ${alertColumns}, ${alertStanding} from ${source}
    order by ${order.by} limit ${limit}`);
  return pageOf(rows, page, order.keyOf);
}

/** One alert, with the lesson it taught. Null when the tenant has no such alert. */
export const findAlert = (db: Db, { org_id, environment }: Tenant, id: string): Promise<AlertDetail | null> =>
  db.maybeOne(sql.type(AlertDetail)`
    select ${alertColumns}, ${alertStanding}, (
      select to_jsonb(n) from (
        select ${lessonColumns} from lessons l
        where l.org_id = ${org_id} and l.environment = ${environment} and l.id = a.lesson_id) n) as lesson
    from alerts a where a.org_id = ${org_id} and a.environment = ${environment} and a.id = ${id}`);
