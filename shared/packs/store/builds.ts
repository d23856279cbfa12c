import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { SECOND, timestamp } from '#shared/values/time.ts';
import { byTenant } from '#shared/interface/by_tenant.ts';

// Packs and exports: what a worker builds and keeps as a file for a time. The tables of both have the same columns for that.

export type Building = 'packs' | 'exports';

/** A build that a worker has claimed; `attempts` identifies the claim. */
export type BuildClaim = { id: string; attempts: number; failures: number };

/** How long a worker may be silent before another starts its build again. */
const LEASE = 15 * SECOND;
/** How long a queued job has to begin before reconcile queues another. */
export const QUEUE_GRACE = 10 * SECOND;
/** A build fails for good after this many failures; a killed worker counts only if it happens every time. */
const MOST_FAILURES = 3;
const RETRY_AFTER = 5 * SECOND;
const MOST_ATTEMPTS = 20;
const MOST_AT_ONCE = 100;
/** By then a worker has noticed that its build was removed, and stores no more files. */
const NOTICED = 30 * SECOND;

/** Sets a waiting row to being built by a worker. */
export const beginning = (now: number) =>
  sql.fragment`state = 'building', attempts = attempts + 1, stored = true, next_at = ${timestamp(now + LEASE)}, error = null`;

/** Sets a row to built; it is kept until it expires. */
export const ready = ({ size_bytes, sha256 }: { size_bytes: number; sha256: string }, lifetime: number, now: number) =>
  sql.fragment`state = 'ready', progress = 1, ready_at = ${timestamp(now)}, expires_at = ${timestamp(now + lifetime)},
    next_at = ${timestamp(now + lifetime)}, size_bytes = ${size_bytes}, sha256 = ${sha256}, built_in = attempts`;

/** Sets a row to removed before its time. */
export const removed = (now: number) =>
  sql.fragment`state = 'expired', expires_at = least(expires_at, ${timestamp(now)}),
    next_at = case when state = 'building' then ${timestamp(now + NOTICED)}::timestamptz when stored then ${timestamp(now)} end`;

/**
 * Saves the progress, 0 to 1; after a restart it never goes back. False when another worker has claimed the build since, or it was removed.
 */
export const saveProgress = (
  db: Pool,
  table: Building,
  tenant: Tenant,
  held: BuildClaim,
  { progress, now }: { progress: number; now: number },
) =>
  change(
    db,
    table,
    tenant,
    held,
    sql.fragment`progress = greatest(progress, ${progress}), next_at = ${timestamp(now + LEASE)}`,
  );

/** Releases a build because the worker stops, which is not a failure. */
export const giveBack = (db: Pool, table: Building, tenant: Tenant, held: BuildClaim, now: number) =>
  change(db, table, tenant, held, sql.fragment`state = 'queued', next_at = ${timestamp(now)}`);

/** Releases a build because it failed, with the reason; after the third failure for good. */
export const fail = (
  db: Pool,
  table: Building,
  tenant: Tenant,
  held: BuildClaim,
  { reason, now }: { reason: string; now: number },
) =>
  change(
    db,
    table,
    tenant,
    held,
    held.failures + 1 < MOST_FAILURES
      ? sql.fragment`state = 'queued', failures = failures + 1, next_at = ${timestamp(now + RETRY_AFTER * (held.failures + 1))}`
      : sql.fragment`state = 'failed', failures = failures + 1, error = ${reason}, next_at = ${timestamp(now)}`,
  );

/** Whether this attempt is the one that was built. */
export const isBuilt = (db: Db, table: Building, tenant: Tenant, { id, attempts }: BuildClaim): Promise<boolean> =>
  db.exists(sql.unsafe`select from ${name(table)} where ${here(tenant, id)} and built_in = ${attempts}`);

const Attempts = z.object({ attempts: z.int() });

/** The number of attempts at a failed or expired build whose files are to be deleted, as each may have left some; null for any other. */
export const leftOver = (db: Db, table: Building, tenant: Tenant, id: string): Promise<number | null> =>
  db.maybeOneFirst(sql.type(Attempts)`select attempts from ${name(table)} where ${here(tenant, id)} and ${isLeftOver}`);

