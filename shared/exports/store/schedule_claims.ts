import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { byTenant } from '#shared/interface/by_tenant.ts';
import { Tenant } from '#shared/interface/schemas.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { HOUR, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';

/** How long after its end an hour is written: by then what was to become of its records has been committed. */
const GRACE = 5 * MINUTE;
/** How long a worker may be silent before another begins its hour again. */
const LEASE = 30 * SECOND;
/** How long a queued job has to begin before reconcile queues another. */
const QUEUE_GRACE = 10 * SECOND;
const RETRY_AFTER = 5 * SECOND;
const LONGEST_WAIT = 10 * MINUTE;
const MOST_AT_ONCE = 100;

/** From when on an hour is written, by its beginning. */
export const writtenFrom = (hour_at: string): number => Date.parse(hour_at) + HOUR + GRACE;
/** What began then or before is over for long enough. */
const overSince = (now: number) => timestamp(now - HOUR - GRACE);

/** The folder of a schedule in the storage. */
export const folder = sql.fragment`'warehouse/' || org_id || '/' || environment || '/' || kind`;

const Due = Tenant.extend({ kind: z.string() });
type Due = z.infer<typeof Due>;

/** Claims the schedules that need a worker: of those whose hour is over, the ones that have waited longest. */
export async function claimSchedules(db: Pool, now: number): Promise<Due[]> {
  const waiting = await db.any(sql.type(Due)`
    select org_id, environment, kind from export_schedules where next_at <= ${timestamp(now)} order by next_at limit ${MOST_AT_ONCE}`);
  return byTenant(waiting, ({ org_id, environment }, rows) =>
    db.any(sql.type(Due)`
      update export_schedules set next_at = ${timestamp(now + QUEUE_GRACE)}
      where org_id = ${org_id} and environment = ${environment} and next_at <= ${timestamp(now)}
        and kind = any(${sql.array(
          rows.map(({ kind }) => kind),
          'text',
        )})
      returning org_id, environment, kind`),
  );
}

/** An hour that a worker is to write; `claims` identifies the claim. `after_seq` as in the table. */
const HeldHour = z.object({
  kind: z.string(),
  format: z.string(),
  folder: z.string(),
  hour_at: z.string(),
  after_seq: z.number().nullable(),
  manifest_sha256: z.string().nullable(),
  claims: z.number(),
  failures: z.int(),
});
export type HeldHour = z.infer<typeof HeldHour>;

/** Claims the next hour of a schedule. Null when it is not over, another worker has it, or the schedule is paused. */
export const beginHour = (db: Db, tenant: Tenant, kind: string, now: number): Promise<HeldHour | null> =>
  db.maybeOne(sql.type(HeldHour)`
    update export_schedules set claims = claims + 1, held_until = ${timestamp(now + LEASE)}, next_at = ${timestamp(now + LEASE)}
    where ${here(tenant, kind)} and state = 'active' and coalesce(held_until <= ${timestamp(now)}, true)
      and hour_at <= ${overSince(now)}
    returning kind, format, ${folder} as folder, hour_at, after_seq, manifest_sha256, claims, failures`);

/** Records that a worker is still at it. False when another has it. */
export const keepHour = (db: Pool, tenant: Tenant, held: HeldHour, now: number): Promise<boolean> =>
  change(db, tenant, held, sql.fragment`held_until = ${timestamp(now + LEASE)}, next_at = ${whileActive(now + LEASE)}`);

/** What an hour came to: up to which position of the log its events went, and the SHA-256 of its manifest. */
export type WrittenHour = { last_seq: number | null; manifest_sha256: string };

/** Records that the hour is written. False when another worker has it. */
export function finishHour(
  db: Pool,
  tenant: Tenant,
  held: HeldHour,
  { last_seq, manifest_sha256 }: WrittenHour,
  now: number,
): Promise<boolean> {
  const next_hour = timestamp(Date.parse(held.hour_at) + HOUR);
  return change(
    db,
    tenant,
    held,
    sql.fragment`hour_at = ${next_hour}, after_seq = ${last_seq}, manifest_sha256 = ${manifest_sha256}, written_at = ${timestamp(now)},
      error = null, failures = 0, held_until = null, next_at = ${whileActive(writtenFrom(next_hour))}`,
    true,
  );
}

/** Leaves the hour to the next worker, at this time. */
export const releaseHour = (db: Pool, tenant: Tenant, held: HeldHour, at: number) =>
  change(db, tenant, held, sql.fragment`held_until = null, next_at = ${whileActive(at)}`);

/** The same because it could not be written, for the reason `error`. It is tried again for as long as it takes. */
export const failHour = (db: Pool, tenant: Tenant, held: HeldHour, error: string, now: number) => {
  const again = now + Math.min(LONGEST_WAIT, RETRY_AFTER * 2 ** Math.min(held.failures, 20));
  return change(
    db,
    tenant,
    held,
    sql.fragment`held_until = null, next_at = ${whileActive(again)}, error = ${error}, failures = failures + 1`,
    true,
  );
};

/** Has an hour be begun by another worker: the one that was at it has ended. */
export const letGoHour = (db: Db, tenant: Tenant, kind: string, now: number) =>
  db.query(sql.unsafe`
    update export_schedules set held_until = null, next_at = ${whileActive(now)}
    where ${here(tenant, kind)} and held_until is not null`);

/**
 * Since when an hour that is over waits, and none of its schedule was written; null when none does. A schedule that catches up is not late.
 */
export const oldestHour = (db: Db, now: number): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ since: z.string().nullable() }))`
    select min(greatest(hour_at + ${`${(HOUR + GRACE) / MINUTE} minutes`}::interval, written_at, created_at)) as since from (
      select hour_at, written_at, created_at from export_schedules where next_at is not null order by next_at limit 1000) s
    where hour_at <= ${overSince(now)}`);

const here = ({ org_id, environment }: Tenant, kind: string) =>
  sql.fragment`org_id = ${org_id} and environment = ${environment} and kind = ${kind}`;

const whileActive = (at: number) => sql.fragment`case when state = 'active' then ${timestamp(at)}::timestamptz end`;

/** Changes the schedule while this worker holds its hour; `is_seen`: so that readers look again. */
const change = (db: Pool, tenant: Tenant, held: HeldHour, set: FragmentSqlToken, is_seen = false): Promise<boolean> =>
  db.transaction(async tx => {
    const { rowCount } = await tx.query(sql.unsafe`
      update export_schedules set ${set} where ${here(tenant, held.kind)} and claims = ${held.claims} and held_until is not null`);
    if (is_seen && rowCount > 0) await moveVersions(tx, tenant, ['exports']);
    return rowCount > 0;
  });
