import { type EmbeddedPostgres, openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { SERVICE_ROLE } from '#shared/platform/service_role.ts';
import type { Config } from '#shared/settings/config.ts';

/** How to reach the database. The owner migrates; the service connects as a role that owns nothing. */
export type Database = {
  owner_url: string;
  service_url: string;
  role: string | undefined;
  embedded: EmbeddedPostgres | undefined;
};

/**
 * The database of DATABASE_URL, or the embedded one in DATA_DIR, started unless it is already running; `onStart` is called when its server
 * is on its way, in a process of its own.
 */
export async function openDatabase(
  config: Config,
  say: (message: string) => void = () => {},
  onStart?: () => void,
): Promise<Database> {
  if (config.database_url) {
    return {
      owner_url: config.database_url,
      service_url: config.database_url,
      role: SERVICE_ROLE,
      embedded: undefined,
    };
  }
  const embedded = await openEmbeddedPostgres({ data_dir: config.data_dir, say, onStart });
  return { owner_url: embedded.owner_url, service_url: embedded.service_url, role: undefined, embedded };
}
