import { statfs } from 'node:fs/promises';
import type { Logger } from '#shared/platform/log.ts';
import { SECOND } from '#shared/values/time.ts';

/** Tells whether the disk of a folder is short of space. Rechecks after five seconds. */
export type Disk = { isShort(): Promise<boolean> };

type Room = { bavail: number; blocks: number; bsize: number };

const BELIEVED = 5 * SECOND;
/** Where nobody has said how much must be free, this share of a small disk is enough. */
const ENOUGH = 0.05;

/**
 * A disk that must have `least` bytes free; unless those are `set` by somebody, or a twentieth of its size if that is less. A disk that cannot
 * be read counts as not short.
 */
export function createDisk(
  folder: string,
  { least, is_set }: { least: number; is_set: boolean },
  log: Logger,
  { now, read = statfs }: { now: () => number; read?: (folder: string) => Promise<Room> },
): Disk {
  let short = false;
  let looked_at = -Infinity;
  let looking: Promise<void> | undefined;

  async function look() {
    try {
      const { bavail, blocks, bsize } = await read(folder);
      const free = bavail * bsize;
      const was = short;
      short = free < (is_set ? least : Math.min(least, blocks * bsize * ENOUGH));
      if (short && !was) log.error({ folder, free }, 'disk short, no events are taken');
      if (was && !short) log.info({ folder, free }, 'disk has room again');
    } catch (error) {
      log.debug({ error, folder }, 'room on the disk not known');
    }
    looked_at = now();
    looking = undefined;
  }

  return {
    async isShort() {
      if (least === 0) return false;
      if (Math.abs(now() - looked_at) >= BELIEVED) await (looking ??= look());
      return short;
    },
  };
}
