import { realpath } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { errorCode } from '#shared/values/file_trouble.ts';
import type { DataFolder } from './data_folder.ts';
import { lookAtServer, stopServer } from './server.ts';

/**
 * A process's share in a running server: a connection that holds a shared advisory lock. A process that gets the same lock exclusively is
 * the last, and stops the server. The lock ends with the process.
 */
export type Hold = { client: Connection; pid: number; port: number };

// Missing from pg's types: whether a connection keeps this process alive.
type Connection = Client & { ref(): void; unref(): void };

// Advisory locks belong to a database: this one is only taken in `postgres`.
const LOCK = 7_232_101_600_001;

/** Connects as the owner and takes a share; or returns why not, for the caller to look again. */
export const joinServer = async (place: DataFolder, port: number): Promise<Hold | string> => {
  const login = {
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: place.owner_password,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: 5000,
    statement_timeout: 30_000,
    query_timeout: 35_000,
    application_name: 'embedded_postgres',
  };
  const client = new Client(login) as Connection;
  // A lost connection is noticed by its end.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ directory: string; pid: number; shared: boolean }>(`
      select current_setting('data_directory') as directory,
        split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int as pid,
        pg_try_advisory_lock_shared(${LOCK}) as shared`);
    const row = rows[0];
    if (row?.shared && (await realpath(row.directory)) === place.directory) return { client, pid: row.pid, port };
    await client.end();
    return row?.shared ? `port ${port} belongs to the server of ${row.directory}` : 'its server is about to be stopped';
  } catch (error) {
    await client.end().catch(() => {});
    if (errorCode(error) === '28P01') throw wrongPassword(place, error);
    return `its server on port ${port} does not let us in (${error instanceof Error ? error.message : error})`;
  }
};

/**
 * Keeps the share: when PostgreSQL restarts itself after one of its processes was killed, the share is taken again, or
 * another process's `leave` would stop the server under us; when the server itself was killed, `enter` starts it again, on
 * its port if that is free. It does not keep this process alive.
 */
export const keepHold = (place: DataFolder, first: Hold, enter: () => Promise<Hold>) => {
  let leaving: Promise<void> | undefined;
  let holding: Promise<Hold | null> = Promise.resolve(first);
  const watch = (hold: Hold | null) => {
    hold?.client.unref();
    hold?.client.once('end', () => {
      if (!leaving) {
        // No one awaits this one: errors surface at the next opening.
        holding = enter().then(watch, () => null);
      }
    });
    return hold;
  };
  watch(first);
  const leave = async () => {
    const hold = await holding;
    if (hold && !(await release(place, hold))) {
      const again = await rejoin(place);
      if (again) await release(place, again);
    }
  };
  return { leave: () => (leaving ??= leave()) };
};

/** Releases the share; the last process stops the server. Returns false when the connection was lost before that was known. */
export const release = async (place: DataFolder, { client, pid }: Hold) => {
  client.ref();
  let alone = false;
  try {
    await client.query(`select pg_advisory_unlock_shared(${LOCK})`);
    alone =
      (await client.query<{ alone: boolean }>(`select pg_try_advisory_lock(${LOCK}) as alone`)).rows[0]?.alone ?? false;
  } catch {
    return false;
  }
  if (alone) await stopServer(pid, place.directory);
  await client.end().catch(() => {});
  return true;
};

const rejoin = async (place: DataFolder): Promise<Hold | null> => {
  const patience = AbortSignal.timeout(30_000);
  while (!patience.aborted) {
    const server = await lookAtServer(place.directory);
    if (server.state === 'absent') return null;
    const joined = server.state === 'ready' ? await joinServer(place, server.port) : '';
    if (typeof joined !== 'string') return joined;
    await pause(50);
  }
  return null;
};

const wrongPassword = ({ data_dir, directory }: DataFolder, cause: unknown) =>
  new Error(
    `The server of ${directory} does not accept the password in ${data_dir}/postgres-owner-password. When another ` +
      'process uses it, end that one; when none does, stop the server (kill -INT the number in the first line of ' +
      `${directory}/postmaster.pid), and start again: the password in the file will then be set.`,
    { cause },
  );
