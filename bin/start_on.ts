import { warmDashboard } from '#api/dashboard/dashboard.ts';
import { startApi } from '#api/server.ts';
import type { Config } from '#shared/settings/config.ts';
import { processTypes } from '#shared/platform/jobs.ts';
import { startMetricsServer } from '#shared/running/metrics_server.ts';
import type { openedUntil } from '#shared/running/until_signal.ts';
import type { Database } from '#shared/running/open_database.ts';
import { createServices, type ProcessServices } from '#shared/running/services.ts';
import { beginWithFictionalList } from '#shared/screening/store/begin_with_fictional.ts';
import { migrate, preparedText } from '#sql/migrate.ts';
import type { loadThread } from '#workers/start_thread.ts';
import { writeAddress } from './address.ts';
import { claimDataDir } from './data_dir_claim.ts';

/**
 * Starts the service on its database: what it opens is added to `opened`. Throws when another service runs on the same data directory, and
 * the reason of `stopping` when that is aborted meanwhile.
 */
export async function startOn(
  database: Database,
  config: Config,
  detection: ReturnType<typeof loadThread>,
  say: (line: string) => void,
  opened: ReturnType<typeof openedUntil>,
  stopping?: AbortSignal,
): Promise<{ address: string; services: ProcessServices }> {
  if (database.embedded)
    opened.add(await claimDataDir(database.owner_url, config.data_dir, error => endFor(error, say)));
  const ran = await migrate(database.owner_url);
  if (ran.length > 0) say(preparedText(ran));
  const services = await createServices(config, database, 'all');
  opened.add(services.close);
  await beginWithFictionalList(services.db, config, services.now(), say);
  opened.add(await startMetricsServer(services));
  // All at once: what the API still takes in is in the log, and stopping one after the other would add up their patience.
  const working: (() => Promise<void>)[] = [];
  opened.add(() => Promise.all(working.map(stop => stop())));
  // It starts while the others do; what comes in meanwhile is in the log.
  working.push(detection.stop);
  const detecting = detection.start(services, database);
  detecting.catch(() => {});
  const api = await startApi(services);
  working.push(api.stop);
  void warmDashboard(services.log);
  // Loaded only now: they bring a third of the modules, for which the API need not wait.
  const [{ startWorkers }, { startSchedule }] = await Promise.all([
    import('#workers/run.ts'),
    import('#workers/schedule.ts'),
  ]);
  const workers = await startWorkers(
    services,
    processTypes.filter(type => type !== 'detect'),
  );
  working.push(workers.stop);
  working.push(startSchedule(services).stop);
  await detecting;
  stopping?.throwIfAborted();
  if (database.embedded) writeAddress(config.data_dir, api.address);
  return { address: api.address, services };
}

/** Two services on one directory would both count as the one: whoever lost it ends at once. */
function endFor(error: Error, say: (line: string) => void): never {
  say(error.message);
  process.exit(1);
}
