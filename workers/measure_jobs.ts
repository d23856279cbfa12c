import { DelayedError } from 'bullmq';
import type { JobKind } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND } from '#shared/values/time.ts';
import { AttemptFailed } from './failures.ts';
import type { Handler } from './handler.ts';

/** Has a handler tell the metrics how long jobs waited for a worker, how long they took, and how they ended. */
export function measureJobs<K extends JobKind>({ metrics, now }: Services, kind: K, handle: Handler<K>): Handler<K> {
  // A counter that begins with its first failure would show no increase.
  for (const outcome of ['done', 'again', 'failed']) metrics.jobDuration.zero({ kind, outcome });
  return async (data, job) => {
    // Later runs waited on purpose, or for a worker that died.
    if (job.attemptsStarted <= 1)
      metrics.jobWait.observe({ kind }, Math.max(0, now() - job.timestamp - job.delay) / SECOND);
    const start = performance.now();
    let outcome = 'done';
    try {
      await handle(data, job);
    } catch (error) {
      outcome = error instanceof AttemptFailed || error instanceof DelayedError ? 'again' : 'failed';
      throw error;
    } finally {
      metrics.jobDuration.observe({ kind, outcome }, (performance.now() - start) / SECOND);
    }
  };
}
