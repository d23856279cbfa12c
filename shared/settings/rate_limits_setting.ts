import { z } from 'zod';

/** What the rate limits count apart. */
export type LimitName = 'read' | 'write' | 'screen' | 'pack';
/** How many requests one credential may make in a window of so many seconds. */
export type RateLimit = { quota: number; window: number };

/** The limits of a deployment that sets none. */
export const DEFAULT_RATE_LIMITS = 'read=1000,write=1000,screen=100,pack=60/min';

/** The setting RATE_LIMITS: `off` (null), or a list like `write=50,pack=10/min`; what it does not name keeps the default. */
export const RateLimitsSetting = z.string().transform((text, context): Record<LimitName, RateLimit> | null => {
  if (text.trim() === 'off') return null;
  const limits = parseLimits(text);
  if (limits) return { ...parseLimits(DEFAULT_RATE_LIMITS), ...limits } as Record<LimitName, RateLimit>;
  context.addIssue({
    code: 'custom',
    message:
      'It must be off, or a list of read, write, screen and pack, each once, like write=50,read=50,screen=20,pack=10/min: a whole number from 1 up, a second (/s, the default), a minute (/min) or an hour (/hour).',
  });
  return z.NEVER;
});

const seconds: Record<string, number> = { s: 1, min: 60, hour: 3_600 };

/** The limits that a list names; null where it is none, or names one twice. */
function parseLimits(list: string): Partial<Record<LimitName, RateLimit>> | null {
  const limits = new Map<string, RateLimit>();
  for (const item of list.split(',')) {
    const [, name, quota, unit = 's'] =
      /^(read|write|screen|pack)=([1-9][0-9]{0,8})(?:\/(s|min|hour))?$/.exec(item.trim()) ?? [];
    if (name === undefined || limits.has(name)) return null;
    limits.set(name, { quota: Number(quota), window: seconds[unit] ?? 1 });
  }
  return Object.fromEntries(limits);
}
