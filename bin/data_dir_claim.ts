import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/**
 * Takes a data directory for one running service: a lock in its own database, which ends with this process however it ends.
 * Throws when a service runs on it already. Answers with a way to give it back.
 */
export async function claimDataDir(owner_url: string, data_dir: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: owner_url, application_name: 'oversight-claim' });
  // A lost connection is reported by whoever next needs the database.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtext($1)) as taken', [
    'oversight-service',
  ]);
  if (rows[0]?.taken) return () => client.end();
  await client.end();
  const file = join(data_dir, 'address');
  const at = existsSync(file) ? ` at ${readFileSync(file, 'utf8').trim()}` : '';
  throw new Error(
    `The service already runs on the data directory ${data_dir}${at}. Stop that one first, or set DATA_DIR (and PORT) for a second one.`,
  );
}
