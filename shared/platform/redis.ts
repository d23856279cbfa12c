import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { redisAddressOf } from '#shared/settings/redis_url_setting.ts';
import type { Outage } from './outage.ts';

/**
 * Opens a client of its own: of the server of a `REDIS_URL`, of the master that its Sentinels name, or of its cluster, whose nodes are each reached
 * with these options. Throws on what `redisAddressOf` does not read.
 */
export function openRedis(text: string, options: RedisOptions): Redis | Cluster {
  const address = redisAddressOf(text);
  if (!address) throw new Error('not the address of a Redis');
  if (address.kind === 'server') return new Redis(address.url, options);
  const { nodes, tls, username, password } = address;
  const login = { ...(username && { username }), ...(password && { password }) };
  if (address.kind === 'cluster') return new Cluster(nodes, clusterOptions({ ...options, ...login }, tls));
  const { sentinelUsername, sentinelPassword } = address;
  return new Redis({
    ...options,
    ...login,
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
    // The master is asked over TLS by the one, the Sentinels by the other.
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    sentinels: nodes,
    name: address.master,
    db: address.db,
  });
}

/** Has an outage know how a client fares. It is told when Redis refuses or cannot be reached; a connection that is lost may be there again at once. */
export function watchRedis(client: Redis | Cluster, outage: Outage): Redis | Cluster {
  return client
    .on('reconnecting', () => outage.note(client))
    .on('error', (error: Error & { lastNodeError?: Error }) => {
      // Of itself a cluster says no more than that none of its nodes answers.
      outage.note(client, error.lastNodeError ?? error);
      outage.tell();
    })
    .on('ready', () => outage.end(client))
    .on('end', () => outage.forget(client));
}

/** A cluster is asked again where its nodes are at the pace at which a server is connected to again. */
function clusterOptions({ retryStrategy, enableOfflineQueue, ...options }: RedisOptions, tls: boolean): ClusterOptions {
  return {
    redisOptions: { ...options, ...(tls && { tls: {} }) },
    ...(enableOfflineQueue !== undefined && { enableOfflineQueue }),
    ...(retryStrategy && { clusterRetryStrategy: retryStrategy }),
    slotsRefreshTimeout: options.connectTimeout,
    // Certificates are made out to names, which nodes say of each other.
    ...(tls && { dnsLookup: (host, found) => found(null, host) }),
  };
}
