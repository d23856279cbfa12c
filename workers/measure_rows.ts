import { readRateSource } from '#shared/events/input/rate_sources.ts';
import type { Services } from '#shared/platform/services.ts';
import { jobKindNames, jobKinds } from '#shared/running/work/kinds/index.ts';
import { listPresent } from '#shared/running/worker_presence.ts';
import { fetchStates } from '#shared/screening/store/list_sources.ts';
import { listsOfEverybody } from '#shared/screening/store/screening_lists.ts';
import { SECOND } from '#shared/values/time.ts';
import { endpointStates } from '#shared/webhooks/webhook_endpoints.ts';

/** Sets the gauge of queue depth; while the queue is unreachable it keeps its last value. */
export async function countJobs({ queue, metrics, log }: Services): Promise<void> {
  for (const kind of jobKindNames) {
    try {
      const counts = await queue.counts(kind);
      for (const [state, jobs] of Object.entries(counts)) metrics.queueJobs.set({ queue: kind, state }, jobs);
    } catch (error) {
      log.debug({ error, queue: kind }, 'jobs not counted');
    }
  }
}

/** Sets the gauges of lists, exchange rates, endpoints and processes; while the database is unreachable they keep their last values. */
export async function measureRows({ config, db, metrics, log, now }: Services): Promise<void> {
  try {
    const lists = await listsOfEverybody(db);
    // A removed list has no age and must not count as stale.
    metrics.listAge.reset();
    metrics.listEntries.reset();
    for (const { name, entries, loaded_at } of lists) {
      metrics.listAge.set({ list: name }, Math.max(0, now() - Date.parse(loaded_at)) / SECOND);
      metrics.listEntries.set({ list: name }, entries);
    }
    for (const { name, attempts } of await fetchStates(db, Object.keys(config.screening_lists)))
      metrics.listFetchFailures.set({ list: name }, attempts);
    if (config.rates) {
      const { fetched_at, attempts } = await readRateSource(db, config.rates.id);
      if (fetched_at !== null) metrics.ratesAge.set(Math.max(0, now() - Date.parse(fetched_at)) / SECOND);
      metrics.rateFetchFailures.set(attempts);
    }
    for (const { state, endpoints } of await endpointStates(db)) metrics.endpoints.set({ state }, endpoints);
    const present = await listPresent(db);
    for (const kind of jobKindNames) {
      const workers = present.filter(({ type }) => type === jobKinds[kind].process);
      metrics.workersPresent.set({ kind }, workers.length);
    }
  } catch (error) {
    log.debug({ error }, 'rows not measured');
  }
}
