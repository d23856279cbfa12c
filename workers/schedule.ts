import { type JobKind, jobKinds, processTypes } from '#shared/platform/jobs.ts';
import { prune } from '#shared/running/work/prune.ts';
import { createWitness } from '#shared/ledger/witness.ts';
import { sweep } from '#shared/detection/sweeps/sweep.ts';
import { measureOldest } from '#shared/running/work/oldest_pending.ts';
import { reconcilers } from '#shared/running/work/reconcile.ts';
import { fetchStates } from '#shared/screening/store/list_sources.ts';
import { listsOfEverybody } from '#shared/screening/store/screening_lists.ts';
import { endpointStates } from '#shared/webhooks/webhook_endpoints.ts';
import type { Services } from '#shared/platform/services.ts';
import { SECOND } from '#shared/values/time.ts';
import { announcePresence, listPresent } from '#shared/running/worker_presence.ts';

const EVERY = SECOND;
/** Time between two looks for what has become overdue. */
const SWEEP_EVERY = 5 * SECOND;
/** Looks between two measurements for the metrics: with many organizations they cost more than a look. */
const COUNT_EVERY = 5;
/** Looks between two removals of what has expired. */
const PRUNE_EVERY = 60;

/**
 * Runs `reconcile` on a timer, on another one the sweeps, which may have to wait for detection, and on a third what the witness is told, which
 * may have to wait for that. They are timers and not jobs, because what
 * empties the queue would take a job with it. Any number of processes may run them: rows are claimed, and a job that is queued twice finds
 * its work done.
 */
export function startSchedule(services: Services): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let look = 0;
  const reconcile = repeat(EVERY, async () => {
    for (const { kind, run } of reconcilers) {
      try {
        const queued = await run(services);
        if (queued > 0) services.metrics.reconciled.inc({ kind }, queued);
      } catch (error) {
        services.log.warn({ error, kind }, 'reconcile failed; it is tried again');
      }
    }
    if (look % COUNT_EVERY === 0) {
      await countJobs(services);
      await measureOldest(services);
      await measureRows(services);
    }
    if (look % PRUNE_EVERY === 0) await prune(services);
    look += 1;
  });
  const sweeps = repeat(SWEEP_EVERY, async () => {
    try {
      await sweep(services, stopping.signal);
    } catch (error) {
      services.log.warn({ error }, 'sweep failed; it is tried again');
    }
  });
  const presence = announcePresence(services, ['schedule']);
  const witness = createWitness(services);
  const telling = repeat(EVERY, async () => {
    try {
      await witness.tell(stopping.signal);
    } catch (error) {
      services.log.warn({ error }, 'checkpoint witness not told; it is tried again');
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all([reconcile.stop(), sweeps.stop(), telling.stop(), presence.stop()]);
    },
  };
}

/** Does something again and again, `wait` milliseconds after it has ended; the first time after as long. */
function repeat(wait: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  let stopped = false;
  const next = async () => {
    await work();
    if (!stopped) timer = setTimeout(start, wait);
  };
  const start = () => (running = next());
  let timer = setTimeout(start, wait);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Sets the gauge of queue depth; while the queue is away it keeps what was last known. */
async function countJobs({ queue, metrics, log }: Services): Promise<void> {
  for (const kind of Object.keys(jobKinds) as JobKind[]) {
    try {
      const counts = await queue.counts(kind);
      for (const [state, jobs] of Object.entries(counts)) metrics.queueJobs.set({ queue: kind, state }, jobs);
    } catch (error) {
      log.debug({ error, queue: kind }, 'jobs not counted');
    }
  }
}

/** Sets the gauges of lists, endpoints and processes; while the database is away they keep what was last known. */
async function measureRows({ config, db, metrics, log, now }: Services): Promise<void> {
  try {
    for (const { name, entries, loaded_at } of await listsOfEverybody(db)) {
      metrics.listAge.set({ list: name }, Math.max(0, now() - Date.parse(loaded_at)) / SECOND);
      metrics.listEntries.set({ list: name }, entries);
    }
    for (const { name, attempts } of await fetchStates(db, Object.keys(config.screening_lists)))
      metrics.listFetchFailures.set({ list: name }, attempts);
    for (const { state, endpoints } of await endpointStates(db)) metrics.endpoints.set({ state }, endpoints);
    const present = await listPresent(db);
    for (const [type, kinds] of Object.entries(processTypes))
      for (const kind of kinds) metrics.workersPresent.set({ kind }, present.filter(each => each.type === type).length);
  } catch (error) {
    log.debug({ error }, 'rows not measured');
  }
}
