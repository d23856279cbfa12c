import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from '#shared/running/open_database.ts';
import { createServices } from '#shared/running/services.ts';
import type { Config } from '#shared/settings/config.ts';
import type { ProcessType } from '#shared/platform/jobs.ts';
import { loadHandlers, startWorkers } from './run.ts';

/** What a thread is told to work on; it is copied. */
export type ThreadWork = { config: Config; database: Omit<Database, 'embedded'> };

// Started by `loadThread`. Awaits its work, posts `started`, answers each `metrics` with its metrics, and ends on `stop`.
const types = workerData as readonly ProcessType[];
const port = parentPort;
if (!port) throw new Error('This file is the work of a thread: see loadThread.');
const told = once(port, 'message');
await loadHandlers(types);
const [{ config, database }] = (await told) as [ThreadWork];
// A copied Buffer is no longer a Buffer.
const [newest, ...older] = config.secret_key;
const services = await createServices(
  { ...config, secret_key: [Buffer.from(newest), ...older.map(key => Buffer.from(key))] },
  { ...database, embedded: undefined },
  types.join('-'),
);
const workers = await startWorkers(services, types);
port.on('message', async (message: 'metrics' | 'stop') => {
  if (message === 'metrics') return port.postMessage(await services.metrics.registry.getMetricsAsJSON());
  await workers.stop();
  await services.close();
  port.close();
});
port.postMessage('started');
