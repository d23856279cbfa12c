import { z } from 'zod';

type Node = { host: string; port: number };

/** How Redis is reached: a server by its URL, the master that Sentinels name, or the nodes of a Cluster. */
type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'sentinel'; master: string } & Several)
  | ({ kind: 'cluster' } & Several);

type Several = { nodes: Node[]; username?: string; password?: string; db: number; tls: boolean };

/** `redis+sentinel://user:password@host:26379,host:26379/master/database`, `redis+cluster://host:6379,host:6379`; `rediss` with TLS. */
const SEVERAL = /^redis(s?)\+(sentinel|cluster):\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([\w.-]+))?(?:\/(\d{1,2}))?\/?$/;
const usual_port = { sentinel: 26_379, cluster: 6_379 };

/** Reads the address in a `REDIS_URL`; null if it is none. */
export function redisAddressOf(text: string): RedisAddress | null {
  if (/^rediss?:\/\//.test(text)) return URL.parse(text)?.hostname ? { kind: 'server', url: text } : null;
  const [, tls, kind, credentials = '', hosts = '', master, db = '0'] = SEVERAL.exec(text) ?? [];
  if ((kind !== 'sentinel' && kind !== 'cluster') || (kind === 'sentinel') !== (master !== undefined)) return null;
  const parsed = hosts.split(',').map(host => URL.parse(`redis://${host}`));
  const nodes = parsed.flatMap(url => (url?.hostname ? nodeOf(url, usual_port[kind]) : []));
  if (nodes.length < parsed.length) return null;
  const login = loginOf(credentials);
  if (!login) return null;
  const several: Several = {
    nodes,
    ...login,
    db: Number(db),
    tls: tls === 's',
  };
  return kind === 'sentinel' ? { kind, master: master ?? '', ...several } : { kind, ...several };
}

/** `user:password`, both percent-encoded and optional; null if they cannot be read. */
function loginOf(credentials: string): Pick<Several, 'username' | 'password'> | null {
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

const nodeOf = ({ hostname, port }: URL, usual: number): Node => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? usual : Number(port),
});

/** `REDIS_URL`, as text: it names a server, Sentinels or a Cluster. */
export const RedisUrlSetting = z.string().refine(text => redisAddressOf(text) !== null, {
  error:
    'It must be a URL like redis://host:6379, redis+sentinel://host:26379,host:26379/master or redis+cluster://host:6379,host:6379.',
});
