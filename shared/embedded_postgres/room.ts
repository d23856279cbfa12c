import { readdir, stat, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';

const MB = 1_048_576;

/** So much memory for its pages, and so much write-ahead log between two checkpoints, in MB. */
export type Room = { pages: number; ahead: number };

/**
 * What PostgreSQL may take: of memory for its pages, and of the disk for its write-ahead log between two checkpoints. Both grow with the
 * data: events go into pages of indexes from all over it, each of which is read from the disk unless it is held, and is written ahead as a
 * whole when it changes for the first time after a checkpoint. Memory is at most an eighth of the machine's, and the log a quarter of what is free.
 */
export async function roomFor(directory: string): Promise<Room> {
  const data = await sizeOf(join(directory, 'base'));
  const disk = await hint(statfs(directory));
  const free = disk ? (disk.bavail * disk.bsize) / MB : 0;
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity) / MB;
  const between = (least: number, wanted: number, most: number) => Math.round(Math.max(least, Math.min(wanted, most)));
  return {
    pages: between(256, data / 10, Math.min(1_024, memory / 8)),
    ahead: between(2_048, Math.min(data, free) / 4, 4_096),
  };
}

/** The work's value; null where it cannot be had: sizes are hints, and never keep the server from starting. */
const hint = <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null);

/** How much the files of all databases have, in MB; those that go meanwhile, or cannot be looked at, are left out. */
async function sizeOf(base: string): Promise<number> {
  const databases = (await hint(readdir(base))) ?? [];
  let bytes = 0;
  for (const database of databases) {
    const files = (await hint(readdir(join(base, database)))) ?? [];
    const sizes = await Promise.all(files.map(file => hint(stat(join(base, database, file)))));
    for (const size of sizes) bytes += size?.size ?? 0;
  }
  return bytes / MB;
}
