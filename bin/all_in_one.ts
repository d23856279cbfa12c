import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApi } from '#api/server.ts';
import type { Config } from '#shared/config.ts';
import { type ProcessType, processTypes } from '#shared/jobs.ts';
import { startMetricsServer } from '#shared/metrics_server.ts';
import { createServices, openDatabase, type Services } from '#shared/services.ts';
import { migrate } from '#sql/migrate.ts';
import { startWorkers } from '#workers/run.ts';
import { startSchedule } from '#workers/schedule.ts';
import { claimDataDir } from './data_dir_claim.ts';

export type Service = { address: string; services: Services; stop(): Promise<void> };

/**
 * The whole service in one process: migrations, API, every worker and the schedule. `say` hears what a person may want to know.
 * Throws an Error with a sentence about what to do, for example when another service runs on the same data directory.
 */
export async function startAll(config: Config, say: (line: string) => void): Promise<Service> {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const database = await openDatabase(config, say);
    undo.push(async () => database.embedded?.close());
    if (database.embedded) undo.push(await claimDataDir(database.owner_url, config.data_dir));
    const ran = await migrate(database.owner_url);
    if (ran.length > 0) say(`Database prepared (${ran.join(', ')}).`);
    const services = await createServices(config, database, 'all');
    undo.push(services.close);
    undo.push(await startMetricsServer(services));
    const workers = startWorkers(services, Object.keys(processTypes) as ProcessType[]);
    undo.push(workers.stop);
    const schedule = startSchedule(services);
    undo.push(schedule.stop);
    const api = await startApi(services);
    undo.push(api.stop);
    if (database.embedded) writeFileSync(join(config.data_dir, 'address'), `${api.address}\n`);
    return { address: api.address, services, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
