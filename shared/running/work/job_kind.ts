import type { Db } from '#shared/platform/db.ts';
import type { JobKind, Jobs, ProcessType, QueueSettings } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND } from '#shared/values/time.ts';

/**
 * A kind of job as a value, in a file that also declares its payload. The queue, reconcile, the metrics, `/ops` and the processes read it.
 * Its handler is `workers/handlers/<name>.ts`.
 */
export type JobKindOf<K extends JobKind> = QueueSettings<K> & {
  process: ProcessType;
  /** Claims the rows whose jobs may have been lost, and returns new jobs for them. */
  overdue(services: Pick<Services, 'config' | 'db' | 'log' | 'now'>): Promise<readonly Jobs[K][]>;
  /**
   * Whether a process holds the rows of a job now. If overdue rows are not held, the job that counts as running died with its process. For
   * kinds whose rows are locked while they are worked on.
   */
  isHeld?(services: Pick<Services, 'db' | 'now'>, job: Jobs[K]): Promise<boolean>;
  /**
   * Leaves to others the rows that a process had claimed for a job: it has ended. `worker` is the name under which it took jobs. For kinds whose
   * rows are claimed for a time.
   */
  letGo?(services: Pick<Services, 'db' | 'now'>, job: Jobs[K], worker: string): Promise<unknown>;
  /**
   * Since when the oldest row waits for work, or null when none does: read from Postgres, which knows all open work even if the queue lost
   * it. One index look-up, or one per log.
   */
  oldest(services: Pick<Services, 'config' | 'now'> & { db: Db }): Promise<string | null>;
};

/** Rows that have waited less than this still have a job on its way. */
export const PATIENCE = SECOND;

/** The earliest of some times, as an RFC 3339 string; null when there is none. */
export const earliest = (times: readonly (string | null)[]): string | null =>
  times.reduce((first, time) => (first === null || (time !== null && time < first) ? time : first), null);
