import { Redis } from 'ioredis';
import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from './caller.ts';
import type { Config } from '#shared/settings/config.ts';
import { Problem } from '#shared/interface/errors.ts';
import type { Logger } from '#shared/platform/log.ts';
import type { LimitName, RateLimit } from '#shared/settings/rate_limits_setting.ts';

/** Counts the requests of each credential. `take` counts one; it never throws, and what cannot be counted is let through. */
export type RateLimits = {
  take(limit: LimitName, credential_id: string): Promise<{ headers: Record<string, string>; refused: boolean }>;
  close(): void;
};

/** Counts one request of this caller, and says in the headers what is left. Throws `rate_limited` when nothing is. */
export async function countRequest(
  route: { method: string; limit?: LimitName },
  caller: Caller,
  ctx: Context,
  limits: RateLimits,
): Promise<void> {
  const limit = route.limit ?? (route.method === 'get' ? 'read' : 'write');
  const { headers, refused } = await limits.take(limit, caller.kind === 'key' ? caller.actor_id : caller.session_id);
  ctx.set(headers);
  if (refused)
    throw new Problem('rate_limited', `Too many requests of the kind "${limit}". Retry-After says when to go on.`);
}

/** Counters in the memory of this process, or in Redis where there is one; while Redis is away or slow, in memory. */
export function createRateLimits({ rate_limits, redis_url }: Config, log: Logger): RateLimits {
  if (rate_limits === null) return { take: async () => ({ headers: {}, refused: false }), close() {} };
  const redis = redis_url ? connect(redis_url, log) : null;
  const counters = {
    read: createCounter('read', rate_limits.read, redis),
    write: createCounter('write', rate_limits.write, redis),
    screen: createCounter('screen', rate_limits.screen, redis),
    pack: createCounter('pack', rate_limits.pack, redis),
  };
  return {
    async take(limit, credential_id) {
      const state: unknown = await counters[limit].consume(credential_id).catch((thrown: unknown) => thrown);
      if (state instanceof RateLimiterRes) return answer(limit, rate_limits[limit], state);
      log.warn({ error: state, limit }, 'request not counted');
      return { headers: {}, refused: false };
    },
    close: () => redis?.disconnect(),
  };
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers-10. */
function answer(limit: LimitName, { quota, window }: RateLimit, { consumedPoints, msBeforeNext }: RateLimiterRes) {
  const refused = consumedPoints > quota;
  const wait = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const headers = {
    'RateLimit-Policy': `"${limit}";q=${quota};w=${window}`,
    RateLimit: `"${limit}";r=${Math.max(0, quota - consumedPoints)};t=${wait}`,
    ...(refused && { 'Retry-After': String(wait) }),
  };
  return { headers, refused };
}

function createCounter(name: LimitName, { quota, window }: RateLimit, redis: Redis | null) {
  const options = { keyPrefix: `oversight:limit:${name}`, points: quota, duration: window };
  const memory = new RateLimiterMemory(options);
  if (!redis) return memory;
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: memory,
  });
}

/** The longest that a request waits for Redis, in milliseconds. */
const DEADLINE = 50;

function connect(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    commandTimeout: DEADLINE,
    // A Redis that takes commands and answers none is asked no more until a new connection stands.
    socketTimeout: 1_000,
    connectTimeout: 5_000,
    enableOfflineQueue: false,
    // What was counted in memory meanwhile must not be counted again.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: attempt => Math.min(attempt * 100, 2_000),
  });
  redis.on('error', error => log.debug({ error }, 'rate limit store away'));
  return redis;
}
