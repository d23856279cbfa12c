import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Counted } from '#shared/platform/metrics.ts';
import type { ProcessType } from '#shared/platform/jobs.ts';
import type { Database } from '#shared/running/open_database.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { SECOND } from '#shared/values/time.ts';
import type { ThreadWork } from './thread.ts';

/**
 * Processes the jobs of these process types, until `stop`, in a thread with its own connections, so that an API in the same process need
 * not wait for them. The thread's metrics are merged into those of `services`. If the thread dies, the process ends with an error.
 */
export async function startThread(
  { config, metrics }: ProcessServices,
  { owner_url, service_url, role }: Database,
  types: readonly ProcessType[],
): Promise<{ stop(): Promise<void> }> {
  const workerData: ThreadWork = { config, database: { owner_url, service_url, role }, types };
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  thread.once('exit', () => resolve());
  const first = await Promise.race([once(thread, 'message'), ended]);
  if (!first) throw new Error('a thread ended before it had started');
  const leave = metrics.join(createAsk(thread, ended));
  let stopping = false;
  thread.on('error', error => {
    throw error;
  });
  thread.once('exit', () => {
    if (!stopping) throw new Error('a thread ended by itself');
  });
  return {
    async stop() {
      stopping = true;
      leave();
      thread.postMessage('stop');
      // Whatever it was doing is rolled back, and the next process does it.
      void pause(STOP_WITHIN, undefined, { ref: false }).then(() => thread.terminate());
      await ended;
    },
  };
}

/** The longest a thread may take to stop; the process has a little more. */
const STOP_WITHIN = 18 * SECOND;
/** How long a request for metrics waits for a busy thread. */
const PATIENCE = 2 * SECOND;

/** Asks a thread for its metrics, one request at a time; a thread that does not answer in time reports none. */
function createAsk(thread: Worker, ended: Promise<void>): Counted {
  type Metrics = Awaited<ReturnType<Counted>>;
  let pending: Promise<Metrics> | null = null;
  const ask = async (): Promise<Metrics> => {
    const answer = once(thread, 'message');
    thread.postMessage('metrics');
    const [metrics = []] = (await Promise.race([answer, ended.then(() => [])])) as [Metrics?];
    pending = null;
    return metrics;
  };
  return () => Promise.race([(pending ??= ask()), pause(PATIENCE, [], { ref: false })]);
}
