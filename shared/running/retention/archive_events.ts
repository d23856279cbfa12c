import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { latestCheckpoint } from '#shared/ledger/checkpoints.ts';
import { insertArchive, type LogArchive, MOST_ARCHIVED } from '#shared/packs/archive/archives.ts';
import { type ArchiveServices, makeArchive } from '#shared/packs/archive/make_archive.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';
import { planArchives } from './archive_border.ts';
import { beginRun, endRun, Policy, policyColumns, saveRun } from './policies.ts';

/** Most events that one statement removes. */
const BATCH = 500;
/** For so long another process leaves a log alone whose archive is being made. */
const LEASE = 10 * MINUTE;
/** When a log in which something else is done is looked at again. */
const AGAIN = 10 * MINUTE;

/**
 * Takes the next stretch of old events out of a log: writes its archive, reads it again, and then removes its rows in one transaction, so that they
 * are in one place or the other. `idle`: nothing is due, or another process is at it.
 */
export async function archiveEvents(
  services: ArchiveServices & Pick<Services, 'log'>,
  tenant: Tenant,
): Promise<'more' | 'done' | 'idle'> {
  const { config, db, storage, log, now } = services;
  const policy = await claim(db, tenant, now());
  if (!policy || policy.days === null) return 'idle';
  const run =
    policy.run_before === null
      ? beginRun(policy, policy.days, false, now())
      : { ...policy, run_before: policy.run_before };
  const { from_seq, old, free, is_busy } = await planArchives(db, tenant, run.run_before);
  const checkpoint = await latestCheckpoint(db, tenant);
  // The setting may have been raised since: events that left would be taken once more.
  const is_too_soon = policy.days <= config.event_max_age_days;
  if (free === 0 || !checkpoint || is_too_soon) {
    const ended = endRun({ ...run, run_held: old }, now());
    const next_at = is_busy ? timestamp(now() + AGAIN) : ended.next_at;
    await db.transaction(tx => saveRun({ tx, log, now: now() }, tenant, { ...ended, next_at }, []));
    return 'done';
  }
  const to_seq = from_seq - 1 + Math.min(free, MOST_ARCHIVED);
  const archive = await makeArchive(services, tenant, { from_seq, to_seq }, checkpoint);
  try {
    await db.transaction(async tx => {
      const { removed, reached_at } = await moveOut(tx, tenant, archive, now());
      const after: Policy = {
        ...run,
        run_removed: run.run_removed + removed,
        run_held: old - removed,
        reached_at,
        removed_total: run.removed_total + removed,
        next_at: timestamp(now()),
      };
      await saveRun({ tx, log, now: now() }, tenant, after, ['verdicts', 'log_checkpoints']);
    });
  } catch (error) {
    await storage.remove(archive.file);
    throw error;
  }
  return 'more';
}

/** Holds the policy for a while, if it is due. */
const claim = (db: Db, { org_id, environment }: Tenant, now: number) =>
  db.maybeOne(sql.type(Policy)`
    update retention set next_at = ${timestamp(now + LEASE)}
    where org_id = ${org_id} and environment = ${environment} and kind = 'events' and next_at <= ${timestamp(now)}
    returning ${policyColumns}`);

const Removed = z.object({ removed: z.int() });
const Reached = z.object({ received_at: z.string() });

async function moveOut(tx: Db, tenant: Tenant, archive: LogArchive, now: number) {
  const { org_id, environment } = tenant;
  const reached_at = await tx.oneFirst(sql.type(Reached)`
    select received_at from events where org_id = ${org_id} and environment = ${environment} and chain_seq = ${archive.to_seq}`);
  await insertArchive(tx, tenant, archive, now);
  const all = archive.to_seq - archive.from_seq + 1;
  let removed = 0;
  while (removed < all)
    removed += await tx.oneFirst(sql.type(Removed)`
      select remove_archived_events(${org_id}, ${environment}, ${BATCH}) as removed`);
  return { removed, reached_at };
}
