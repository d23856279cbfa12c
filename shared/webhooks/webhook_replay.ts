import { encodeTime } from 'ulid';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { conflict, notFound, orNotFound } from '#shared/interface/errors.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import { jobColumns, WebhookJob } from './webhook_claims.ts';
import { MOST_QUEUED, QUEUE_GRACE } from './webhook_deliveries.ts';

/**
 * Sends a delivery again, with the same id and body and up to five attempts; what is left of a running one is dropped.
 * Returns the job to enqueue. Throws `not_found`, or `conflict` when the endpoint is disabled.
 */
export async function replayDelivery(db: Db, tenant: Tenant, id: string, now: number): Promise<Jobs['webhook']> {
  const { org_id, environment } = tenant;
  const endpoint_id = orNotFound(
    'webhook delivery',
    await db.maybeOneFirst(sql.type(z.object({ endpoint_id: z.string() }))`
    select endpoint_id from webhook_deliveries where org_id = ${org_id} and environment = ${environment} and id = ${id}`),
  );
  await assertActive(db, tenant, endpoint_id);
  return db.one(sql.type(WebhookJob)`
    update webhook_deliveries d set ${afresh(now, sql.fragment`true`)}
    where org_id = ${org_id} and environment = ${environment} and id = ${id}
    returning ${jobColumns(0)}`);
}

/**
 * Sends again everything that an endpoint was told since a time and that is not pending anyway, also what it acknowledged.
 * Returns their number and the jobs to enqueue: the first of them, the rest follow as these finish. Throws as above.
 */
export async function replaySince(
  db: Db,
  tenant: Tenant,
  { endpoint_id, since }: { endpoint_id: string; since: number },
  now: number,
): Promise<{ replayed: number; jobs: Jobs['webhook'][] }> {
  const { org_id, environment } = tenant;
  await assertActive(db, tenant, endpoint_id);
  // The time in an id is that of created_at or, after a step back of the clock, later.
  const first_id = `whd_${encodeTime(Math.max(since, 0))}`;
  const rows = await db.any(sql.type(WebhookJob.extend({ replayed: z.int() }))`
    with ended as materialized (
      select id from webhook_deliveries
      where org_id = ${org_id} and environment = ${environment} and endpoint_id = ${endpoint_id}
        and id >= ${first_id} and created_at >= ${timestamp(since)} and state <> 'pending'
      for update
    ), placed as (
      select id, row_number() over (order by id) as place from ended
    ), again as (
      update webhook_deliveries d set ${afresh(now, sql.fragment`placed.place <= ${MOST_QUEUED}`)}
      from placed where d.org_id = ${org_id} and d.environment = ${environment} and d.id = placed.id
      returning ${jobColumns(MOST_QUEUED)}
    )
    select *, count(*) over () as replayed from again order by delivery_id limit ${MOST_QUEUED}`);
  return { replayed: rows[0]?.replayed ?? 0, jobs: rows.map(row => WebhookJob.parse(row)) };
}

/** What a delivery becomes that is sent again from this moment on. `queued`: whether it gets a job at once. */
export const afresh = (now: number, queued: ReturnType<typeof sql.fragment>) => sql.fragment`
  state = 'pending', generation = generation + 1, attempt_count = 0, finished_at = null, not_before = ${timestamp(now)},
  next_at = case when ${queued} then ${timestamp(now + QUEUE_GRACE)}::timestamptz else ${timestamp(now)} end`;

/** Throws `not_found` where there is no such endpoint, and `conflict` where it is disabled. */
export async function assertActive(db: Db, { org_id, environment }: Tenant, id: string) {
  const state = await db.maybeOneFirst(sql.type(z.object({ state: z.string() }))`
    select state from webhook_endpoints where org_id = ${org_id} and environment = ${environment} and id = ${id}`);
  if (state === null) throw notFound('webhook endpoint');
  if (state === 'disabled')
    throw conflict('The endpoint of this delivery is disabled: nothing is sent to it any more.');
}
