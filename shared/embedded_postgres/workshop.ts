import { mkdtemp, readdir, rm } from 'node:fs/promises';
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
    if (!name.startsWith(start) || isAlive(Number.parseInt(name.slice(start.length), 10))) continue;
    await rm(join(dirname(path), name), { recursive: true, force: true });
  }
};
