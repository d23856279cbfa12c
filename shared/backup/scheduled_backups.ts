import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';

/** A backup that was due at `slot`. */
const ScheduledBackup = z.object({
  slot: z.string(),
  name: z.string(),
  place: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  size_bytes: z.number().nullable(),
  error: z.string().nullable(),
});
export type ScheduledBackup = z.infer<typeof ScheduledBackup>;
const columns = sql.fragment`slot, name, place, state, started_at, finished_at, size_bytes, error`;

/** How long one that is being made is left to its process, which says in time that it is still there. */
export const LEASE = 2 * MINUTE;
/** How long after a failure it is tried again. */
const AGAIN = 10 * MINUTE;

const ClaimedSlot = z.object({ slot: z.string(), name: z.string() });
export type ClaimedSlot = z.infer<typeof ClaimedSlot>;

/**
 * Claims the backup that is due at `slot`; null where it is made, somebody is at it, or it failed a moment ago. Each attempt has a file of its
 * own: whoever had the claim may still be writing, and a database that was restored from a backup finds the claim of that very backup in it.
 */
export const claimBackup = (
  db: Db,
  { slot, name, place }: { slot: number; name: string; place: string },
  now: number,
): Promise<ClaimedSlot | null> =>
  db.maybeOne(sql.type(ClaimedSlot)`
    insert into scheduled_backups as b (slot, name, place, state, started_at, next_at)
    values (${timestamp(slot)}, ${name}, ${place}, 'running', ${timestamp(now)}, ${timestamp(now + LEASE)})
    on conflict (slot) do update set state = 'running', name = excluded.name, place = excluded.place,
      started_at = excluded.started_at, next_at = excluded.next_at, left_names = b.left_names || b.name
    where b.state <> 'done' and b.next_at <= ${timestamp(now)}
    returning slot, name`);

/** Says that a process is still making a backup. */
export const renewClaim = (db: Db, claim: ClaimedSlot, now: number) =>
  db.query(sql.unsafe`update scheduled_backups set next_at = ${timestamp(now + LEASE)} where ${mine(claim)}`);

/** Notes that a backup is whole and in its place. False where another process has claimed it since. */
export async function noteDone(
  db: Db,
  claim: ClaimedSlot,
  { size_bytes, sha256 }: { size_bytes: number; sha256: string },
  now: number,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.unsafe`
    update scheduled_backups set state = 'done', finished_at = ${timestamp(now)}, size_bytes = ${size_bytes}, sha256 = ${sha256}, error = null
    where ${mine(claim)}`);
  return rowCount > 0;
}

/** Notes why an attempt failed; it is made again ten minutes later, or at once where `soon`. */
export const noteFailed = (db: Db, claim: ClaimedSlot, error: string, now: number, soon: boolean) =>
  db.query(sql.unsafe`
    update scheduled_backups set state = 'failed', error = ${error}, next_at = ${timestamp(soon ? now : now + AGAIN)}
    where ${mine(claim)}`);

const mine = ({ slot, name }: ClaimedSlot) => sql.fragment`slot = ${slot} and name = ${name} and state = 'running'`;

/** The latest, newest first. */
export const listScheduled = (db: Db, limit: number): Promise<readonly ScheduledBackup[]> =>
  db.any(sql.type(ScheduledBackup)`select ${columns} from scheduled_backups order by slot desc limit ${limit}`);

/** When the last one was whole; where none was, when the first was due; null where they never were. */
export const lastGood = (db: Db): Promise<string | null> =>
  db.oneFirst(sql.type(z.object({ at: z.string().nullable() }))`
    select coalesce(max(finished_at) filter (where state = 'done'), min(slot)) as at from scheduled_backups`);

const OldBackup = z.object({ slot: z.string(), names: z.array(z.string()) });
export type OldBackup = z.infer<typeof OldBackup>;

/**
 * Those at a place that are older than the newest `keep` good ones, at most a hundred, with the files that attempts may have left. Attempts that
 * came to nothing are among them; what somebody may still be at is not.
 */
export const beyondKept = (db: Db, place: string, keep: number, now: number): Promise<readonly OldBackup[]> =>
  db.any(sql.type(OldBackup)`
    select slot, left_names || name as names from scheduled_backups
    where place = ${place} and (state = 'done' or next_at < ${timestamp(now)}) and slot < (
      select slot from scheduled_backups where place = ${place} and state = 'done' order by slot desc offset ${keep - 1} limit 1)
    order by slot limit 100`);

/** Forgets one whose files are gone. */
export const forgetBackup = (db: Db, { slot }: OldBackup) =>
  db.query(sql.unsafe`delete from scheduled_backups where slot = ${slot}`);
