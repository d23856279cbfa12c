import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './process.ts';

/** Lets `work` create something in a private folder next to `path`, to be moved into place; removes the folder afterwards. */
export const inWorkshop = async <T>(path: string, work: (folder: string) => Promise<T>): Promise<T> => {
  await sweep(path);
  const folder = await mkdtemp(`${path}.new-${process.pid}-`);
  return work(folder).finally(() => rm(folder, { recursive: true, force: true }));
};

// Leftovers of killed processes.
const sweep = async (path: string) => {
  const start = `${basename(path)}.new-`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(start)) continue;
    const folder = join(dirname(path), name);
    const pid = Number.parseInt(name.slice(start.length), 10);
    if (!isAlive(pid) || (pid === process.pid && (await isOfBefore(folder))))
      // A program that a killed process had started may still write there for a moment.
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
};

/** Whether a folder is of a process that had our number before us: in a container, each has the same. */
const isOfBefore = async (folder: string): Promise<boolean> => {
  const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Infinity }));
  return mtimeMs < performance.timeOrigin;
};
