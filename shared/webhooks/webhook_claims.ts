import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import { QUEUE_GRACE } from './webhook_deliveries.ts';

/** Most rows of one endpoint in one claim: a few make its worker fetch the rest, and others get their turn. */
const MOST_PER_ENDPOINT = 50;
const MOST_AT_ONCE = 1_000;

/**
 * Claims pending deliveries whose job must be lost, because their time has come and gone: up to 50 of an endpoint and 1,000 in
 * all, endpoints in random order. Each is left alone for 5 s more. Returns the jobs to enqueue.
 */
export const claimOverdue = (db: Db, now: number): Promise<Jobs['webhook'][]> =>
  // Disabled endpoints are asked too: a row inserted while its endpoint was being disabled is canceled by the worker.
  claim(
    db,
    sql.fragment`
      select row.org_id, row.environment, row.id
      from (select org_id, environment, id from webhook_endpoints order by random()) endpoint
      cross join lateral (
        select d.org_id, d.environment, d.id from webhook_deliveries d
        where d.org_id = endpoint.org_id and d.environment = endpoint.environment and d.endpoint_id = endpoint.id
          and d.state = 'pending' and d.next_at <= ${timestamp(now)}
        order by d.next_at limit ${MOST_PER_ENDPOINT} for update skip locked) row
      limit ${MOST_AT_ONCE}`,
    now,
  );

/** When the longest waiting delivery became due, among those whose next attempt could be made; null when none waits. */
export const oldestPending = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(row.not_before) as since from webhook_endpoints e
    cross join lateral (
      select d.not_before from webhook_deliveries d
      where d.org_id = e.org_id and d.environment = e.environment and d.endpoint_id = e.id and d.state = 'pending'
      order by d.next_at limit 1) row`);

/**
 * Claims deliveries of one endpoint that may be sent now, those longest without a claim first; `except` are being sent, and what a process has
 * claimed for a backlog is left to it. Does not ask whether their jobs are lost: adding a job that is there changes nothing.
 */
export const claimForEndpoint = (
  db: Db,
  { org_id, environment }: Tenant,
  { endpoint_id, except }: { endpoint_id: string; except: readonly string[] },
  limit: number,
  now: number,
): Promise<Jobs['webhook'][]> =>
  claim(
    db,
    sql.fragment`
      select d.org_id, d.environment, d.id from webhook_deliveries d
      where d.org_id = ${org_id} and d.environment = ${environment} and d.endpoint_id = ${endpoint_id}
        and d.state = 'pending' and d.not_before <= ${timestamp(now)} and d.next_at <= ${timestamp(now + QUEUE_GRACE)}
        and d.id <> all (${sql.array(except, 'text')})
      order by d.next_at limit ${limit} for update skip locked`,
    now,
  );

async function claim(db: Db, due: ReturnType<typeof sql.fragment>, now: number): Promise<Jobs['webhook'][]> {
  const jobs = await db.any(sql.type(WebhookJob)`
    with due as materialized (${due})
    update webhook_deliveries d set next_at = ${timestamp(now + QUEUE_GRACE)}
    from due where d.org_id = due.org_id and d.environment = due.environment and d.id = due.id
    returning ${jobColumns}`);
  return [...jobs];
}

/** A job's data as queries of deliveries `d` return it. */
export const WebhookJob = z.object({
  org_id: z.string(),
  environment: z.string(),
  delivery_id: z.string(),
  generation: z.int(),
  attempts_made: z.int(),
});
export const jobColumns = sql.fragment`d.org_id, d.environment, d.id as delivery_id, d.generation, d.attempt_count as attempts_made`;
