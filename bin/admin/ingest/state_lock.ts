import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';
import { SECOND } from '#shared/values/time.ts';
import { asError, conflict, invalidRequest } from '#shared/interface/errors.ts';

/**
 * The run that holds a state: `process_id` on the machine `host`, and an id that distinguishes it from a later process with the same
 * number.
 */
const Holder = z.object({ host: z.string(), process_id: z.int(), process: z.string(), run: z.string() });
type Holder = z.infer<typeof Holder>;

/** Identifies this process, even if a later one has its number, as in a restarted container. */
const PROCESS = randomUUID();

/** Writing a lock takes less time; an empty one after that was cut off by a kill. */
const WRITING_TAKES = 5 * SECOND;

export type StateLock = {
  /** Throws `conflict` when another run has taken the state over. */
  check(): Promise<void>;
  release(): Promise<void>;
};

/**
 * Takes a state for one run, with a file `<state>.lock` beside it. A lock whose process is gone, as after a kill, is taken over; of two
 * runs that do so at once, `check` stops one. Throws `conflict` while another run holds the state.
 */
export async function lockState(state: string): Promise<StateLock> {
  const path = `${state}.lock`;
  const holder: Holder = { host: hostname(), process_id: process.pid, process: PROCESS, run: randomUUID() };
  while (!(await create(path, holder))) {
    const other = await holderOf(path);
    if (other ? isAlive(other) : await isBeingWritten(path)) throw held(state, path, other);
    await rm(path, { force: true });
  }
  const isOurs = async () => (await holderOf(path))?.run === holder.run;
  return {
    async check() {
      if (!(await isOurs())) throw held(state, path, await holderOf(path));
    },
    async release() {
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}

async function create(path: string, holder: Holder): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    const written = file.writeFile(JSON.stringify(holder)).finally(() => file.close());
    await written.catch(async error => {
      await rm(path, { force: true });
      throw error;
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw invalidRequest(`${path} cannot be written: ${asError(error).message}. --state names another place.`);
  }
}

/** Who holds a lock; null when nobody does, or it was cut off as it was written. */
async function holderOf(path: string): Promise<Holder | null> {
  try {
    return Holder.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

/** Whether a lock that says nothing may be one that is just being written. */
async function isBeingWritten(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => null);
  return file !== null && Math.abs(Date.now() - file.mtimeMs) < WRITING_TAKES;
}

/** Whether a run may still be under way; of another machine nobody can tell. */
function isAlive({ host, process_id, process: other }: Holder): boolean {
  if (host !== hostname()) return true;
  if (process_id === process.pid) return other === PROCESS;
  try {
    process.kill(process_id, 0);
    return true;
  } catch (error) {
    // It is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function held(state: string, path: string, other: Holder | null) {
  const who = other ? `process ${other.process_id} on ${other.host}` : 'another process';
  return conflict(
    `Another run uses the state ${state}: ${who}. Wait until it ends, or name another state with --state. If there is no such run any more, remove ${path}.`,
  );
}
