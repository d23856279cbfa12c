import { z } from 'zod';
import { recordAudit } from '#shared/interface/audit_log.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { timestamp } from '#shared/values/time.ts';
import { DeliveryState, QUEUE_GRACE } from './webhook_deliveries.ts';
import { afresh, assertActive } from './webhook_replay.ts';
import { jobColumns, WebhookJob } from './webhook_claims.ts';

/** Milliseconds between two deliveries of a replay: an endpoint that has just come back gets at most 20 a second. */
const PACE = 50;

/**
 * Starts resending what an endpoint missed: its failed deliveries, in order of creation, each after the one before has ended, at most 20 a
 * second. Recorded in the organization's audit log. Returns how many. A running replay continues, and includes deliveries that have failed
 * since it began; one that failed again during it is left to the next replay. Throws `not_found`, or `conflict` when the endpoint is
 * disabled.
 */
export async function replayMissed(
  { db, queue, now }: Pick<Services, 'queue' | 'now'> & { db: Db },
  tenant: Tenant,
  endpoint_id: string,
  request_id: string | null,
): Promise<{ replayed: number }> {
  const { replayed, jobs } = await db.transaction(async tx => {
    await assertActive(tx, tenant, endpoint_id);
    const count = await beginReplay(tx, tenant, endpoint_id, now());
    const entry = {
      action: 'webhook_endpoint.replayed' as const,
      target_id: endpoint_id,
      after: { replayed: count, failed: true },
    };
    await recordAudit(tx, tenant, { actor_id: null, request_id }, [entry], now());
    await moveVersions(tx, tenant, ['audit_log']);
    return { replayed: count, jobs: await advanceReplay(tx, tenant, endpoint_id, now()) };
  });
  await queue.add('webhook', jobs);
  return { replayed };
}

const Missed = z.object({ replayed: z.int() });

/** Records which deliveries to send again. Returns how many; with none there is nothing to do. */
async function beginReplay(tx: Db, { org_id, environment }: Tenant, endpoint_id: string, now: number): Promise<number> {
  const failed = sql.fragment`
    d.org_id = ${org_id} and d.environment = ${environment} and d.endpoint_id = ${endpoint_id} and d.state = 'failed'`;
  await tx.query(sql.unsafe`
    insert into webhook_replays as r (org_id, environment, endpoint_id, current_id, last_id, began_at, next_at)
    select ${org_id}, ${environment}, ${endpoint_id}, '', max(d.id), ${timestamp(now - PACE)}, ${timestamp(now)}
    from webhook_deliveries d where ${failed} having max(d.id) is not null
    on conflict (org_id, environment, endpoint_id) do update set last_id = greatest(r.last_id, excluded.last_id)`);
  return tx.oneFirst(sql.type(Missed)`
    select count(d.id) as replayed from webhook_replays r
    join webhook_deliveries d on ${failed} and d.id > r.current_id and d.id <= r.last_id
    where r.org_id = ${org_id} and r.environment = ${environment} and r.endpoint_id = ${endpoint_id}`);
}

const Replay = z.object({
  current_id: z.string(),
  last_id: z.string(),
  began_at: z.string(),
  endpoint_state: z.string(),
});

/**
 * Queues the next delivery of a replay once the current one has ended, and ends the replay after the last. Returns the job to enqueue; none
 * when there is no replay, the current delivery is under way, or another process does the same right now.
 */
export function advanceReplay(db: Db, tenant: Tenant, endpoint_id: string, now: number): Promise<Jobs['webhook'][]> {
  const { org_id, environment } = tenant;
  const ofEndpoint = sql.fragment`
    r.org_id = ${org_id} and r.environment = ${environment} and r.endpoint_id = ${endpoint_id}`;
  return db.transaction(async tx => {
    const replay = await tx.maybeOne(sql.type(Replay)`
      select r.current_id, r.last_id, r.began_at, e.state as endpoint_state
      from webhook_replays r
      join webhook_endpoints e on e.org_id = r.org_id and e.environment = r.environment and e.id = r.endpoint_id
      where ${ofEndpoint} for update of r skip locked`);
    if (!replay) return [];
    const next_at = timestamp(now + QUEUE_GRACE);
    // Read with the replay locked: within one statement, the delivery's state could be outdated.
    const current_state = await tx.maybeOneFirst(sql.type(z.object({ state: DeliveryState }))`
      select state from webhook_deliveries
      where org_id = ${org_id} and environment = ${environment} and id = ${replay.current_id}`);
    if (current_state === 'pending') {
      await tx.query(sql.unsafe`update webhook_replays r set next_at = ${next_at} where ${ofEndpoint}`);
      return [];
    }
    const began_at = Math.max(now, Date.parse(replay.began_at) + PACE);
    const job =
      replay.endpoint_state === 'active' &&
      (await tx.maybeOne(sql.type(WebhookJob)`
        update webhook_deliveries d set ${afresh(began_at, sql.fragment`true`)}
        where d.org_id = ${org_id} and d.environment = ${environment} and d.id = (
          select id from webhook_deliveries
          where org_id = ${org_id} and environment = ${environment} and endpoint_id = ${endpoint_id} and state = 'failed'
            and id > ${replay.current_id} and id <= ${replay.last_id}
          order by id limit 1)
        returning ${jobColumns(0)}`));
    if (!job) {
      await tx.query(sql.unsafe`delete from webhook_replays r where ${ofEndpoint}`);
      return [];
    }
    await tx.query(sql.unsafe`
      update webhook_replays r
      set current_id = ${job.delivery_id}, began_at = ${timestamp(began_at)}, next_at = ${next_at} where ${ofEndpoint}`);
    return [job];
  });
}

const Standing = z.object({ org_id: z.string(), environment: z.string(), endpoint_id: z.string() });
const MOST_RESUMED = 100;

/** Resumes replays that stopped because their process was killed. Returns the jobs to enqueue. */
export async function resumeReplays(db: Db, now: number): Promise<Jobs['webhook'][]> {
  const standing = await db.any(sql.type(Standing)`
    select org_id, environment, endpoint_id from webhook_replays
    where next_at <= ${timestamp(now)} order by next_at limit ${MOST_RESUMED}`);
  const jobs: Jobs['webhook'][] = [];
  for (const { endpoint_id, ...tenant } of standing) jobs.push(...(await advanceReplay(db, tenant, endpoint_id, now)));
  return jobs;
}

const MissedBy = Standing.extend({
  organization: z.string(),
  url: z.string(),
  failed: z.int(),
  replaying: z.boolean(),
});
export type MissedBy = z.infer<typeof MissedBy>;

/** The number at which counting ends. */
export const MOST_COUNTED = 1_000;

/** Active endpoints with failed deliveries, newest first, and how many, counted to 1,000. */
export const listMissed = (db: Db, limit: number): Promise<readonly MissedBy[]> =>
  db.any(sql.type(MissedBy)`
    select e.org_id, coalesce(o.name, e.org_id) as organization, e.environment, e.id as endpoint_id, e.url, missed.failed, r.endpoint_id is not null as replaying
    from webhook_endpoints e left join organizations o on o.id = e.org_id
    left join webhook_replays r on r.org_id = e.org_id and r.environment = e.environment and r.endpoint_id = e.id
    cross join lateral (
      select count(*) as failed from (
        select from webhook_deliveries d
        where d.org_id = e.org_id and d.environment = e.environment and d.endpoint_id = e.id and d.state = 'failed'
        limit ${MOST_COUNTED}) counted) missed
    where e.state = 'active' and (missed.failed > 0 or r.endpoint_id is not null)
    order by e.id desc limit ${limit}`);
