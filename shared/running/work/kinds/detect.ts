import { logsBehind, oldestUnanalyzed } from '#shared/detection/consumer/behind.ts';
import { type LogPayload, oncePerLog } from '#shared/platform/jobs.ts';
import { type JobKindOf, PATIENCE } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    detect: LogPayload;
  }
}

/** A log has grown. Overdue are those that have grown and whose cursor has not moved for two seconds. */
export const detect: JobKindOf<'detect'> = {
  process: 'detect',
  concurrency: 4,
  options: oncePerLog,
  async overdue({ db, now }) {
    const behind = await logsBehind(db, now() - PATIENCE);
    return behind.map(log => ({ ...log, again: true }));
  },
  oldest: ({ db }) => oldestUnanalyzed(db),
};
