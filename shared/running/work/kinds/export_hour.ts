import { claimSchedules, letGoHour, oldestHour } from '#shared/exports/store/schedule_claims.ts';
import { oncePer } from '#shared/platform/jobs.ts';
import type { JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    export_hour: { org_id: string; environment: string; kind: string };
  }
}

/** Hours of an export schedule are over and are to be written. */
export const exportHour: JobKindOf<'export_hour'> = {
  process: 'pack',
  concurrency: 4,
  options: ({ org_id, environment, kind }) => oncePer(`${org_id}.${environment}.${kind}`),
  overdue: ({ db, now }) => claimSchedules(db, now()),
  letGo: ({ db, now }, { kind, ...tenant }) => letGoHour(db, tenant, kind, now()),
  oldest: ({ db, now }) => oldestHour(db, now()),
};
