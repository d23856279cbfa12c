import type { Config } from '#shared/settings/config.ts';
import { upgradeCluster } from '#shared/embedded_postgres/upgrade.ts';
import { openDatabase } from '#shared/running/open_database.ts';
import type { ProcessServices } from '#shared/running/services.ts';
import { openedUntil } from '#shared/running/until_signal.ts';
import { loadThread } from '#workers/start_thread.ts';

type Service = { address: string; services: ProcessServices; stop(): Promise<void> };

/**
 * The whole service in one process: migrations, API, every worker and the schedule; detection, which never rests, has a thread of its own. `say` hears what a person may want to know.
 * Throws an Error with a sentence about what to do, for example when another service runs on the same data directory; when
 * `stopping` is aborted during the start, it closes what it has opened and throws the reason.
 */
export async function startAll(config: Config, say: (line: string) => void, stopping?: AbortSignal): Promise<Service> {
  const opened = openedUntil(stopping);
  try {
    stopping?.throwIfAborted();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const opening = upgrade(config, say, stopping).then(() => openDatabase(config, say, begin));
    opened.add(() =>
      opening.then(
        ({ embedded }) => embedded?.close(),
        () => {},
      ),
    );
    // Loading takes a second, in which nothing else moves here: the server of the database starts meanwhile.
    await Promise.race([begun, opening]);
    // Detection has a thread of its own, which loads at the same time.
    const detection = loadThread(['detect']);
    opened.add(detection.stop);
    const [{ startOn }, database] = await Promise.all([import('./start_on.ts'), opening]);
    const { address, services } = await startOn(database, config, detection, say, opened, stopping);
    return { address, services, stop: opened.close };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Carries the data of an embedded PostgreSQL of an older major version over, where there are any. */
async function upgrade(config: Config, say: (line: string) => void, stopping?: AbortSignal): Promise<void> {
  if (config.database_url) return;
  await upgradeCluster(config.data_dir, say, async (source, target, settle) => {
    // Loaded here: it is needed once in years.
    const { copyDatabase } = await import('#bin/backup/copy.ts');
    let settles = false;
    const begin = async () => {
      settles = true;
      await settle();
    };
    const copying = copyDatabase(source.owner_url, target, config, { say, stopping, settle: begin });
    const { rows, logs } = await copying.catch((error: unknown) => {
      // While the new database takes its place, what lies there is not what was.
      if (stopping?.aborted || settles) throw error;
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');
      throw new Error(`${reason} The data are as they were, and the version of the service from before runs on them.`, {
        cause: error,
      });
    });
    say(`${rows} rows are there, and ${logs.length} logs are what was signed`);
  });
}
