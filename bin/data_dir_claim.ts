import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { readAddress } from './address.ts';

const RETRY = 500;
/** Looks at a claim that somebody holds, before it is believed: our own may take a moment to fall. */
const LOOKS = 3;

/**
 * Takes a data directory for one running service: a lock in its own database, which ends with this process however it ends.
 * Throws when a service runs on it already. Returns a way to give it back.
 * A claim whose connection is lost is taken again; `onLost` hears when another service was faster.
 */
export async function claimDataDir(
  owner_url: string,
  data_dir: string,
  onLost: (error: Error) => void,
): Promise<() => Promise<void>> {
  const ending = new AbortController();
  let held = await take(owner_url);
  if (!held) throw alreadyRuns(data_dir);
  const again = async () => {
    for (let looks = 0; !ending.signal.aborted;) {
      await pause(RETRY, undefined, { ref: false });
      const client = await take(owner_url).catch(() => undefined);
      if (client && ending.signal.aborted) await client.end();
      else if (client) return watch(client);
      else if (client === null && ++looks === LOOKS) return onLost(alreadyRuns(data_dir));
    }
  };
  const watch = (client: pg.Client) => {
    held = client;
    client.once('end', () => {
      if (!ending.signal.aborted) void again();
    });
  };
  watch(held);
  return async () => {
    ending.abort();
    await held?.end().catch(() => {});
  };
}

/** The connection that holds the lock; null when another holds it. */
async function take(owner_url: string): Promise<pg.Client | null> {
  const client = new pg.Client({
    connectionString: owner_url,
    application_name: 'oversight-claim',
    connectionTimeoutMillis: 5_000,
  });
  // A lost connection is noticed by its end.
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtext($1)) as taken', [
    'oversight-service',
  ]);
  if (rows[0]?.taken) return client;
  await client.end();
  return null;
}

function alreadyRuns(data_dir: string): Error {
  const address = readAddress(data_dir);
  return new Error(
    `The service already runs on the data directory ${data_dir}${address ? ` at ${address}` : ''}. Stop that one first, or set DATA_DIR (and PORT) for a second one.`,
  );
}
