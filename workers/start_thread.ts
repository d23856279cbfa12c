import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Counted } from '#shared/platform/metrics.ts';
import type { ProcessType } from '#shared/platform/jobs.ts';
import type { Database, ProcessServices } from '#shared/running/services.ts';
import { SECOND } from '#shared/values/time.ts';
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
      // What it had under way then is rolled back, and done by the next process.
      void pause(STOP_WITHIN, undefined, { ref: false }).then(() => thread.terminate());
      await ended;
    },
  };
}

/** The longest a thread takes to stop; the process has a little more. */
const STOP_WITHIN = 18 * SECOND;
/** How long a thread that is busy may keep whoever asks for metrics waiting. */
const PATIENCE = 2 * SECOND;

/** Asks a thread what it counted, once at a time; a thread that does not answer in time has counted nothing. */
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
