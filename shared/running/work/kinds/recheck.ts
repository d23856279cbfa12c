import { claimRechecks, oldestRecheck } from '#shared/events/ranges/rechecks.ts';
import { oncePerLog } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    recheck: { org_id: string; environment: string };
  }
}

/** Events of a log are to be assessed again, because something became known. */
export const recheck: JobKindOf<'recheck'> = {
  process: 'detect',
  concurrency: 2,
  options: oncePerLog,
  overdue: ({ db, now }) => claimRechecks(db, now()),
  oldest: ({ db, now }) => oldestRecheck(db, now()),
};
