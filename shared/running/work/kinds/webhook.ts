import type { JobKindOf } from '#shared/running/work/job_kind.ts';
import { resumeReplays } from '#shared/webhooks/replay_missed.ts';
import { MOST_ATTEMPTS, waitAfter } from '#shared/webhooks/retry_schedule.ts';
import { letGoBacklog } from '#shared/webhooks/webhook_backlog.ts';
import { claimOverdue, oldestPending } from '#shared/webhooks/webhook_claims.ts';

declare module '#shared/platform/jobs.ts' {
  interface Jobs {
    webhook: {
      org_id: string;
      environment: string;
      delivery_id: string;
      generation: number;
      attempts_made: number;
      /** How many deliveries of the endpoint were pending before it: jobs with fewer go first. */
      behind: number;
    };
  }
}

/** A delivery is to be sent. Overdue are those whose time has come and gone, and the next of a replay that stands still. */
export const webhook: JobKindOf<'webhook'> = {
  process: 'webhook',
  concurrency: 200,
  options: ({ delivery_id, generation, attempts_made, behind }) => ({
    jobId: `${delivery_id}-${generation}`,
    // However much waits for endpoints that do not answer, what others are told goes before it.
    priority: behind,
    attempts: MOST_ATTEMPTS - attempts_made,
    backoff: { type: 'exponential', delay: waitAfter(attempts_made + 1) },
    removeOnComplete: true,
    // A job of that id which is kept would stand in the way of reconcile; the handler keeps those whose delivery has ended.
    removeOnFail: true,
  }),
  overdue: async ({ db, now }) => [...(await claimOverdue(db, now())), ...(await resumeReplays(db, now()))],
  letGo: ({ db, now }, job, worker) => letGoBacklog(db, job, worker, now()),
  oldest: ({ db }) => oldestPending(db),
};
