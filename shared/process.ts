import { readConfig } from '#shared/config.ts';
import { asError } from '#shared/errors.ts';
import { startMetricsServer } from '#shared/metrics_server.ts';
import { createServices, openDatabase, type Services } from '#shared/services.ts';
import { SECOND } from '#shared/time.ts';

/** The longest a process takes to stop; whatever is unfinished then stands in Postgres and is taken up by the next one. */
const STOP_WITHIN = 25 * SECOND;

/**
 * Runs one process of the Procfile: opens the services, starts the work, and on SIGINT or SIGTERM stops it, closes everything and
 * exits 0. What goes wrong at the start is said in one sentence; exit 1.
 */
export async function runProcess(
  name: string,
  start: (services: Services) => Promise<() => Promise<void>>,
): Promise<void> {
  try {
    const config = readConfig();
    const database = await openDatabase(config, message => process.stdout.write(`${message}\n`));
    const services = await createServices(config, database, name);
    const stopMetrics = await startMetricsServer(services);
    const stop = await start(services);
    stopOnSignal(async () => {
      await stop();
      await stopMetrics();
      await services.close();
      await database.embedded?.close();
    });
  } catch (error) {
    process.stderr.write(`${asError(error).message}\n`);
    process.exit(1);
  }
}

/** Calls `stop` once at the first SIGINT or SIGTERM and exits 0 when it is done; a second signal, or too long a stop, exits 1. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false;
  const handle = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN).unref();
    try {
      await stop();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`${asError(error).message}\n`);
      process.exit(1);
    }
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
}
