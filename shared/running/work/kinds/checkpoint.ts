import { unpublishedLogs } from '#shared/ledger/unpublished.ts';
import { oncePerLog } from '#shared/platform/jobs.ts';
import { earliest, type JobKindOf } from '#shared/running/work/job_kind.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    checkpoint: { org_id: string; environment: string };
  }
}

/** A log has grown beyond its tree, which is signed anew once in ten seconds. */
export const checkpoint: JobKindOf<'checkpoint'> = {
  process: 'pack',
  concurrency: 2,
  options: oncePerLog,
  async overdue({ db, now }) {
    const logs = await unpublishedLogs(db, now());
    return logs.flatMap(({ org_id, environment, is_due }) => (is_due ? [{ org_id, environment }] : []));
  },
  oldest: async ({ db, now }) => earliest((await unpublishedLogs(db, now())).map(({ since }) => since)),
};
