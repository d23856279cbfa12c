import { logsBehind, oldestUnanalyzed } from '#shared/detection/consumer/behind.ts';
import { isCursorHeld } from '#shared/detection/consumer/cursor.ts';
import { type LogPayload, oncePerLog } from '#shared/platform/jobs.ts';
import { type JobKindOf, PATIENCE } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    detect: LogPayload;
  }
}

/** A log has grown. Overdue are those that have grown and whose cursor has not moved for a second. */
export const detect: JobKindOf<'detect'> = {
  process: 'detect',
  concurrency: 4,
  options: oncePerLog,
  overdue: ({ db, now }) => logsBehind(db, now() - PATIENCE),
  isHeld: ({ db }, tenant) => isCursorHeld(db, tenant),
  oldest: ({ db }) => oldestUnanalyzed(db),
};
