import { on, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { ProcessType } from '#shared/platform/jobs.ts';
import type { Database, ProcessServices } from '#shared/running/services.ts';
import type { ThreadWork } from './thread.ts';

/**
 * Works off the jobs of these process types in a thread of its own, with connections of its own, until `stop`: where the API is in the same
 * process, its answers do not wait for them. Its metrics join those of `services`. The process ends with an error when the thread does.
 */
export async function startThread(
  { config, metrics }: ProcessServices,
  { owner_url, service_url, role }: Database,
  types: readonly ProcessType[],
): Promise<{ stop(): Promise<void> }> {
  const workerData: ThreadWork = { config, database: { owner_url, service_url, role }, types };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
  const ended = once(thread, 'exit');
  await once(thread, 'message');
  const answers = on(thread, 'message', { close: ['exit'] });
  const leave = metrics.join(async () => {
    thread.postMessage('metrics');
    const { value } = await answers.next();
    return (value?.[0] ?? []) as MetricObjectWithValues<MetricValue<string>>[];
  });
  thread.on('error', error => {
    throw error;
  });
  return {
    async stop() {
      leave();
      thread.postMessage('stop');
      await ended;
    },
  };
}
