import { z } from 'zod';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import type { Jobs } from '#shared/platform/jobs.ts';
import { type PackKind, packKinds } from '#shared/packs/pack_files.ts';
import { PackScope } from './pack_input.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { beginning, here, mine, ready } from './builds.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';

/** A pack that a worker has claimed; `attempts` identifies the claim. */
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

/** How long a pack waits for the analysis of its events. */
const PATIENCE = MINUTE;
/** How long a pack is kept, unless a link to it lasts longer. */
const KEPT = 400 * DAY;

/**
 * Claims a waiting pack, once detection has analyzed the events that existed at the request, or after a minute. Null when another worker
 * has claimed it, it is finished, or it has to wait: then it is due again in a second.
 */
export const beginPack = (db: Pool, tenant: Tenant, id: string, now: number): Promise<ClaimedPack | null> =>
  db.transaction(async tx => {
    const claimed = await tx.maybeOne(sql.type(Claimed)`
      update packs p set ${beginning(now)}
      where ${here(tenant, id)} and state = 'queued' and (created_at <= ${timestamp(now - PATIENCE)} or log_size <= (
        select c.seq from detection_cursors c where c.org_id = p.org_id and c.environment = p.environment))
      returning id, kind, title, scope, redact, event_count, log_size, checkpoint_size, created_at, created_by, attempts, failures`);
    if (claimed) await moveVersions(tx, tenant, ['packs']);
    else
      await tx.query(sql.unsafe`
        update packs set next_at = ${timestamp(now + SECOND)} where ${here(tenant, id)} and state = 'queued'`);
    return claimed;
  });

/** Sets the checkpoint of a pack unless it has one; returns the one it has. */
export const fixCheckpoint = (db: Pool, tenant: Tenant, { id }: ClaimedPack, size: number): Promise<number> =>
  db.oneFirst(sql.type(z.object({ checkpoint_size: z.int() }))`
    update packs set checkpoint_size = coalesce(checkpoint_size, ${size}) where ${here(tenant, id)} returning checkpoint_size`);

/**
 * Marks a pack as built, with the webhook that reports it. Returns the jobs to queue; null when another worker has claimed the pack since,
 * or it was removed: then its files are not wanted.
 */
export const finishPack = (
  db: Pool,
  tenant: Tenant,
  held: ClaimedPack,
  file: { size_bytes: number; sha256: string },
  now: number,
): Promise<Jobs['webhook'][] | null> =>
  db.transaction(async tx => {
    const { rowCount } = await tx.query(sql.unsafe`
      update packs set ${ready(file, KEPT, now)} where ${mine(tenant, held)}`);
    if (rowCount === 0) return null;
    await forgetEvents(tx, tenant, [held.id]);
    const jobs = await insertDeliveries(tx, tenant, [{ type: 'pack.ready', data: { pack_id: held.id } }], now);
    await moveVersions(tx, tenant, ['packs', 'webhooks']);
    return jobs;
  });

const forgetEvents = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[]) =>
  tx.query(sql.unsafe`
    delete from pack_events
    where org_id = ${org_id} and environment = ${environment} and pack_id = any(${sql.array(ids, 'text')})`);
