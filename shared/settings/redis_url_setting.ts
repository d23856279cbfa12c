import { z } from 'zod';

type Node = { host: string; port: number };

type Login = { username?: string; password?: string };

/** How the Sentinels themselves are asked, by ioredis' own names. */
const SentinelLogin = z.strictObject({
  sentinelUsername: z.string().min(1).optional(),
  sentinelPassword: z.string().min(1).optional(),
});
type SentinelLogin = z.infer<typeof SentinelLogin>;

/** How Redis is reached: a server by its URL, the master that Sentinels name, or a cluster by some of its nodes. */
type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'sentinel'; nodes: Node[]; master: string; db: number; tls: boolean } & Login & SentinelLogin)
  | ({ kind: 'cluster'; nodes: Node[]; tls: boolean } & Login);

/** `redis+sentinel://user:password@host:26379,host:26379/master/database?sentinelPassword=…`; `rediss` with TLS. */
const SENTINELS = /^redis(s?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?#]+)\/([\w.-]+)(?:\/(\d{1,2}))?\/?(?:\?([^#]+))?$/;
const SENTINEL_PORT = 26_379;
/** `redis+cluster://user:password@host:6379,host:6379`; `rediss` with TLS. */
const CLUSTER = /^redis(s?)\+cluster:\/\/(?:([^@/]*)@)?([^@/?#]+)\/?$/;
const CLUSTER_PORT = 6_379;

/** Reads the address in a `REDIS_URL`; null if it is none. */
export function redisAddressOf(text: string): RedisAddress | null {
  if (/^rediss?:\/\//.test(text)) return URL.parse(text)?.hostname ? { kind: 'server', url: text } : null;
  const [, ofCluster, cluster_login = '', cluster_hosts] = CLUSTER.exec(text) ?? [];
  if (cluster_hosts !== undefined) {
    const login = loginOf(cluster_login);
    const nodes = nodesOf(cluster_hosts, CLUSTER_PORT);
    return login && nodes && { kind: 'cluster', nodes, ...login, tls: ofCluster === 's' };
  }
  const [, tls, credentials = '', hosts = '', master, db = '0', query] = SENTINELS.exec(text) ?? [];
  const login = loginOf(credentials);
  const sentinel_login = sentinelLoginOf(query);
  const nodes = nodesOf(hosts, SENTINEL_PORT);
  if (master === undefined || !login || !sentinel_login || !nodes) return null;
  return { kind: 'sentinel', nodes, master, ...login, ...sentinel_login, db: Number(db), tls: tls === 's' };
}

/** `sentinelUsername=…&sentinelPassword=…`, percent-encoded like the other login, where a `+` is one; null if it cannot be read. */
function sentinelLoginOf(query: string | undefined): SentinelLogin | null {
  try {
    const pairs = query?.split('&').map(pair => pair.split(/=(.*)/s)) ?? [];
    const login = Object.fromEntries(pairs.map(([name = '', value = '']) => [name, decodeURIComponent(value)]));
    return SentinelLogin.safeParse(login).data ?? null;
  } catch {
    return null;
  }
}

/** `user:password`, both percent-encoded and optional; null if they cannot be read. */
function loginOf(credentials: string): Login | null {
  const [username = '', password = ''] = credentials.split(/:(.*)/s);
  try {
    return {
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
    };
  } catch {
    return null;
  }
}

/** `host:port,host`; null if one of them is none. */
function nodesOf(hosts: string, port: number): Node[] | null {
  const parsed = hosts.split(',').map(host => URL.parse(`redis://${host}`));
  const nodes = parsed.flatMap(url => (url?.hostname ? nodeOf(url, port) : []));
  return nodes.length < parsed.length ? null : nodes;
}

const nodeOf = ({ hostname, port }: URL, otherwise: number): Node => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? otherwise : Number(port),
});

/** `REDIS_URL`, as text: it names a server, Sentinels with their master, or nodes of a cluster. */
export const RedisUrlSetting = z.string().refine(text => redisAddressOf(text) !== null, {
  error:
    'It must be a URL like redis://host:6379, redis+sentinel://host:26379,host:26379/master, or redis+cluster://host:6379,host:6379.',
});
