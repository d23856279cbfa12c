import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Storage } from './storage.ts';

/** A storage in a folder of this machine: every process that uses it must see the same one. */
export function createFolder(folder: string): Storage {
  const at = (name: string) => join(folder, name);
  return {
    // On the same disk, so that a file is stored by renaming it.
    workshop: at('unfinished'),
    async put(name, file) {
      await mkdir(dirname(at(name)), { recursive: true, mode: 0o700 });
      await rename(file, at(name));
      await sync(dirname(at(name)));
    },
    async get(name, part) {
      const size = await sizeOf(at(name));
      if (size === null) return null;
      if (!part) return { body: createReadStream(at(name)), size };
      const { first, last } = part;
      return {
        body: createReadStream(at(name), { start: first, end: last }),
        size: Math.min(size - 1, last) - first + 1,
      };
    },
    remove: name => rm(at(name), { force: true }),
  };
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() ? stats.size : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** A name is durable once its folder is written. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
