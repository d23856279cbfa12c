import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ThreadCounts } from '#shared/platform/metrics.ts';
import type { ProcessType } from '#shared/platform/jobs.ts';
import type { Database } from '#shared/running/open_database.ts';
import { asError } from '#shared/interface/errors.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { SECOND } from '#shared/values/time.ts';
import type { ThreadWork } from './thread.ts';

/**
 * A thread with its own connections for the jobs of these process types, so that an API in the same process need not wait for them. It loads
 * at once what they need, beside whatever its caller loads. `start` processes the jobs until `stop`; the thread's metrics are merged into
 * those of `services`. If the thread dies after that, the process ends with an error.
 */
export function loadThread(types: readonly ProcessType[]): {
  start(services: ProcessServices, database: Database): Promise<void>;
  stop(): Promise<void>;
} {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData: types });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let failure: Error | undefined;
  let starting: Promise<void> | undefined;
  let state: 'starting' | 'started' | 'stopping' = 'starting';
  let leave = () => {};
  thread.on('error', error => {
    failure = asError(error);
    if (state === 'started') throw failure;
  });
  thread.once('exit', () => {
    resolve();
    if (state === 'started') throw new Error('a thread ended by itself');
  });
  const start = async ({ config, metrics }: ProcessServices, { owner_url, service_url, role }: Database) => {
    const work: ThreadWork = { config, database: { owner_url, service_url, role } };
    thread.postMessage(work);
    const first = await Promise.race([once(thread, 'message'), ended]);
    if (!first) throw failure ?? new Error('a thread ended before it had started');
    leave = metrics.join(createAsk(thread, ended));
    state = 'started';
  };
  return {
    start: (services, database) => (starting = start(services, database)),
    async stop() {
      await starting?.catch(() => {});
      if (state === 'starting') await thread.terminate();
      state = 'stopping';
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
function createAsk(thread: Worker, ended: Promise<void>): ThreadCounts {
  type Metrics = Awaited<ReturnType<ThreadCounts>>;
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
