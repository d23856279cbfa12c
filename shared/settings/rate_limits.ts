import { z } from 'zod';

/** What the rate limits count apart. */
export type LimitName = 'read' | 'write' | 'screen' | 'pack';
/** How many requests one credential may make in a window of so many seconds. */
export type RateLimit = { quota: number; window: number };

/** The limits of a deployment that sets none. */
export const defaultRateLimits: Record<LimitName, RateLimit> = {
  read: { quota: 1_000, window: 1 },
  write: { quota: 1_000, window: 1 },
  screen: { quota: 100, window: 1 },
  pack: { quota: 60, window: 60 },
};

const seconds: Record<string, number> = { s: 1, min: 60, hour: 3_600 };

/** The setting RATE_LIMITS: `off` (null), or a list like `write=50,pack=10/min`; what it does not name keeps the default. */
export const RateLimitsSetting = z.string().transform((text, context): Record<LimitName, RateLimit> | null => {
  if (text.trim() === 'off') return null;
  const items = text.split(',').map(item => {
    const [, name, quota, unit = 's'] =
      /^(read|write|screen|pack)=([1-9][0-9]{0,8})(?:\/(s|min|hour))?$/.exec(item.trim()) ?? [];
    return name && ([name, { quota: Number(quota), window: seconds[unit] ?? 1 }] as const);
  });
  const known = items.filter(item => item !== undefined && item !== '');
  const given = Object.fromEntries(known);
  if (known.length === items.length && Object.keys(given).length === items.length)
    return { ...defaultRateLimits, ...given };
  context.addIssue({
    code: 'custom',
    message:
      'It must be off, or a list of read, write, screen and pack, each once, like write=50,read=50,screen=20,pack=10/min: a whole number from 1 up, a second (/s, the default), a minute (/min) or an hour (/hour).',
  });
  return z.NEVER;
});
