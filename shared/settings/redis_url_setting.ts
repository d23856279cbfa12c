import { z } from 'zod';

type Node = { host: string; port: number };

/** How Redis is reached: a server by its URL, or the master that Sentinels name. */
type RedisAddress =
  | { kind: 'server'; url: string }
  | { kind: 'sentinel'; nodes: Node[]; master: string; username?: string; password?: string; db: number; tls: boolean };

/** `redis+sentinel://user:password@host:26379,host:26379/master/database`; `rediss` with TLS. */
const SENTINELS = /^redis(s?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?#]+)\/([\w.-]+)(?:\/(\d{1,2}))?\/?$/;
const SENTINEL_PORT = 26_379;

/** Reads the address in a `REDIS_URL`; null if it is none. */
export function redisAddressOf(text: string): RedisAddress | null {
  if (/^rediss?:\/\//.test(text)) return URL.parse(text)?.hostname ? { kind: 'server', url: text } : null;
  const [, tls, credentials = '', hosts = '', master, db = '0'] = SENTINELS.exec(text) ?? [];
  const login = loginOf(credentials);
  if (master === undefined || !login) return null;
  const parsed = hosts.split(',').map(host => URL.parse(`redis://${host}`));
  const nodes = parsed.flatMap(url => (url?.hostname ? nodeOf(url) : []));
  if (nodes.length < parsed.length) return null;
  return { kind: 'sentinel', nodes, master, ...login, db: Number(db), tls: tls === 's' };
}

/** `user:password`, both percent-encoded and optional; null if they cannot be read. */
function loginOf(credentials: string): { username?: string; password?: string } | null {
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

const nodeOf = ({ hostname, port }: URL): Node => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? SENTINEL_PORT : Number(port),
});

/** `REDIS_URL`, as text: it names a server, or Sentinels with their master. */
export const RedisUrlSetting = z.string().refine(text => redisAddressOf(text) !== null, {
  error: 'It must be a URL like redis://host:6379, or redis+sentinel://host:26379,host:26379/master.',
});
