import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { latestCheckpoint } from '#shared/ledger/checkpoints.ts';
import { verifyRange } from '#shared/ledger/verify/verify_range.ts';
import {
  archiveFile,
  insertArchive,
  isArchive,
  type LogArchive,
  MOST_ARCHIVED,
} from '#shared/packs/archive/archives.ts';
import { type ArchiveServices, makeArchive } from '#shared/packs/archive/make_archive.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';
import { planArchives } from './archive_border.ts';
import { beginRun, cutoff, endRun, Policy, policyColumns, saveRun } from './policies.ts';

/** How long other processes leave a log alone whose archive is being made. */
const LEASE = 10 * MINUTE;
/** When a busy log is tried again. */
const AGAIN = 10 * MINUTE;

type Archiving = ArchiveServices & Pick<Services, 'log'>;

/**
 * Archives the next stretch of a log's old events: verifies it, writes its archive, reads that again, and then removes its rows in one
 * transaction, so that they are in exactly one place. A damaged stretch stays, and everything after it. `idle`: nothing is due, or another
 * process does it.
 */
export async function archiveEvents(services: Archiving, tenant: Tenant): Promise<'more' | 'done' | 'idle'> {
  const { config, db, log, now } = services;
  const policy = await claim(db, tenant, now());
  if (!policy) return 'idle';
  if (policy.file !== null) await removeUnlessArchive(services, tenant, policy.file);
  if (policy.days === null) {
    await leave(db, tenant);
    return 'idle';
  }
  // The setting may have been raised since: archived events could be accepted again.
  const days = Math.max(policy.days, config.event_max_age_days + 1);
  const begun =
    policy.run_before === null ? beginRun(policy, days, false, now()) : { ...policy, run_before: policy.run_before };
  const run = { ...begun, run_before: [begun.run_before, cutoff(days, now())].toSorted()[0] ?? begun.run_before };
  const end = async (ended: Partial<Policy>) => {
    await db.transaction(tx =>
      saveRun({ tx, log, now: now() }, tenant, { ...endRun({ ...run, ...ended }, now()), ...ended }, []),
    );
    return 'done' as const;
  };
  const { from_seq, old, free, is_busy } = await planArchives(db, tenant, run.run_before);
  const checkpoint = await latestCheckpoint(db, tenant);
  if (free === 0 || !checkpoint) return end({ run_held: old, ...(is_busy && { next_at: timestamp(now() + AGAIN) }) });
  const to_seq = from_seq - 1 + Math.min(free, MOST_ARCHIVED);
  const { flaw } = await verifyRange(services, tenant, { from_seq, to_seq });
  if (flaw) {
    log.error({ ...tenant, flaw }, 'events not archived: the log does not verify');
    return end({ run_held: old, problem: flaw.reason });
  }
  const file = archiveFile(tenant, from_seq, to_seq);
  if (!(await noteFile(db, tenant, file))) return 'idle';
  try {
    const archive = await makeArchive(services, tenant, { from_seq, to_seq, file }, checkpoint);
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
    await removeUnlessArchive(services, tenant, file).catch((also: unknown) =>
      log.warn(
        { error: also, ...tenant, file },
        'an archive that came to nothing is not removed; the next run removes it',
      ),
    );
    throw error;
  }
  return 'more';
}

const PolicyRow = Policy.extend({ file: z.string().nullable() });

/** Claims the policy if it is due. */
const claim = (db: Db, { org_id, environment }: Tenant, now: number) =>
  db.maybeOne(sql.type(PolicyRow)`
    update retention set next_at = ${timestamp(now + LEASE)}
    where org_id = ${org_id} and environment = ${environment} and kind = 'events' and next_at <= ${timestamp(now)}
    returning ${policyColumns}, file`);

const leave = (db: Db, { org_id, environment }: Tenant) =>
  db.query(sql.unsafe`
    update retention set next_at = null
    where org_id = ${org_id} and environment = ${environment} and kind = 'events' and days is null`);

/** Records the name of the file about to be made, so that it is found if this process dies. False when another process does it. */
async function noteFile(db: Db, { org_id, environment }: Tenant, file: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.unsafe`
    update retention set file = ${file}
    where org_id = ${org_id} and environment = ${environment} and kind = 'events' and file is null`);
  return rowCount > 0;
}

/**
 * Removes a file that has not become an archive. A commit may have succeeded although its answer was lost: the committing process holds the
 * policy, and is waited for. Throws when that cannot be known, or the storage is away.
 */
async function removeUnlessArchive({ db, storage }: Archiving, tenant: Tenant, file: string): Promise<void> {
  const { org_id, environment } = tenant;
  const events = sql.fragment`org_id = ${org_id} and environment = ${environment} and kind = 'events'`;
  await db.transaction(async tx => {
    await tx.query(sql.unsafe`select from retention where ${events} for update`);
    if (!(await isArchive(tx, tenant, file))) await storage.remove(file);
    await tx.query(sql.unsafe`update retention set file = null where ${events} and file = ${file}`);
  });
}

const Removed = z.object({ removed: z.int() });
const Reached = z.object({ received_at: z.string() });
const ProgressRow = z.object({ archived_seq: z.int() });

async function moveOut(tx: Db, tenant: Tenant, archive: LogArchive, now: number) {
  const { org_id, environment } = tenant;
  const here = sql.fragment`org_id = ${org_id} and environment = ${environment}`;
  // The policy first: a process that waits for it must not hold the log, which others append to.
  const { rowCount } = await tx.query(sql.unsafe`
    update retention set file = null where ${here} and kind = 'events' and file = ${archive.file}`);
  if (rowCount === 0) throw new Error('another process makes the archives of this log by now');
  const archived_seq = await tx.oneFirst(
    sql.type(ProgressRow)`select archived_seq from event_logs where ${here} for update`,
  );
  if (archived_seq !== archive.from_seq - 1) throw new Error(`events up to ${archived_seq} are in archives by now`);
  const reached_at = await tx.oneFirst(sql.type(Reached)`
    select received_at from events where ${here} and chain_seq = ${archive.to_seq}`);
  await insertArchive(tx, tenant, archive, now);
  const removed = await tx.oneFirst(sql.type(Removed)`
    select remove_archived_events(${org_id}, ${environment}) as removed`);
  if (removed !== archive.to_seq - archived_seq)
    throw new Error(`${removed} events left the log, not those of ${archive.file}`);
  return { removed, reached_at };
}
