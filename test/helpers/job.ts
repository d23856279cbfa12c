import { WorkFailed } from '#workers/failures.ts';

/** Waits for the end of a job, as the queue does: that its work failed is noted with it. */
export const endOf = (job: Promise<void>): Promise<void> =>
  job.catch((error: unknown) => {
    if (!(error instanceof WorkFailed)) throw error;
  });
