import { claimErasures, oldestErasure } from '#shared/erasure/erasures.ts';
import { oncePer } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    erasure: { org_id: string; environment: string; erasure_id: string };
  }
}

/** Somebody's data is to be erased. Overdue are erasures that nobody has gone on with for a while. */
export const erasure: JobKindOf<'erasure'> = {
  process: 'pack',
  concurrency: 1,
  options: ({ erasure_id }) => oncePer(erasure_id),
  overdue: ({ db, now }) => claimErasures(db, now()),
  oldest: ({ db }) => oldestErasure(db),
};
