import type { JobKind } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { jobKindNames, jobKinds } from '#shared/running/work/kinds/index.ts';

/** Asks each kind of work which rows are overdue and queues a job for each. The next run retries what failed. */
export async function reconcile(services: Services): Promise<void> {
  const { log, metrics } = services;
  for (const kind of jobKindNames) {
    try {
      const queued = await reconcileKind(kind, services);
      if (queued > 0) metrics.reconciled.inc({ kind }, queued);
    } catch (error) {
      log.warn({ error, kind }, 'reconcile failed; it is tried again');
    }
  }
}

/** The same for one kind. Returns how many jobs it queued. */
export async function reconcileKind(kind: JobKind, services: Services): Promise<number> {
  const jobs = await jobKinds[kind].overdue(services);
  await services.queue.add(kind, [...jobs]);
  return jobs.length;
}
