import { DelayedError } from 'bullmq';
import type { JobKind } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import type { Samples } from '#shared/running/work/samples.ts';
import { SECOND } from '#shared/values/time.ts';
import { AttemptFailed } from './failures.ts';
import type { Handler } from './handler.ts';

/** Makes a handler report to the metrics and `/ops` how long its jobs waited, how long they took, and how they ended. */
export function measureJobs<K extends JobKind>(
  { metrics, now }: Services,
  samples: Pick<Samples, 'note'>,
  kind: K,
  handle: Handler<K>,
): Handler<K> {
  // A counter that appears only with its first failure would show no increase.
  for (const outcome of ['done', 'again', 'failed']) metrics.jobDuration.zero({ kind, outcome });
  return async (data, job) => {
    // Retries waited on purpose, or for a worker that died.
    const waited_ms = job.attemptsStarted <= 1 ? Math.max(0, now() - job.timestamp - job.delay) : 0;
    if (job.attemptsStarted <= 1) metrics.jobWait.observe({ kind }, waited_ms / SECOND);
    const start = performance.now();
    let outcome = 'done';
    try {
      await handle(data, job);
    } catch (error) {
      outcome = error instanceof AttemptFailed || error instanceof DelayedError ? 'again' : 'failed';
      throw error;
    } finally {
      const ran_ms = performance.now() - start;
      metrics.jobDuration.observe({ kind, outcome }, ran_ms / SECOND);
      samples.note(kind, { waited_ms, ran_ms, failed: outcome === 'failed' });
    }
  };
}
