import { readConfig } from '#shared/settings/config.ts';
import { startMetricsServer } from './metrics_server.ts';
import { onceMigrated } from './migrated.ts';
import { openDatabase } from './open_database.ts';
import { createServices, type ProcessServices } from './services.ts';
import { openedUntil, runUntilSignal } from './until_signal.ts';

/**
 * Runs one process of the Procfile: opens the services, starts the work, and on SIGINT or SIGTERM stops it, closes everything and
 * exits 0. A failed start prints one sentence and exits 1.
 */
export const runProcess = (
  name: string,
  start: (services: ProcessServices) => Promise<() => Promise<void>>,
): Promise<never> =>
  runUntilSignal(async stopping => {
    const opened = openedUntil(stopping);
    try {
      const config = readConfig();
      const database = await openDatabase(config, message => process.stdout.write(`${message}\n`));
      opened.add(async () => database.embedded?.close());
      const say = (line: string) => void process.stderr.write(`${line}\n`);
      const services = await onceMigrated(() => createServices(config, database, name), say, stopping);
      opened.add(services.close);
      opened.add(await startMetricsServer(services));
      opened.add(await start(services));
    } catch (error) {
      await opened.close();
      throw error;
    }
    return opened.close;
  });
