import type { JobKind, Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { warnOf } from '#shared/platform/warn_of.ts';
import { jobKindNames, jobKinds } from '#shared/running/work/kinds/index.ts';

/** Asks each kind of work which rows are overdue and queues a job for each. The next run retries what failed. */
export async function reconcile(services: Services): Promise<void> {
  const { log, metrics } = services;
  for (const kind of jobKindNames) {
    try {
      const queued = await reconcileKind(kind, services);
      if (queued > 0) metrics.reconciled.inc({ kind }, queued);
    } catch (error) {
      warnOf(log, error, 'reconcile failed', { kind });
    }
  }
}

/** Frees the jobs of processes that have ended, with the rows that these had claimed for them. Returns how many jobs. */
export const freeAbandoned = (services: Services): Promise<number> =>
  services.queue.freeAbandoned(async (kind, data, worker) => {
    try {
      // Another version may have queued jobs of a kind that this one does not know.
      await (jobKinds[kind] as (typeof jobKinds)[typeof kind] | undefined)?.letGo?.(services, data, worker);
    } catch (error) {
      services.log.warn({ error, kind }, 'rows of an ended process not freed; its claims run out');
    }
  });

/** Reconciles one kind. Returns how many jobs it queued. */
export async function reconcileKind<K extends JobKind>(kind: K, services: Services): Promise<number> {
  const { overdue, isHeld, options } = jobKinds[kind];
  const jobs = await overdue(services);
  if (jobs.length === 0) return 0;
  if (isHeld) {
    const placeOf = (job: Jobs[K]) => options(job).deduplication?.id;
    const places = new Set(jobs.map(placeOf));
    await services.queue.releaseDead(kind, async job => places.has(placeOf(job)) && !(await isHeld(services, job)));
  }
  await services.queue.add(kind, [...jobs]);
  return jobs.length;
}
