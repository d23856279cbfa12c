import { setTimeout as pause } from 'node:timers/promises';
import { type Binaries, bundledMajor, findBinaries } from './binaries.ts';
import { ensureCluster, needMajor, needRoom } from './cluster.ts';
import { prepareDatabase } from './database.ts';
import { type Hold, joinServer, keepHold, release } from './hold.ts';
import { logTail } from './log.ts';
import { findDataFolder, type DataFolder } from './data_folder.ts';
import { type Patience, patienceOf } from './patience.ts';
import { lookAtServer, startServer } from './server.ts';
import { takeTurn } from './turn.ts';

export type EmbeddedPostgres = {
  /** superuser and owner of the database `oversight`: for migrations */
  owner_url: string;
  /** the login role `oversight_service`, which owns nothing: for the service */
  service_url: string;
  /** the actual folder of the cluster */
  directory: string;
  log_file: string;
  /** Leaves; the last process stops the server and waits until it is gone. */
  close(): Promise<void>;
};

type Say = (message: string) => void;

type Options = {
  data_dir: string;
  programs?: Binaries;
  say?: Say;
  timeout_ms?: number;
  /** Called when we have started a server; it is not ready yet. */
  onStart?: (() => void) | undefined;
};

/**
 * The PostgreSQL of `data_dir`, shared by every process that opens it: the first starts the server, the others join it, the last `close()`
 * stops it. Leftovers of a killed process (a running server, a stale postmaster.pid) are adopted or cleaned up. Throws an Error whose
 * sentence says what to do, at the latest when a server has not been heard of for `timeout_ms` (60 s).
 */
export async function openEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32')
    throw new Error('The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL server.');
  const place = await findDataFolder(options.data_dir, options.say ?? (() => {}));
  await needMajor(place.directory, await bundledMajor());
  return openAt(place, options);
}

/** The PostgreSQL of a place, run by other programs than those of the service's own version where `programs` are given. */
export async function openAt(
  place: DataFolder,
  { programs, say = () => {}, timeout_ms = 60_000, onStart = () => {} }: Omit<Options, 'data_dir'>,
): Promise<EmbeddedPostgres> {
  const enterBy = (report: Say, starting = () => {}) =>
    enter(place, {
      programs,
      say: report,
      patience: patienceOf(timeout_ms, place.log_file, report),
      onStart: starting,
    });
  const first = await enterBy(say, onStart);
  const { leave } = keepHold(place, first, () => enterBy(() => {}));
  const url = (role: string, password: string) =>
    `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${first.port}/oversight`;
  return {
    owner_url: url('postgres', place.owner_password),
    service_url: url('oversight_service', place.service_password),
    directory: place.directory,
    log_file: place.log_file,
    close: leave,
  };
}

type Starting = { programs: Binaries | undefined; say: Say; patience: Patience; onStart: () => void };

// Checks again after every step: between any two, another process may have started or stopped the server.
const enter = async (place: DataFolder, starting: Starting): Promise<Hold> => {
  const { signal, heed } = starting.patience;
  const began = performance.now();
  let reason = 'there was no time to try';
  for (let tries = 0; !signal.aborted; tries++) {
    let longest_pause = 100;
    const server = await lookAtServer(place.directory);
    if (server.state === 'busy') {
      reason = server.reason;
      if (server.is_starting) await heed(server.pid);
    }
    if (server.state === 'ready') {
      const joined = await joinServer(place, server.port);
      if (typeof joined !== 'string' && (await isPrepared(place, joined))) return joined;
      reason = typeof joined === 'string' ? joined : 'its server was lost while the database was prepared';
    }
    if (server.state === 'absent') {
      const turn = await takeTurn(place.directory, performance.now() - began > 20_000);
      const failure = turn ? await start(place, starting).finally(turn.end) : 'another process is starting it';
      if (failure === null) continue;
      // A killed server's last children hold its shared memory for some moments: worth many tries, at growing intervals.
      if (turn) longest_pause = 1000;
      reason = failure;
    }
    await pause(Math.min(longest_pause, 10 * 1.5 ** tries));
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  throw new Error(
    `The embedded PostgreSQL in ${place.directory} could not be opened within ${seconds} s: ${reason}. ` +
      `If the end of its log does not tell why, try again, or set DATABASE_URL to another PostgreSQL server.\n` +
      `${place.log_file} ends with:\n${await logTail(place.log_file)}`,
  );
};

// Returns false when the server was lost meanwhile: then there is another try.
const isPrepared = async (place: DataFolder, hold: Hold) => {
  try {
    await prepareDatabase(hold, place.service_password);
    return true;
  } catch (error) {
    const server = await lookAtServer(place.directory);
    const lost = !(await release(place, hold)) || server.state !== 'ready' || server.pid !== hold.pid;
    if (!lost) throw error;
    return false;
  }
};

// Returns null, or why the server did not start.
const start = async (place: DataFolder, { programs, say, patience, onStart }: Starting) => {
  const server = await lookAtServer(place.directory);
  if (server.state !== 'absent') return null;
  try {
    const binaries = programs ?? (await findBinaries(place, say));
    await ensureCluster(place, binaries, say, patience.signal);
    const failure = await startServer(place, binaries, server, patience, onStart);
    if (failure) await needRoom(place.directory, 1);
    return failure;
  } catch (error) {
    if (!patience.signal.aborted) throw error;
    return `preparing the cluster took too long (${error instanceof Error ? error.message : error})`;
  }
};
