import { type LogPayload, oncePerLog } from '#shared/platform/jobs.ts';
import { earliest, type JobKindOf, PATIENCE } from '#shared/running/work/job_kind.ts';
import { isScreening, logsToScreen } from '#shared/screening/store/screening_claims.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    screen: LogPayload;
  }
}

/** Payees of a log are to be screened: those that have waited for a second, and all of them when a list has changed. */
export const screen: JobKindOf<'screen'> = {
  process: 'screen',
  concurrency: 2,
  options: oncePerLog,
  async overdue({ db, now }) {
    const waiting = await logsToScreen(db, now() - PATIENCE);
    return waiting.map(({ org_id, environment }) => ({ org_id, environment }));
  },
  isHeld: ({ db, now }, tenant) => isScreening(db, tenant, now()),
  oldest: async ({ db, now }) => earliest((await logsToScreen(db, now() - PATIENCE)).map(({ since }) => since)),
};