/** Records that its files are deleted. */
export const noteRemoved = (db: Db, table: Building, tenant: Tenant, id: string) =>
  db.query(
    sql.unsafe`update ${name(table)} set stored = false, next_at = null where ${here(tenant, id)} and ${isLeftOver}`,
  );

const isLeftOver = sql.fragment`stored and state in ('failed', 'expired')`;

const Due = z.object({ org_id: z.string(), environment: z.string(), id: z.string() });
export type Due = z.infer<typeof Due>;

/**
 * Claims the rows that need a worker: those that are waiting and not begun, whose worker has been silent for too long, that have expired,
 * or whose files are to be deleted. `also` runs in the transaction of each organization.
 */
export async function claimDue(
  db: Pool,
  table: Building,
  now: number,
  also: (tx: Db, tenant: Tenant, ids: readonly string[]) => Promise<void> = async () => {},
): Promise<readonly Due[]> {
  const candidates = await db.any(sql.type(Due)`
    select org_id, environment, id from ${name(table)} where next_at <= ${timestamp(now)} order by next_at limit ${MOST_AT_ONCE}`);
  return byTenant(candidates, (tenant, rows) =>
    db.transaction(async tx => {
      const ids = rows.map(({ id }) => id);
      const claimed = await claimOwn(tx, table, tenant, ids, now);
      await also(tx, tenant, ids);
      return claimed;
    }),
  );
}

/** Has a build be begun by another worker: the one that was at it has ended. */
export const letGoBuild = (db: Pool, table: Building, tenant: Tenant, id: string, now: number) =>
  db.transaction(async tx => {
    const { rowCount } = await tx.query(sql.unsafe`
      update ${name(table)} set next_at = ${timestamp(now)} where ${here(tenant, id)} and state = 'building'`);
    if (rowCount > 0) await claimOwn(tx, table, tenant, [id], now);
  });

async function claimOwn(tx: Db, table: Building, tenant: Tenant, ids: readonly string[], now: number) {
  const { org_id, environment } = tenant;
  const rows = await tx.any(sql.type(Due)`
    with due as materialized (
      select id, state = 'building' and attempts >= ${MOST_ATTEMPTS} as is_lost from ${name(table)}
      where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')})
        and next_at <= ${timestamp(now)}
      for update skip locked
    )
    update ${name(table)} p set
      state = case when is_lost then 'failed' when state = 'building' then 'queued' when state = 'ready' then 'expired' else state end,
      error = case when is_lost then ${LOST} else error end,
      next_at = ${timestamp(now + QUEUE_GRACE)}
    from due where p.org_id = ${org_id} and p.environment = ${environment} and p.id = due.id
    returning p.org_id, p.environment, p.id`);
  if (rows.length > 0) await moveVersions(tx, tenant, [table]);
  return rows;
}

const LOST = `Building stopped unexpectedly ${MOST_ATTEMPTS} times. Build the pack again, or for a shorter period.`;

/** When the longest-waiting one was requested; null when none is waiting. */
export const oldestWaiting = (db: Db, table: Building): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(created_at) as since from (
      select created_at from ${name(table)} where next_at is not null and state in ('queued', 'building') order by next_at limit 1000) p`);

const name = (table: Building) => sql.identifier([table]);

/** The condition for one row. */
export const here = ({ org_id, environment }: Tenant, id: string) =>
  sql.fragment`org_id = ${org_id} and environment = ${environment} and id = ${id}`;
/** The same while this worker holds it. */
export const mine = (tenant: Tenant, { id, attempts }: BuildClaim) =>
  sql.fragment`${here(tenant, id)} and state = 'building' and attempts = ${attempts}`;

async function change(
  db: Pool,
  table: Building,
  tenant: Tenant,
  held: BuildClaim,
  set: ReturnType<typeof sql.fragment>,
): Promise<boolean> {
  return db.transaction(async tx => {
    const { rowCount } = await tx.query(sql.unsafe`update ${name(table)} set ${set} where ${mine(tenant, held)}`);
    if (rowCount > 0) await moveVersions(tx, tenant, [table]);
    return rowCount > 0;
  });
}
