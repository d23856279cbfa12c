import { claimExports } from '#shared/exports/store/export_claims.ts';
import { letGoBuild, oldestWaiting } from '#shared/packs/store/builds.ts';
import { oncePer } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    export: { org_id: string; environment: string; export_id: string };
  }
}

/** An export is to be built. Overdue are exports that wait, whose worker has fallen silent, or whose time is over. */
export const exportKind: JobKindOf<'export'> = {
  process: 'pack',
  concurrency: 1,
  options: ({ export_id }) => oncePer(export_id),
  overdue: ({ db, now }) => claimExports(db, now()),
  letGo: ({ db, now }, { export_id, ...tenant }) => letGoBuild(db, 'exports', tenant, export_id, now()),
  oldest: ({ db }) => oldestWaiting(db, 'exports'),
};
