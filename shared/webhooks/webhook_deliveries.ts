import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql, timeText } from '#shared/platform/db.ts';
import { Id, newId } from '#shared/interface/ids.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { direction, ordered } from '#shared/interface/changes.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';

export const WebhookEventType = z.enum(['alert.created', 'screening.potential_match', 'pack.ready']);
export const DeliveryState = z.enum(['pending', 'delivered', 'refused', 'failed', 'canceled']);
export type DeliveryState = z.infer<typeof DeliveryState>;

/** The payloads of webhooks: three types of event that contain ids only. */
export type WebhookEvent =
  | { type: 'alert.created'; data: { alert_id: string; event_id: string } }
  | { type: 'screening.potential_match'; data: { screening_id: string; event_id: string | null } }
  | { type: 'pack.ready'; data: { pack_id: string } };

const WebhookAttempt = z
  .object({
    number: z.int().meta({ description: '1 to 5' }),
    generation: z.int().meta({ description: 'goes up with every replay' }),
    at: Timestamp,
    outcome: z.enum(['delivered', 'refused', 'failed', 'blocked']),
    status: z.int().nullable().meta({ description: 'HTTP status; null when there was no answer' }),
    error: z.string().nullable(),
    ms: z.int(),
    response: z.string().nullable().meta({ description: 'the first 4 KB of the answer' }),
  })
  .meta({ id: 'WebhookAttempt' });

export const WebhookDelivery = z
  .object({
    id: Id('whd'),
    endpoint_id: Id('whe'),
    type: WebhookEventType,
    state: DeliveryState,
    attempt_count: z.int().meta({ description: 'attempts since it was made or last replayed' }),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
    attempts: z.array(WebhookAttempt),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** How long after its moment a pending row may count on the queue before reconcile queues it again. */
export const QUEUE_GRACE = 5 * SECOND;

/**
 * Most deliveries of one endpoint that have a job and were never tried: as many as it has places. Rows beyond them wait in the table. Once
 * the endpoint answers, its backlog is sent without jobs; until then those that were tried go on, each attempt in time, and few begin.
 */
export const MOST_QUEUED = 10;
/** Most pending deliveries of one endpoint beside which another gets a job at once. */
const MOST_PENDING = 100;

/**
 * Writes one delivery per event and active endpoint, in the transaction of what the events tell of. Returns the jobs to
 * enqueue after the commit.
 */
export async function insertDeliveries(
  tx: Db,
  tenant: Tenant,
  events: readonly WebhookEvent[],
  now: number,
): Promise<Jobs['webhook'][]> {
  const { insert, jobs } = await prepareDeliveries(tx, tenant, events, now);
  if (insert) await tx.query(sql.unsafe`${insert}`);
  return jobs;
}

/** The same as a part of a statement that is still to be run; null where there is nothing to write. */
export async function prepareDeliveries(
  db: Db,
  { org_id, environment }: Tenant,
  events: readonly WebhookEvent[],
  now: number,
): Promise<{ insert: FragmentSqlToken | null; jobs: Jobs['webhook'][] }> {
  if (events.length === 0) return { insert: null, jobs: [] };
  const endpoints = await db.any(sql.type(EndpointRoom)`
    select e.id, d.pending, d.untried from webhook_endpoints e
    cross join lateral (
      select count(*) as pending, count(*) filter (where attempt_count = 0) as untried from (
        select d.attempt_count from webhook_deliveries d
        where d.org_id = e.org_id and d.environment = e.environment and d.endpoint_id = e.id and d.state = 'pending'
        order by d.next_at limit ${MOST_PENDING}) counted) d
    where e.org_id = ${org_id} and e.environment = ${environment} and e.state = 'active'
    order by e.id`);
  const created_at = timestamp(now);
  const rows = events.flatMap((event, position) => {
    const { type } = event;
    const body = bodyOf(event, now);
    return endpoints.map(({ id, pending, untried }) => ({
      id: newId('whd', now),
      endpoint_id: id,
      type,
      body,
      behind: pending + position,
      queued: untried + position < MOST_QUEUED && pending + position < MOST_PENDING,
    }));
  });
  if (rows.length === 0) return { insert: null, jobs: [] };
  const insert = sql.fragment`
    insert into webhook_deliveries (org_id, environment, id, endpoint_id, type, body, created_at, not_before, next_at)
    select ${org_id}, ${environment}, id, endpoint_id, type, body, ${created_at}, ${created_at}, next_at
    from ${sql.unnest(
      rows.map(row => [row.id, row.endpoint_id, row.type, row.body, timestamp(now + (row.queued ? QUEUE_GRACE : 0))]),
      ['text', 'text', 'text', 'text', 'timestamptz'],
    )} as delivery (id, endpoint_id, type, body, next_at)`;
  const jobs = rows
    .filter(row => row.queued)
    .map(({ id, behind }) => ({ org_id, environment, delivery_id: id, generation: 0, attempts_made: 0, behind }));
  return { insert, jobs };
}

/** The body of a delivery: the same bytes on every attempt. */
export const bodyOf = ({ type, data }: WebhookEvent, now: number): string =>
  JSON.stringify({ type, created_at: timestamp(now), data });

const EndpointRoom = z.object({ id: z.string(), pending: z.int(), untried: z.int() });

export const DeliveryFilters = z.strictObject({
  state: DeliveryState.optional(),
  type: WebhookEventType.optional(),
  endpoint_id: Id('whe').optional(),
  direction,
});
export type DeliveryFilters = z.infer<typeof DeliveryFilters>;

/** Lists deliveries with their attempts, the newest or the oldest first. */
export async function listDeliveries(
  db: Db,
  { org_id, environment }: Tenant,
  { state, type, endpoint_id, direction }: DeliveryFilters,
  page: PageRequest,
): Promise<Page<WebhookDelivery>> {
  const order = ordered<WebhookDelivery>(null, sql.fragment`id`, page, direction);
  const rows = await db.any(sql.type(WebhookDelivery)`
    select id, endpoint_id, type, state, attempt_count, created_at, finished_at, ${attempts} as attempts
    from webhook_deliveries d
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      state && sql.fragment`state = ${state}`,
      type && sql.fragment`type = ${type}`,
      endpoint_id && sql.fragment`endpoint_id = ${endpoint_id}`,
      order.after,
    ])}
    order by ${order.by} limit ${page.limit + 1}`);
  return pageOf(rows, page, order.keyOf);
}

const attempts = sql.fragment`coalesce((
  select jsonb_agg(jsonb_build_object(
    'number', a.number, 'generation', a.generation, 'at', ${timeText(sql.fragment`a.at`)},
    'outcome', a.outcome, 'status', a.status, 'error', a.error, 'ms', a.ms, 'response', a.response
  ) order by a.generation, a.number)
  from webhook_attempts a
  where a.org_id = d.org_id and a.environment = d.environment and a.delivery_id = d.id), '[]')`;
