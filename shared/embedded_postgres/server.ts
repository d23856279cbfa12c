import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { attempt, ifThere } from './files.ts';
import { openLog } from './log.ts';
import type { DataFolder } from './data_folder.ts';
import type { Patience } from './patience.ts';
import { servesCluster } from './process.ts';
import { type Room, roomFor } from './room.ts';
import { PROGRAM_ENV } from './run.ts';

type Server =
  | { state: 'ready'; pid: number; port: number }
  | { state: 'busy'; pid: number; is_starting: boolean; reason: string }
  /** What a server that did not end properly left in postmaster.pid, else 0 */
  | { state: 'absent'; stale_pid: number; stale_port: number };

/** What postmaster.pid tells about the cluster's server; its lines are listed in PostgreSQL's utils/pidfile.h. */
export const lookAtServer = async (directory: string): Promise<Server> => {
  const path = join(directory, 'postmaster.pid');
  const text = await attempt(`read ${path}`, ifThere(readFile(path, 'utf8')));
  const lines = text?.split('\n') ?? [];
  // A minus marks single-user mode.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10)) || 0;
  if (!(await servesCluster(pid, directory)))
    return { state: 'absent', stale_pid: pid, stale_port: Number(lines[3]) || 0 };
  const status = lines[7]?.trim() || 'starting';
  if (status === 'ready') return { state: 'ready', pid, port: Number(lines[3]) };
  return { state: 'busy', pid, is_starting: status === 'starting', reason: `its server (process ${pid}) is ${status}` };
};

/** Starts the cluster's server; answers null when it is ready, else how it ended. `onStart` is called when it is on its way. It outlives us. */
export const startServer = async (
  place: DataFolder,
  binaries: Binaries,
  { stale_pid, stale_port }: { stale_pid: number; stale_port: number },
  { signal, heed }: Patience,
  onStart: () => void,
) => {
  const { directory, account } = place;
  await removeEmptyLock(directory);
  const log = await openLog(place);
  const args = settings(await freePort(stale_port), await roomFor(directory));
  const child = spawn(binaries.postgres, ['-D', directory, ...args], {
    cwd: directory,
    // Its own process group: a terminal's Ctrl-C must not end it before us.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    // PostgreSQL takes any live process named in a stale lock file for a server, except this one (see pg_ctl).
    env: { ...PROGRAM_ENV, ...(stale_pid && { PG_GRANDPARENT_PID: String(stale_pid) }) },
    ...runAs(account),
  });
  child.unref();
  onStart();
  const ended = new Promise<string>(resolve => {
    child.once('error', error => resolve(`its server cannot be run (${error.message})`));
    child.once('exit', (code, by) => resolve(`its server ended with ${by ?? `code ${code}`} while it was starting`));
  });
  await log.close();
  while (!signal.aborted) {
    const server = await lookAtServer(directory);
    if (server.state === 'ready' && server.pid === child.pid) return null;
    if (server.state === 'busy' && server.is_starting) await heed(server.pid);
    const end = await Promise.race([ended, pause(10)]);
    if (end) return end;
  }
  return `its server (process ${child.pid}) is still starting`;
};

/** A fast shutdown: clients are sent away, everything is written. Waits until the process is gone, at most 60 s. */
export const stopServer = async (pid: number, directory: string) => {
  if (await servesCluster(pid, directory)) process.kill(pid, 'SIGINT');
  const patience = AbortSignal.timeout(60_000);
  while (await servesCluster(pid, directory)) {
    if (patience.aborted)
      throw new Error(
        `PostgreSQL (process ${pid}) in ${directory} is still stopping after 60 s: wait until it is gone.`,
      );
    await pause(10);
  }
};

// On the command line they win over postgresql.conf and over alter system. Durability stays at PostgreSQL's safe defaults.
const settings = (port: number, { pages, ahead }: Room) =>
  Object.entries({
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    max_connections: 200,
    shared_buffers: `${pages}MB`,
    wal_level: 'minimal',
    max_wal_senders: 0,
    // A log that grows from nothing needs statistics soon: plans made without them walk whole tenants.
    autovacuum_naptime: '10s',
    max_wal_size: `${ahead}MB`,
    checkpoint_timeout: '15min',
    random_page_cost: 1.1,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Statements and row values can carry secrets: neither goes to the log.
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

// The port of a server that was killed, if it is free: those who were connected find it again. Another program may take a port
// before the server does: then the server ends and the next try has another one.
const freePort = async (wanted: number): Promise<number> => {
  const listener = createServer();
  try {
    await once(listener.listen({ host: '127.0.0.1', port: wanted, exclusive: true }), 'listening');
  } catch (error) {
    if (wanted === 0) throw error;
    return freePort(0);
  }
  const address = listener.address();
  await new Promise(resolve => listener.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
};

// A power cut can leave an empty lock file, which PostgreSQL never removes; a live server fills its own at once.
const removeEmptyLock = async (directory: string) => {
  const path = join(directory, 'postmaster.pid');
  const lock = await ifThere(stat(path));
  if (lock?.size === 0 && Date.now() - lock.mtimeMs > 5000) await rm(path, { force: true });
};
