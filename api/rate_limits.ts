import type { Cluster, Redis } from 'ioredis';
import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from './caller.ts';
import type { Config } from '#shared/settings/config.ts';
import { Problem } from '#shared/interface/errors.ts';
import type { Logger } from '#shared/platform/log.ts';
import type { Outage } from '#shared/platform/outage.ts';
import { openRedis, watchRedis } from '#shared/platform/redis.ts';
import type { LimitName, RateLimit } from '#shared/settings/rate_limits_setting.ts';

/** Counts the requests of each credential. Never throws; what cannot be counted is let through. */
export type RateLimits = {
  /** Counts one. */
  take(limit: LimitName, credential_id: string): Promise<CountedRequest>;
  /** Counts `more` of a request that was let through. It is not refused any more: what is beyond the quota is paid off before the next. */
  takeMore(limit: LimitName, credential_id: string, more: number): Promise<Record<string, string>>;
  close(): void;
};

/** `left`: how many more are let through; null where nothing is limited. */
export type CountedRequest = { headers: Record<string, string>; refused: boolean; left: number | null };
type Counting = { method: string; limit?: LimitName };

/** Counts one request of this caller, and says in the headers what is left. Throws `rate_limited` when nothing is; `note` hears of it before. */
export async function countRequest(
  route: Counting,
  caller: Caller,
  ctx: Context,
  limits: RateLimits,
  note?: (counted: CountedRequest) => void,
): Promise<void> {
  const limit = limitOf(route);
  const counted = await limits.take(limit, credentialOf(caller));
  note?.(counted);
  const { headers, refused } = counted;
  ctx.set(headers);
  if (refused)
    throw new Problem('rate_limited', `Too many requests of the kind "${limit}". Retry-After says when to go on.`);
}

/** Counts what a request asks for besides one, once its body is known. */
export async function countMore(
  route: Counting,
  caller: Caller,
  more: number,
  ctx: Context,
  limits: RateLimits,
): Promise<void> {
  if (more > 0) ctx.set(await limits.takeMore(limitOf(route), credentialOf(caller), more));
}

const limitOf = ({ limit, method }: Counting) => limit ?? (method === 'get' ? 'read' : 'write');

const credentialOf = (caller: Caller) => (caller.kind === 'key' ? caller.actor_id : caller.session_id);

/** Counters in the memory of this process, or in Redis where there is one; while Redis is away or slow, in memory. */
export function createRateLimits({ rate_limits, redis_url }: Config, outage: Outage, log: Logger): RateLimits {
  const letThrough: CountedRequest = { headers: {}, refused: false, left: null };
  if (rate_limits === null) return { take: async () => letThrough, takeMore: async () => ({}), close() {} };
  const redis = redis_url ? connect(redis_url, outage) : null;
  const counters = {
    read: createCounter('read', rate_limits.read, redis),
    write: createCounter('write', rate_limits.write, redis),
    screen: createCounter('screen', rate_limits.screen, redis),
    pack: createCounter('pack', rate_limits.pack, redis),
  };
  /** How a credential stands once so many more are counted; null where that cannot be told. */
  const count = async (limit: LimitName, credential_id: string, more: number): Promise<Standing | null> => {
    const state = await counters[limit].count(credential_id, more).catch((thrown: unknown) => thrown);
    if (state instanceof RateLimiterRes) return state;
    log.warn({ error: state, limit }, 'request not counted');
    return null;
  };
  return {
    async take(limit, credential_id) {
      const state = await count(limit, credential_id, 1);
      if (!state) return letThrough;
      const headers = headersOf(limit, rate_limits[limit], state);
      const refused = state.consumedPoints > rate_limits[limit].quota;
      return {
        headers: { ...headers, ...(refused && { 'Retry-After': String(secondsOf(state)) }) },
        refused,
        left: Math.max(0, rate_limits[limit].quota - state.consumedPoints),
      };
    },
    async takeMore(limit, credential_id, more) {
      const state = await count(limit, credential_id, more);
      if (!state) return {};
      const { consumedPoints } = state;
      const owed = 1_000 * rate_limits[limit].window * windowsOf(consumedPoints, more, rate_limits[limit]);
      const rest = { consumedPoints, msBeforeNext: state.msBeforeNext + owed };
      if (owed > 0)
        await counters[limit]
          .extend(credential_id, owed)
          .catch((error: unknown) => log.warn({ error, limit }, 'request not counted'));
      return headersOf(limit, rate_limits[limit], rest);
    },
    close: () => redis?.disconnect(),
  };
}

/** The windows that these `more` need, besides those that what was counted before them needs, and the one that runs. */
const windowsOf = (counted: number, more: number, { quota }: RateLimit) =>
  Math.ceil(counted / quota) - Math.max(1, Math.ceil((counted - more) / quota));

type Standing = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

const secondsOf = ({ msBeforeNext }: Standing) => Math.max(1, Math.ceil(msBeforeNext / 1_000));

/** The header fields of draft-ietf-httpapi-ratelimit-headers-10. */
const headersOf = (limit: LimitName, { quota, window }: RateLimit, state: Standing) => ({
  'RateLimit-Policy': `"${limit}";q=${quota};w=${window}`,
  RateLimit: `"${limit}";r=${Math.max(0, quota - state.consumedPoints)};t=${secondsOf(state)}`,
});

/** Counts, also what is beyond the quota: then it rejects with the standing. `extend` has what was counted last so many milliseconds longer. */
type Counter = {
  count(credential_id: string, more: number): Promise<RateLimiterRes>;
  extend(credential_id: string, ms: number): Promise<void>;
};

function createCounter(name: LimitName, { quota, window }: RateLimit, redis: Redis | Cluster | null): Counter {
  const options = { keyPrefix: `oversight:limit:${name}`, points: quota, duration: window };
  const memory = new RateLimiterMemory(options);
  const extendInMemory = inTurn(async (credential_id: string, ms: number) => {
    const state = await memory.get(credential_id);
    if (state) await memory.set(credential_id, state.consumedPoints, (state.msBeforeNext + ms) / 1_000);
  });
  if (!redis) return { count: (id, more) => memory.consume(id, more), extend: extendInMemory };
  const shared = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: memory,
  });
  return {
    count: (id, more) => shared.consume(id, more),
    async extend(credential_id, ms) {
      // What was counted in memory while Redis was away is there alone.
      await extendInMemory(credential_id, ms);
      if (redis.status === 'ready') await redis.eval(LIVE_LONGER, 1, shared.getKey(credential_id), ms);
    },
  };
}

/** In one step, so that of two who extend the same neither is lost. */
const LIVE_LONGER = `local left = redis.call('pttl', KEYS[1])
if left > 0 then redis.call('pexpire', KEYS[1], left + ARGV[1]) end`;

/** Runs one after the other. */
function inTurn<A extends unknown[]>(act: (...given: A) => Promise<void>): (...given: A) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const done = last.then(() => act(...args));
    last = done.catch(() => {});
    return done;
  };
}

/** The longest that a request waits for Redis, in milliseconds. */
const DEADLINE = 50;

function connect(url: string, outage: Outage): Redis | Cluster {
  const redis = openRedis(url, {
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
  return watchRedis(redis, outage);
}
