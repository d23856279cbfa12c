import { Redis, type RedisOptions } from 'ioredis';
import { redisAddressOf } from '#shared/settings/redis_url_setting.ts';

/**
 * The options of a connection to the server of a `REDIS_URL`, or to the master that its Sentinels name. Throws on what `redisAddressOf` does not
 * read.
 */
export function redisOptionsOf(text: string, options: RedisOptions): RedisOptions & { url?: string } {
  const address = redisAddressOf(text);
  if (!address) throw new Error('not the address of a Redis');
  if (address.kind === 'server') return { ...options, url: address.url };
  const { nodes, master, db, tls, username, password } = address;
  return {
    ...options,
    ...(username && { username }),
    ...(password && { password }),
    // The master is asked over TLS by the one, the Sentinels by the other.
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    sentinels: nodes,
    name: master,
    db,
  };
}

/** Opens a client of its own. Throws on what `redisAddressOf` does not read. */
export function openRedis(text: string, options: RedisOptions): Redis {
  const { url, ...own } = redisOptionsOf(text, options);
  return url === undefined ? new Redis(own) : new Redis(url, own);
}
