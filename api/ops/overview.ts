import type { ApiServices } from '#api/services.ts';
import { listScheduled, type ScheduledBackup } from '#shared/backup/scheduled_backups.ts';
import { describeSkew } from '#shared/platform/clock.ts';
import { withDeadline } from '#shared/platform/deadline.ts';
import type { JobKind } from '#shared/platform/jobs.ts';
import { unpublishedLogs } from '#shared/ledger/unpublished.ts';
import { jobKindNames, jobKinds } from '#shared/running/work/kinds/index.ts';
import { listActs, type RecordedAct } from '#shared/running/operator_acts.ts';
import { listMissed, type MissedBy } from '#shared/webhooks/replay_missed.ts';
import type { FailedJob } from '#shared/platform/queue.ts';
import { MINUTE, SECOND } from '#shared/values/time.ts';
import { type Behind, listBehind, listStorms, type Storm } from '#shared/running/pressure.ts';
import { type LeftProcess, listLeft, listPresent, type Presence } from '#shared/running/worker_presence.ts';
import { listSamples, MINUTES_DRAWN, type WorkSample } from '#shared/running/work/samples.ts';

/** What the operators' page shows. A part that could not be asked for in time is null: its engine or the database is away. */
export type OpsOverview = {
  now: number;
  /** What is wrong with the clock of the machine that was asked; null if nothing. */
  clock: string | null;
  engine: 'Redis' | 'PostgreSQL';
  kinds: KindOverview[];
  /** The newest failed jobs of all kinds. */
  failed: (FailedJob & { kind: JobKind })[] | null;
  processes: readonly Presence[] | null;
  /** Processes that left within the last hour. */
  left: readonly LeftProcess[] | null;
  /** How the work of the last hour went, by kind and minute. */
  samples: readonly WorkSample[] | null;
  behind: readonly Behind[] | null;
  storms: readonly Storm[] | null;
  /** Logs that have waited for their signature for longer than a minute. */
  unsigned: readonly { org_id: string; environment: string; since: string }[] | null;
  /** Endpoints that missed webhooks. */
  missed: readonly MissedBy[] | null;
  /** The latest scheduled backups; undefined where none are to be taken. */
  backups: readonly ScheduledBackup[] | null | undefined;
  acts: readonly RecordedAct[] | null;
};

export type KindOverview = {
  kind: JobKind;
  /** The type of process that works it off. */
  type: string;
  /** Jobs by state. */
  counts: Record<string, number> | null;
  /** Whether an operator holds them back. */
  paused: boolean;
  /** Since when the oldest row waits; null when none does, undefined when that is not known. */
  oldest: string | null | undefined;
  /** Processes that work it off. */
  workers: number | null;
};

const DEADLINE = 4 * SECOND;
const FAILED_SHOWN = 20;
const ACTS_SHOWN = 20;
const MISSED_SHOWN = 20;
const BACKUPS_SHOWN = 5;
const LEFT_SHOWN = 20;
const PRESSED_SHOWN = 10;
/** Logs are signed every ten seconds while events arrive. */
const SIGNED_WITHIN = MINUTE;

/** Asks the queue and the database what there is. Never throws, and takes no longer than some seconds. */
export async function overview(services: ApiServices): Promise<OpsOverview> {
  const { config, db, queue, now } = services;
  const at = now();
  const ask = async <T>(query: Promise<T>): Promise<T | null> => withDeadline(query, DEADLINE).catch(() => null);
  const [processes, left, samples, behind, storms, unpublished, acts, missed, backups, counts, paused, oldest, failed] =
    await Promise.all([
      ask(listPresent(db)),
      ask(listLeft(db, LEFT_SHOWN)),
      ask(listSamples(db, at - MINUTES_DRAWN * MINUTE)),
      ask(listBehind(db, PRESSED_SHOWN)),
      ask(listStorms(db, PRESSED_SHOWN)),
      ask(unpublishedLogs(db, at)),
      ask(listActs(db, ACTS_SHOWN)),
      ask(listMissed(db, MISSED_SHOWN)),
      config.backup_url === undefined ? undefined : ask(listScheduled(db, BACKUPS_SHOWN)),
      Promise.all(jobKindNames.map(kind => ask(queue.counts(kind)))),
      Promise.all(jobKindNames.map(kind => ask(queue.isPaused(kind)))),
      // A null of its own means that nothing waits.
      Promise.all(jobKindNames.map(kind => ask(jobKinds[kind].oldest(services).then(since => ({ since }))))),
      Promise.all(jobKindNames.map(kind => ask(queue.failed(kind, FAILED_SHOWN)))),
    ]);
  return {
    now: at,
    clock: describeSkew(services.skew()),
    engine: config.redis_url ? 'Redis' : 'PostgreSQL',
    kinds: jobKindNames.map((kind, index) => {
      const type = jobKinds[kind].process;
      const workers = processes && processes.filter(process => process.type === type).length;
      return {
        kind,
        type,
        counts: counts[index] ?? null,
        paused: paused[index] ?? false,
        oldest: oldest[index]?.since,
        workers,
      };
    }),
    failed: failed.includes(null) ? null : newestOf(failed.map(jobs => jobs ?? [])),
    processes,
    left,
    samples,
    behind,
    storms,
    unsigned: unpublished && unpublished.flatMap(log => (isLate(log, at) ? [log] : [])),
    missed,
    backups,
    acts,
  };
}

const isLate = <L extends { since: string | null }>(log: L, now: number): log is L & { since: string } =>
  log.since !== null && now - Date.parse(log.since) > SIGNED_WITHIN;

const newestOf = (jobs: readonly FailedJob[][]) =>
  jobKindNames
    .flatMap((kind, index) => (jobs[index] ?? []).map(job => ({ ...job, kind })))
    .toSorted((one, other) => other.failed_at - one.failed_at)
    .slice(0, FAILED_SHOWN);
