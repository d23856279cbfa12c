import { z } from 'zod';

/** When ingest says no: where a limit is off, it is infinite, or 0 of a least. */
export type Backpressure = {
  /** The longest, in seconds, that an event may be going to wait for its analysis. */
  behind: number;
  /** The least free bytes of the embedded database's disk. */
  disk: number;
  /** Whether somebody set them: where not, a twentieth of a small disk is enough. */
  is_disk_set: boolean;
  /** The most bytes of request bodies that one process has in hand at a time, and of answers that wait to be read. */
  bodies: number;
};

/** What a deployment that sets nothing has: seconds, MB, MB. */
export const DEFAULT_BACKPRESSURE = 'behind=60,disk=1024,bodies=32';

/** The same as the text of a setting that sets no `disk`. */
export const UNSET_BACKPRESSURE = 'behind=60,bodies=32';

/** The setting BACKPRESSURE: `off`, or a list like `behind=60,disk=1024,bodies=32`; what it does not name keeps the default. */
export const BackpressureSetting = z.string().transform((text, context): Backpressure => {
  const limits = parseLimits(text.trim() === 'off' ? 'behind=off,disk=off,bodies=off' : text);
  const { behind, disk, bodies } = { ...parseLimits(DEFAULT_BACKPRESSURE), ...limits };
  if (limits)
    return {
      behind: behind ?? Infinity,
      disk: (disk ?? 0) * 1_048_576,
      is_disk_set: limits.disk !== undefined,
      bodies: (bodies ?? Infinity) * 1_048_576,
    };
  context.addIssue({
    code: 'custom',
    message:
      'It must be off, or a list of behind (seconds), disk (MB) and bodies (MB), each once, like behind=60,disk=1024,bodies=32: a whole number from 1 up, or off.',
  });
  return z.NEVER;
});

/** The limits that a list names, null for one that is off; null where it is no such list, or names one twice. */
function parseLimits(list: string): Partial<Record<keyof Backpressure, number | null>> | null {
  const limits = new Map<string, number | null>();
  for (const item of list.split(',')) {
    const [, name, value] = /^(behind|disk|bodies)=(off|[1-9][0-9]{0,8})$/.exec(item.trim()) ?? [];
    if (name === undefined || limits.has(name)) return null;
    limits.set(name, value === 'off' ? null : Number(value));
  }
  return Object.fromEntries(limits);
}
