import { z } from 'zod';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { DAY, SECOND, timestamp } from '#shared/values/time.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** How long its job has before reconcile queues another. */
export const QUEUE_GRACE = 30 * SECOND;
/** How long a finished back-test can be read. */
export const BACKTEST_KEPT = 90 * DAY;
export const MOST_ATTEMPTS = 3;
export const FAILED = `The service could not go through with it; it was tried ${MOST_ATTEMPTS} times.`;
const MOST_AT_ONCE = 100;

const Due = z.object({ org_id: z.string(), environment: z.string(), id: z.string(), state: z.string() });

/** Back-tests that wait and nobody has begun, or whose worker has been silent for too long. Returns the jobs to queue. */
export async function claimBacktests(db: Pool, now: number): Promise<Jobs['backtest'][]> {
  const candidates = await db.any(sql.type(Due)`
    select org_id, environment, id, state from backtests
    where state in ('queued', 'running') and next_at <= ${timestamp(now)} order by next_at limit ${MOST_AT_ONCE}`);
  return byTenant(candidates, (tenant, rows) =>
    claimOwn(
      db,
      tenant,
      rows.map(({ id }) => id),
      now,
    ),
  );
}

/** Has a back-test be begun by another worker: the one that was at it has ended. */
export async function letGoBacktest(db: Pool, tenant: Tenant, id: string, now: number): Promise<void> {
  const { rowCount } = await db.query(sql.unsafe`
    update backtests set next_at = ${timestamp(now)}
    where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${id} and state = 'running'`);
  if (rowCount > 0) await claimOwn(db, tenant, [id], now);
}

const claimOwn = (db: Pool, tenant: Tenant, ids: readonly string[], now: number): Promise<Jobs['backtest'][]> =>
  db.transaction(async tx => {
    const { org_id, environment } = tenant;
    const rows = await tx.any(sql.type(Due)`
      with due as materialized (
        select id, state = 'running' and attempts >= ${MOST_ATTEMPTS} as is_lost from backtests
        where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')})
          and state in ('queued', 'running') and next_at <= ${timestamp(now)}
        for update skip locked
      )
      update backtests b set state = case when is_lost then 'failed' else 'queued' end,
        error = case when is_lost then ${FAILED} end,
        finished_at = case when is_lost then ${timestamp(now)}::timestamptz end,
        next_at = ${timestamp(now + QUEUE_GRACE)}
      from due where b.org_id = ${org_id} and b.environment = ${environment} and b.id = due.id
      returning b.org_id, b.environment, b.id, b.state`);
    if (rows.length > 0) await moveVersions(tx, tenant, ['backtests']);
    return rows.flatMap(({ id, state }) => (state === 'queued' ? [{ ...tenant, backtest_id: id }] : []));
  });

/** Since when the oldest back-test waits, or runs; null when there is none. */
export const oldestBacktest = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(created_at) as since from (
      select created_at from backtests where state in ('queued', 'running') order by next_at limit 1000) b`);
