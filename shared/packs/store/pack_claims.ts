import { z } from 'zod';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { type PackKind, packKinds } from '#shared/packs/pack_files.ts';
import { PackScope } from './pack_input.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';

/** A pack in the hands of a worker: `attempts` tells whose. */
const Claimed = z.object({
  id: z.string(),
  kind: z.enum(packKinds),
  title: z.string().nullable(),
  scope: PackScope,
  redact: z.array(z.string()),
  event_count: z.int(),
  log_size: z.int(),
  checkpoint_size: z.int().nullable(),
  created_at: z.string(),
  created_by: z.string().nullable(),
  attempts: z.int(),
  failures: z.int(),
});
export type ClaimedPack = z.infer<typeof Claimed> & { kind: PackKind };

/** How long a worker may be silent before its pack is begun again by another. */
const LEASE = 15 * SECOND;
/** After so many failures a pack has failed; a worker that is killed is no failure, unless it always is. */
const MOST_FAILURES = 3;
/** How long a pack waits for the analysis of its events. */
const PATIENCE = MINUTE;
/** How long a pack is kept, unless a link to it lasts longer. */
const KEPT = 400 * DAY;

/**
 * Begins a pack that waits for it, once detection has gone through the events there were when it was asked for, or a minute has passed. Null
 * when somebody else has begun it, it is finished, or it has to wait: then its next look is in a second.
 */
export const beginPack = (db: Pool, tenant: Tenant, id: string, now: number): Promise<ClaimedPack | null> =>
  db.transaction(async tx => {
    const claimed = await tx.maybeOne(sql.type(Claimed)`
      update packs p set state = 'building', attempts = attempts + 1, stored = true, next_at = ${timestamp(now + LEASE)}, error = null
      where ${here(tenant, id)} and state = 'queued' and (created_at <= ${timestamp(now - PATIENCE)} or log_size <= (
        select c.seq from detection_cursors c where c.org_id = p.org_id and c.environment = p.environment))
      returning id, kind, title, scope, redact, event_count, log_size, checkpoint_size, created_at, created_by, attempts, failures`);
    if (claimed) await moveVersions(tx, tenant, ['packs']);
    else
      await tx.query(sql.unsafe`
        update packs set next_at = ${timestamp(now + SECOND)} where ${here(tenant, id)} and state = 'queued'`);
    return claimed;
  });

/** Fixes the checkpoint of a pack; returns the one that it has, which may have been fixed before. */
export const fixCheckpoint = (db: Pool, tenant: Tenant, { id }: ClaimedPack, size: number): Promise<number> =>
  db.oneFirst(sql.type(z.object({ checkpoint_size: z.int() }))`
    update packs set checkpoint_size = coalesce(checkpoint_size, ${size}) where ${here(tenant, id)} returning checkpoint_size`);

/** Notes how far it has got, from 0 to 1; what is begun again does not go back. False when the pack is in other hands by now, or removed. */
export const saveProgress = (db: Pool, tenant: Tenant, held: ClaimedPack, progress: number, now: number) =>
  change(
    db,
    tenant,
    held,
    sql.fragment`progress = greatest(progress, ${progress}), next_at = ${timestamp(now + LEASE)}`,
  );

/**
 * Ends it, with the webhook that tells of it. Returns the jobs to queue; null when the pack is in other hands by now, or removed: its
 * files are not wanted then.
 */
export const finishPack = (
  db: Pool,
  tenant: Tenant,
  held: ClaimedPack,
  { size_bytes, sha256 }: { size_bytes: number; sha256: string },
  now: number,
): Promise<Jobs['webhook'][] | null> =>
  db.transaction(async tx => {
    const expires_at = timestamp(now + KEPT);
    const { rowCount } = await tx.query(sql.unsafe`
      update packs set state = 'ready', progress = 1, ready_at = ${timestamp(now)}, expires_at = ${expires_at}, next_at = ${expires_at},
        size_bytes = ${size_bytes}, sha256 = ${sha256}, built_in = attempts
      where ${mine(tenant, held)}`);
    if (rowCount === 0) return null;
    await forgetEvents(tx, tenant, [held.id]);
    const jobs = await insertDeliveries(tx, tenant, [{ type: 'pack.ready', data: { pack_id: held.id } }], now);
    await moveVersions(tx, tenant, ['packs', 'webhooks']);
    return jobs;
  });

/** Gives it back because the worker stops: that is no failure. */
export const returnPack = (db: Pool, tenant: Tenant, held: ClaimedPack, now: number) =>
  change(db, tenant, held, sql.fragment`state = 'queued', next_at = ${timestamp(now)}`);

/** Gives it back because it failed, for this reason; after the third failure for good. */
export const failPack = (db: Pool, tenant: Tenant, held: ClaimedPack, reason: string, now: number) =>
  change(
    db,
    tenant,
    held,
    held.failures + 1 < MOST_FAILURES
      ? sql.fragment`state = 'queued', failures = failures + 1, next_at = ${timestamp(now + RETRY_AFTER * (held.failures + 1))}`
      : sql.fragment`state = 'failed', failures = failures + 1, error = ${reason}, next_at = ${timestamp(now)}`,
  );

const RETRY_AFTER = 5 * SECOND;

/** Whether the pack is what this attempt has made. */
export const isBuilt = (db: Pool, tenant: Tenant, { id, attempts }: ClaimedPack): Promise<boolean> =>
  db.exists(sql.unsafe`select from packs where ${here(tenant, id)} and built_in = ${attempts}`);

const Attempts = z.object({ attempts: z.int() });

/** How often a pack was begun whose files are to be deleted, because it has failed or expired and may have left some; null for any other. */
export const leftOver = (db: Pool, tenant: Tenant, id: string): Promise<number | null> =>
  db.maybeOneFirst(sql.type(Attempts)`select attempts from packs where ${here(tenant, id)} and ${isLeftOver}`);

/** Notes that the files of a pack are deleted. */
export const noteRemoved = (db: Pool, tenant: Tenant, id: string) =>
  db.query(sql.unsafe`update packs set stored = false, next_at = null where ${here(tenant, id)} and ${isLeftOver}`);

const isLeftOver = sql.fragment`stored and state in ('failed', 'expired')`;

const here = ({ org_id, environment }: Tenant, id: string) =>
  sql.fragment`org_id = ${org_id} and environment = ${environment} and id = ${id}`;
const mine = (tenant: Tenant, { id, attempts }: ClaimedPack) =>
  sql.fragment`${here(tenant, id)} and state = 'building' and attempts = ${attempts}`;

const forgetEvents = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[]) =>
  tx.query(sql.unsafe`
    delete from pack_events
    where org_id = ${org_id} and environment = ${environment} and pack_id = any(${sql.array(ids, 'text')})`);

async function change(db: Pool, tenant: Tenant, held: ClaimedPack, set: ReturnType<typeof sql.fragment>) {
  return db.transaction(async tx => {
    const { rowCount } = await tx.query(sql.unsafe`update packs set ${set} where ${mine(tenant, held)}`);
    if (rowCount > 0) await moveVersions(tx, tenant, ['packs']);
    return rowCount > 0;
  });
}
