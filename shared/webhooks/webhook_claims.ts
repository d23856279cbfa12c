import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';
import { MOST_QUEUED, QUEUE_GRACE } from './webhook_deliveries.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';
import { isSpread } from '#shared/platform/spread.ts';
import type { FragmentSqlToken } from 'slonik';

const MOST_AT_ONCE = 1_000;

/**
 * Claims pending deliveries whose job must be lost, because their time has come and gone, and those that never had one: as many of an
 * endpoint as make ten with those under way, and 1,000 in all, endpoints in random order. Each is left alone for 5 s more. Returns the jobs
 * to enqueue.
 */
export async function claimOverdue(db: Db, now: number): Promise<Jobs['webhook'][]> {
  const endpoints = await waitingEndpoints(db, sql.fragment`d.next_at <= ${timestamp(now)}`);
  let left = MOST_AT_ONCE;
  return byNode(endpoints, async (own, here) => {
    const most = Math.min(left, own.length * MOST_QUEUED);
    if (most === 0) return [];
    left -= most;
    const claimed = await claimOf(db, own, here, most, now);
    left += most - claimed.length;
    return claimed;
  });
}

const Waiting = z.object({ org_id: z.string(), environment: z.string(), id: z.string() });
type Waiting = z.infer<typeof Waiting>;

/**
 * Endpoints with pending deliveries `d` of which this holds, in random order. Disabled ones are asked too: a row inserted while its endpoint was
 * being disabled is canceled by the worker.
 */
const waitingEndpoints = (db: Db, holds: FragmentSqlToken) =>
  db.any(sql.type(Waiting)`
    select e.org_id, e.environment, e.id from webhook_endpoints e
    where exists (select from webhook_deliveries d where ${pendingAt} and ${holds})
    order by random() limit ${MOST_AT_ONCE}`);

/**
 * Does something with endpoints, where `here` says whose deliveries `d` these are: on a single server with all at once, since a commit for each of
 * a thousand organizations would take seconds; on a cluster with those of one organization after another.
 */
async function byNode<Result>(
  endpoints: readonly Waiting[],
  work: (endpoints: readonly Waiting[], here: FragmentSqlToken) => Promise<readonly Result[]>,
): Promise<Result[]> {
  if (isSpread()) return byTenant(endpoints, (tenant, own) => work(own, isHere(tenant)));
  return endpoints.length === 0 ? [] : [...(await work(endpoints, sql.fragment`true`))];
}

const isHere = ({ org_id, environment }: Tenant) =>
  sql.fragment`d.org_id = ${org_id} and d.environment = ${environment}`;

const claimOf = (
  db: Db,
  endpoints: readonly Waiting[],
  here: FragmentSqlToken,
  limit: number,
  now: number,
): Promise<Jobs['webhook'][]> =>
  claim(
    db,
    here,
    sql.fragment`
      select e.org_id, e.environment, row.id from ${rowsOf(endpoints)} cross join lateral (
        select count(*) as taken from (
          select from webhook_deliveries d where ${pendingAt} and ${here} and d.next_at > ${timestamp(now)} limit ${MOST_QUEUED}) under_way) own
      cross join lateral (${triedFirst(
        sql.fragment`${pendingAt} and ${here} and d.next_at <= ${timestamp(now)}`,
        sql.fragment`${MOST_QUEUED} - own.taken`,
      )}) row
      limit ${limit}`,
    now,
  );

/** The ids of so many pending deliveries `d` of which this holds: those whose attempts have begun, then the others, the longest due first. */
const triedFirst = (holds: FragmentSqlToken, limit: FragmentSqlToken) => {
  const those = (tried: FragmentSqlToken) => sql.fragment`
    select id from (
      select d.id from webhook_deliveries d where ${holds} and ${tried}
      order by d.next_at limit ${limit} for update skip locked) found`;
  return sql.fragment`
    select id from (
      ${those(sql.fragment`d.attempt_count > 0`)} union all ${those(sql.fragment`d.attempt_count = 0`)}) ordered limit ${limit}`;
};

const rowsOf = (endpoints: readonly Waiting[]) =>
  tableOf('e', endpoints, { org_id: 'text', environment: 'text', id: 'text' });

/** Pending deliveries `d` of the endpoint `e`. */
const pendingAt = sql.fragment`d.org_id = e.org_id and d.environment = e.environment and d.endpoint_id = e.id and d.state = 'pending'`;

const Since = z.object({ since: z.string() });

/** When the longest waiting delivery became due, among those whose next attempt could be made; null when none waits. */
export async function oldestPending(db: Db): Promise<string | null> {
  const firsts = await byNode(await waitingEndpoints(db, sql.fragment`true`), (own, here) =>
    db.anyFirst(sql.type(Since)`
      select row.not_before as since from ${rowsOf(own)} cross join lateral (
        select d.not_before from webhook_deliveries d where ${pendingAt} and ${here} order by d.next_at limit 1) row`),
  );
  return firsts.toSorted()[0] ?? null;
}

/**
 * Claims deliveries of one endpoint that may be sent now, those that were tried before first; `except` are being sent, and what a process has
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
    isHere({ org_id, environment }),
    sql.fragment`
      select ${org_id} as org_id, ${environment} as environment, id from (${triedFirst(
        sql.fragment`
          ${isHere({ org_id, environment })} and d.endpoint_id = ${endpoint_id}
          and d.state = 'pending' and d.not_before <= ${timestamp(now)} and d.next_at <= ${timestamp(now + QUEUE_GRACE)}
          and d.id <> all (${sql.array(except, 'text')})`,
        sql.fragment`${limit}`,
      )}) due`,
    now,
  );

/** Claims the deliveries that a query finds, by their ids. */
async function claim(db: Db, here: FragmentSqlToken, due: FragmentSqlToken, now: number): Promise<Jobs['webhook'][]> {
  const jobs = await db.any(sql.type(WebhookJob)`
    with due as materialized (${due})
    update webhook_deliveries d set next_at = ${timestamp(now + QUEUE_GRACE)}
    from due where d.org_id = due.org_id and d.environment = due.environment and d.id = due.id and ${here}
    returning ${jobColumns(MOST_QUEUED)}`);
  return [...jobs];
}

/** A job's data as queries of deliveries `d` return it. */
export const WebhookJob = z.object({
  org_id: z.string(),
  environment: z.string(),
  delivery_id: z.string(),
  generation: z.int(),
  attempts_made: z.int(),
  behind: z.int(),
});
export const jobColumns = (behind: number) => sql.fragment`
  d.org_id, d.environment, d.id as delivery_id, d.generation, d.attempt_count as attempts_made, ${behind}::int4 as behind`;
