import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { redisAddressOf } from '#shared/settings/redis_url_setting.ts';

/**
 * The options of one connection, for those who open their own; a Cluster is opened here, as one client with connections to all of its nodes.
 * Throws on what `redisAddressOf` does not read.
 */
export function redisConnection(text: string, options: RedisOptions): (RedisOptions & { url?: string }) | Cluster {
  const address = redisAddressOf(text);
  if (!address) throw new Error('not the address of a Redis');
  if (address.kind === 'server') return { ...options, url: address.url };
  const { kind, nodes, db, tls, username, password } = address;
  const login = { ...(username && { username }), ...(password && { password }), ...(tls && { tls: {} }) };
  if (kind === 'sentinel')
    return {
      ...options,
      ...login,
      sentinels: nodes,
      name: address.master,
      db,
      // To the master, and to the Sentinels.
      ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    };
  return new Cluster(nodes, clusterOptions({ ...options, ...login }));
}

const clusterOptions = ({ retryStrategy, enableOfflineQueue, ...redisOptions }: RedisOptions): ClusterOptions => ({
  redisOptions,
  enableOfflineQueue: enableOfflineQueue ?? true,
  slotsRefreshTimeout: 5_000,
  // Certificates are of host names, which must not be looked up before.
  ...(redisOptions.tls && { dnsLookup: (host, done) => done(null, host) }),
  clusterRetryStrategy: attempt => (retryStrategy?.(attempt) ?? 2_000) as number,
});

/** Opens a client of its own. Throws on what `redisAddressOf` does not read. */
export function openRedis(text: string, options: RedisOptions): Redis | Cluster {
  const connection = redisConnection(text, options);
  if (connection instanceof Cluster) return connection;
  const { url, ...own } = connection;
  return url === undefined ? new Redis(own) : new Redis(url, own);
}
