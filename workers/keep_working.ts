import type { Worker } from 'bullmq';
import type { JobKind, Jobs } from '#shared/platform/jobs.ts';
import type { Services } from '#shared/platform/services.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { SECOND } from '#shared/values/time.ts';
import type { Handler } from './handler.ts';

/** How long running jobs may take when the workers stop; interrupted jobs are resumed later. */
const DRAIN = 12 * SECOND;
const WATCH_EVERY = 5 * SECOND;
/** After this many checks in a row with jobs waiting and this worker idle, it is no longer told of jobs, or never got a connection. */
const MOST_IDLE_LOOKS = 3;

/**
 * Runs a worker of one kind and replaces it when it has gone deaf: after a connection is dropped silently, a BullMQ worker waits forever
 * for a message while jobs pile up.
 */
export function keepWorking<K extends JobKind>(
  { queue, log }: Services,
  kind: K,
  handle: Handler<K>,
): { stop(): Promise<void> } {
  let underWay = 0;
  let jobs_taken = 0;
  const counted: Handler<K> = async (data, job) => {
    underWay += 1;
    jobs_taken += 1;
    try {
      await handle(data, job);
    } finally {
      underWay -= 1;
    }
  };
  let trouble: Error | undefined;
  const open = () => {
    trouble = undefined;
    return queue.work(kind, counted, jobKinds[kind].concurrency).on('error', error => void (trouble = error));
  };
  let worker = open();
  let idleLooks = 0;
  const watch = async () => {
    const takenBefore = jobs_taken;
    const waiting = await waitingJobs();
    const isDeaf = waiting > 0 && underWay === 0 && jobs_taken === takenBefore;
    idleLooks = isDeaf || !worker.isRunning() ? idleLooks + 1 : 0;
    if (idleLooks < MOST_IDLE_LOOKS) return;
    idleLooks = 0;
    if (await queue.isPaused(kind).catch(() => false)) return;
    // Where nothing waits, one that never got a connection, as before the queue was there, has kept nobody waiting.
    log[waiting > 0 ? 'warn' : 'debug'](
      { queue: kind, waiting, error: trouble },
      'a worker takes no jobs; reconnecting',
    );
    const deaf = worker;
    worker = open();
    await deaf.close(true).catch(() => {});
  };
  /** While the queue is unreachable, no jobs count as waiting. */
  const waitingJobs = () =>
    queue.counts(kind).then(
      counts => counts['waiting'] ?? 0,
      () => 0,
    );
  const timer = setInterval(watch, WATCH_EVERY).unref();
  return {
    async stop() {
      clearInterval(timer);
      await drain(worker);
      // Closing waits for jobs. Jobs still running now must not hold connections, or the database could not close.
      if (underWay > 0) await worker.disconnect().catch(() => {});
    },
  };
}

/** Closes a worker when its jobs are done or its time is up. */
async function drain<K extends JobKind>(worker: Worker<Jobs[K]>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cut = setTimeout(resolve, DRAIN);
  await Promise.race([worker.close(), late]);
  clearTimeout(cut);
}
