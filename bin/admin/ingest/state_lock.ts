import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readFile, readlink, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SECOND } from '#shared/values/time.ts';
import { asError, conflict, invalidRequest } from '#shared/interface/errors.ts';

/**
 * The run that holds a state. `machine` and `started` tell its process from every other, also one of the same number in another container
 * or after a restart; null where the system does not say.
 */
const Holder = z.object({
  run: z.string(),
  host: z.string(),
  process_id: z.int(),
  machine: z.string().nullable(),
  started: z.string().nullable(),
});
type Holder = z.infer<typeof Holder>;

/** How often a run touches its lock, and how many times another one looks whether it still does before taking it over. */
const BEAT = SECOND;
const LOOKS = 5;

type Options = {
  /** Told that it waits to see whether the holder still runs. */
  onWait?: (message: string) => void;
  beat?: number;
  pause?: (milliseconds: number) => Promise<unknown>;
};

export type StateLock = {
  /** Throws `conflict` when another run has taken the state over. */
  check(): Promise<void>;
  release(): Promise<void>;
};

/**
 * Takes a state for one run, with a file `<state>.lock` beside it, which the run touches every second. A lock is taken over when its process
 * is gone, or, where that cannot be known, as on another machine, when nobody touches it for five seconds. Of two runs that take it over at
 * once, `check` stops one. Throws `conflict` while another run holds the state.
 */
export async function lockState(state: string, { beat = BEAT, ...options }: Options = {}): Promise<StateLock> {
  const path = `${state}.lock`;
  const [machine, started] = await Promise.all([machineName(), startOf(process.pid)]);
  const holder: Holder = { run: randomUUID(), host: hostname(), process_id: process.pid, machine, started };
  let file = await create(path, holder);
  while (!file) {
    await waitUntilFree(path, state, options);
    await rm(path, { force: true });
    file = await create(path, holder);
  }
  const ours = file;
  // By its handle: once another run has taken over, this touches nothing of that one's.
  const timer = setInterval(() => void ours.utimes(new Date(), new Date()).catch(() => {}), beat).unref();
  const isOurs = async () => (await look(path))?.holder?.run === holder.run;
  return {
    async check() {
      if (!(await isOurs())) throw held(state, (await look(path))?.holder);
    },
    async release() {
      clearInterval(timer);
      await ours.close();
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}

/** The new lock, opened; null when there is one. */
async function create(path: string, holder: Holder): Promise<FileHandle | null> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(JSON.stringify(holder)).catch(async error => {
      await file.close();
      await rm(path, { force: true });
      throw error;
    });
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw invalidRequest(`${path} cannot be written: ${asError(error).message}. --state names another place.`);
  }
}

/** Returns when the holder of a lock is gone. Throws `conflict` when it runs. */
async function waitUntilFree(path: string, state: string, { onWait, pause = sleep }: Options) {
  const first = await look(path);
  const isRunning = first?.holder && (await isRunningHere(first.holder));
  if (isRunning) throw held(state, first?.holder);
  if (!first || isRunning === false) return;
  onWait?.(
    `The state ${state} was last used by ${nameOf(first.holder)}. Watching for ${(LOOKS * BEAT) / SECOND} s whether it still runs.`,
  );
  for (let looks = 0; looks < LOOKS; looks += 1) {
    await pause(BEAT);
    const next = await look(path);
    if (!next) return;
    if (next.touched_at !== first.touched_at || next.holder?.run !== first.holder?.run) throw held(state, next.holder);
  }
}

type Look = { holder: Holder | null; touched_at: number };

/** Who holds a lock, null if it was cut off as it was written; and when it was touched, by its disk's clock. Null without a lock. */
async function look(path: string): Promise<Look | null> {
  // Opened anew each time: on a disk of the network only that shows what another machine has done.
  const file = await open(path).catch(() => null);
  if (!file) return null;
  try {
    const { mtimeMs } = await file.stat();
    const text = await file.readFile('utf8');
    return { holder: holderOf(text), touched_at: mtimeMs };
  } finally {
    await file.close();
  }
}

function holderOf(text: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Whether the process of a holder still runs; null when that cannot be known. */
async function isRunningHere({ machine, process_id, started }: Holder): Promise<boolean | null> {
  if (machine === null || started === null || machine !== (await machineName())) return null;
  return (await startOf(process_id)) === started;
}

/** What tells the processes of this machine, of its container and since its last start from all others; null where only Linux knows. */
async function machineName(): Promise<string | null> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** When a process was started, by the clock of the machine; null when it has ended, also if its parent has not noticed yet. */
async function startOf(process_id: number): Promise<string | null> {
  const text = await readFile(`/proc/${process_id}/stat`, 'utf8').catch(() => '');
  // The name, in parentheses, may hold anything. Fields 3 and 22 of proc_pid_stat(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return /^[ZXx]?$/.test(fields[0] ?? '') ? null : (fields[19] ?? null);
}

const nameOf = (holder: Holder | null | undefined): string =>
  holder ? `process ${holder.process_id} on ${holder.host}` : 'another process';

const held = (state: string, holder: Holder | null | undefined) =>
  conflict(
    `Another run uses the state ${state}: ${nameOf(holder)}. Wait until it ends, or name another state with --state.`,
  );
