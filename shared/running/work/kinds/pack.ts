import { letGoBuild, oldestWaiting } from '#shared/packs/store/builds.ts';
import { claimPacks } from '#shared/packs/store/pack_queue.ts';
import { oncePer } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    pack: { org_id: string; environment: string; pack_id: string };
  }
}

/** A pack is to be built. Overdue are packs that wait, whose worker has fallen silent, or whose time is over. */
export const pack: JobKindOf<'pack'> = {
  process: 'pack',
  concurrency: 1,
  options: ({ pack_id }) => oncePer(pack_id),
  overdue: ({ db, now }) => claimPacks(db, now()),
  letGo: ({ db, now }, { pack_id, ...tenant }) => letGoBuild(db, 'packs', tenant, pack_id, now()),
  oldest: ({ db }) => oldestWaiting(db, 'packs'),
};
