import { DelayedError, type Job, type Worker } from 'bullmq';
import type { JobKind, Jobs, ProcessType } from '#shared/platform/jobs.ts';
import { jobKinds, processTypes } from '#shared/platform/jobs.ts';
import { currentSigningKey } from '#shared/ledger/signing_keys.ts';
import { createWorker } from '#shared/platform/queue.ts';
import type { Services } from '#shared/platform/services.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { SECOND } from '#shared/values/time.ts';
import { announcePresence } from '#shared/running/worker_presence.ts';
import { createBacktestHandler } from '#workers/handlers/backtest.ts';
import { createChainHandler } from '#workers/handlers/chain.ts';
import { createCheckpointHandler } from '#workers/handlers/checkpoint.ts';
import { createDetectHandler } from '#workers/handlers/detect.ts';
import { createListFetchHandler } from '#workers/handlers/list_fetch.ts';
import { createPackHandler } from '#workers/handlers/pack.ts';
import { createRecheckHandler } from '#workers/handlers/recheck.ts';
import { createScreenHandler } from '#workers/handlers/screen.ts';
import { createEndpointLimiter } from './endpoint_limiter.ts';
import { AttemptFailed, handleWebhook } from '#workers/handlers/webhook.ts';

/** How long jobs under way may take when the workers stop; what is cut off is taken up again later. */
const DRAIN = 12 * SECOND;
const WATCH_EVERY = 5 * SECOND;
/** So many looks in a row that find jobs waiting and this worker idle mean that it no longer hears of them. */
const MOST_IDLE_LOOKS = 3;

type Handler<K extends JobKind> = (data: Jobs[K], job: Job<Jobs[K]>) => Promise<void>;

function workOnWebhooks(services: Services) {
  const limiter = createEndpointLimiter({ places: jobKinds.webhook.worker.concurrency ?? 1 });
  return keepWorking(services, 'webhook', handleWebhook(services, limiter), () => {
    for (const [reason, endpoints] of Object.entries(limiter.heldBack()))
      services.metrics.endpointsHeldBack.set({ reason }, endpoints);
  });
}

/** Works off the jobs of these process types until `stop`. */
export function startWorkers(services: ProcessServices, types: readonly ProcessType[]): { stop(): Promise<void> } {
  const kinds = new Set<JobKind>(types.flatMap(type => [...processTypes[type]]));
  const stopping = new AbortController();
  const running = [
    kinds.has('detect') && keepWorking(services, 'detect', createDetectHandler(services, stopping.signal)),
    kinds.has('recheck') && keepWorking(services, 'recheck', createRecheckHandler(services, stopping.signal)),
    kinds.has('chain') && keepWorking(services, 'chain', createChainHandler(services)),
    kinds.has('backtest') && keepWorking(services, 'backtest', createBacktestHandler(services, stopping.signal)),
    kinds.has('screen') && keepWorking(services, 'screen', createScreenHandler(services, stopping.signal)),
    kinds.has('list_fetch') && keepWorking(services, 'list_fetch', createListFetchHandler(services)),
    kinds.has('pack') && keepWorking(services, 'pack', createPackHandler(services, stopping.signal)),
    kinds.has('checkpoint') && keepWorking(services, 'checkpoint', createCheckpointHandler(services)),
    kinds.has('webhook') && workOnWebhooks(services),
  ].filter(worker => worker !== false);
  const presence = announcePresence(services, types);
  const keyMade = kinds.has('checkpoint') ? makeSigningKey(services) : Promise.resolve();
  services.log.info(
    { kinds: [...kinds] },
    kinds.size > 0 ? 'workers started' : 'this process type has no jobs in this version',
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all([keyMade, presence.stop(), ...running.map(worker => worker.stop())]);
    },
  };
}

/** So that the public key can be read before anything was signed. Whoever signs makes it too, where this did not work. */
async function makeSigningKey(services: Services): Promise<void> {
  try {
    const { kid } = await currentSigningKey(services);
    services.log.info({ kid }, 'key that signs checkpoints and packs');
  } catch (error) {
    services.log.error({ error }, 'no key to sign checkpoints and packs with');
  }
}

/**
 * A worker that is replaced when it has gone deaf: a connection that was dropped without a word leaves a BullMQ worker waiting
 * for a message that does not come, while jobs wait for it.
 */
function keepWorking<K extends JobKind>(
  services: Services,
  kind: K,
  handle: Handler<K>,
  measure: () => void = () => {},
): { stop(): Promise<void> } {
  const { queue, queue_engine, log } = services;
  const measured = measureJobs(services, kind, handle);
  let underWay = 0;
  let taken = 0;
  const counted: Handler<K> = async (data, job) => {
    underWay += 1;
    taken += 1;
    try {
      await measured(data, job);
    } finally {
      underWay -= 1;
    }
  };
  let worker: Worker<Jobs[K]> = createWorker(queue_engine, kind, counted, log);
  let idleLooks = 0;
  const watch = async () => {
    measure();
    const before = taken;
    const waiting = await queue.counts(kind).then(
      counts => counts['waiting'] ?? 0,
      () => 0,
    );
    const isDeaf = waiting > 0 && underWay === 0 && taken === before;
    idleLooks = isDeaf ? idleLooks + 1 : 0;
    if (idleLooks < MOST_IDLE_LOOKS) return;
    idleLooks = 0;
    if (await queue.isPaused(kind).catch(() => false)) return;
    log.warn({ queue: kind, waiting }, 'jobs wait and none is taken; reconnecting');
    const deaf = worker;
    worker = createWorker(queue_engine, kind, counted, log);
    await deaf.close(true).catch(() => {});
  };
  const timer = setInterval(watch, WATCH_EVERY).unref();
  return {
    async stop() {
      clearInterval(timer);
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cut = setTimeout(resolve, DRAIN);
      await Promise.race([worker.close(), late]);
      clearTimeout(cut);
      // Closing waits for jobs; what is still under way now must not hold connections, or the database could not be closed.
      if (underWay > 0) await worker.disconnect().catch(() => {});
    },
  };
}

/** Tells the metrics how long jobs waited for a worker, how long they took, and how they ended. */
function measureJobs<K extends JobKind>({ metrics, now }: Services, kind: K, handle: Handler<K>): Handler<K> {
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
