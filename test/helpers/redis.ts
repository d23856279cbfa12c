import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Cluster, Redis } from 'ioredis';
import { openRedis } from '#shared/platform/redis.ts';
import * as certificates from '#test/fixtures/tls.ts';
import { freePort } from './listening.ts';
import { until } from './until.ts';

/** Whether there is a Redis for the tests: a `redis-server` on the PATH, or the one of REDIS_URL (see test/run.ts). */
export const hasRedis = Boolean(process.env['TEST_REDIS']);

/** The URL of an empty Redis of this test's own: a server on a free port, or a database of the one at REDIS_URL. */
export function testRedis(t: ExecutionContext): Promise<string> {
  const given = process.env['TEST_REDIS'] === 'REDIS_URL' ? process.env['REDIS_URL'] : undefined;
  return given ? reserveDatabase(t, given) : startRedis(t);
}

/** Waits for one of the databases 1 to 15 that no other test has. A test that was killed gives its own back after a while. */
async function reserveDatabase(t: ExecutionContext, given: string): Promise<string> {
  const at = (database: number) => Object.assign(new URL(given), { pathname: `/${database}` }).href;
  const nameOf = (database: number) => `oversight-test:database:${database}`;
  for (let database = 1; ; database = (database % 15) + 1) {
    const reserved = await command(at(0), redis => redis.set(nameOf(database), t.title, 'EX', 180, 'NX'));
    if (reserved) {
      t.teardown(() => command(at(0), redis => redis.del(nameOf(database))));
      await command(at(database), redis => redis.flushdb());
      return at(database);
    }
    await pause(20);
  }
}

async function startRedis(t: ExecutionContext): Promise<string> {
  return (await startServer(t)).url;
}

type Login = { username: string; password: string };

/** Nobody gets in without this login. */
const lockedTo = ({ username, password }: Login) => [
  `user ${username} on >${password} ~* &* +@all`,
  'user default off',
];

type ServerOptions = { sentinel?: boolean; login?: Login | undefined; tls?: boolean };

/** A server of this test's own with these lines of configuration besides; `kill` ends it before the test does. */
async function startServer(
  t: ExecutionContext,
  lines: readonly string[] = [],
  { sentinel = false, login, tls = false }: ServerOptions = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'oversight-redis-'));
  const port = await freePort();
  const file = join(directory, 'conf');
  const conf = [
    `bind 127.0.0.1`,
    `dir ${directory}`,
    ...(tls ? await overTls(directory, port) : [`port ${port}`]),
    ...(sentinel ? [] : ['save ""', 'appendonly no']),
    ...(login ? lockedTo(login) : []),
    ...lines,
  ];
  await writeFile(file, `${conf.join('\n')}\n`);
  // The shell ends the server when its input ends: at the teardown, or when this process dies without one.
  const options = [file, ...(sentinel ? ['--sentinel'] : [])];
  const server = spawn('sh', ['-c', 'redis-server "$@" & read -r _; kill $!; wait', 'sh', ...options], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exit = once(server, 'exit');
  const kill = async () => {
    server.stdin.end();
    await exit;
  };
  t.teardown(async () => {
    await kill();
    await rm(directory, { recursive: true, force: true });
  });
  const url = `redis${tls ? 's' : ''}://${login ? `${login.username}:${login.password}@` : ''}127.0.0.1:${port}`;
  await command(url, redis => redis.ping());
  return { url, port, kill };
}

/** With a certificate of a private authority, which this process must trust. */
async function overTls(directory: string, port: number): Promise<string[]> {
  const files = { cert: certificates.loopback, key: certificates.key, 'ca-cert': certificates.authority };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return [
    'port 0',
    `tls-port ${port}`,
    ...Object.keys(files).map(name => `tls-${name}-file ${join(directory, name)}`),
    'tls-auth-clients no',
    'tls-replication yes',
  ];
}

/**
 * A master with a replica that a Sentinel promotes when the master is killed. With `logins`, they and the Sentinel let nobody in but by their own, over
 * TLS.
 */
export async function testSentinel(
  t: ExecutionContext,
  logins?: { data: Login; sentinel: Login },
): Promise<{ url: string; master_url: string; killMaster(): Promise<void> }> {
  const tls = Boolean(logins);
  const { data, sentinel: watcher } = logins ?? {};
  const asReplica = data ? [`masteruser ${data.username}`, `masterauth ${data.password}`] : [];
  const master = await startServer(t, asReplica, { login: data, tls });
  const replica = await startServer(t, [`replicaof 127.0.0.1 ${master.port}`, ...asReplica], { login: data, tls });
  await command(replica.url, redis => until(async () => (await redis.info()).includes('master_link_status:up')));
  const sentinel = await startServer(
    t,
    [
      `sentinel monitor ledger 127.0.0.1 ${master.port} 1`,
      ...(data ? [`sentinel auth-user ledger ${data.username}`, `sentinel auth-pass ledger ${data.password}`] : []),
      'sentinel down-after-milliseconds ledger 300',
      'sentinel failover-timeout ledger 3000',
    ],
    { sentinel: true, login: watcher, tls },
  );
  const state = (): Promise<string> => command(sentinel.url, async redis => String(await redis.info()));
  await until(async () => (await state()).includes('slaves=1'));
  const at = `127.0.0.1:${sentinel.port}/ledger`;
  const url =
    data && watcher
      ? `rediss+sentinel://${data.username}:${data.password}@${at}?sentinelUsername=${watcher.username}&sentinelPassword=${watcher.password}`
      : `redis+sentinel://${at}`;
  return { url, master_url: master.url, killMaster: master.kill };
}

/** A cluster of three masters, each with a replica that takes its place when it is killed. `killOwner` kills the master that has a key. */
export async function testCluster(
  t: ExecutionContext,
): Promise<{ url: string; killOwner(key: string): Promise<void> }> {
  const nodes = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const bus = String(await freePort());
      return { bus, ...(await startServer(t, ['cluster-enabled yes', `cluster-port ${bus}`, ...hasty])) };
    }),
  );
  const [first] = nodes;
  const masters = nodes.slice(0, 3);
  const ids = await Promise.all(nodes.map(({ url }) => command(url, redis => redis.cluster('MYID'))));
  const ask = (node: (typeof nodes)[number] | undefined, ...words: string[]) =>
    command(node?.url ?? '', redis => redis.call('cluster', words));
  const share = Math.ceil(SLOTS / masters.length);
  await Promise.all(
    masters.map((node, index) =>
      ask(node, 'addslotsrange', String(index * share), String(Math.min(SLOTS, (index + 1) * share) - 1)),
    ),
  );
  // A command whose connection is lost is sent again, and may have been done the first time.
  const isDone = (error: Error) => {
    if (!error.message.includes('already non-zero')) throw error;
  };
  await Promise.all(masters.map((node, index) => ask(node, 'set-config-epoch', String(index + 1)).catch(isDone)));
  for (const { port, bus } of nodes.slice(1)) await ask(first, 'meet', '127.0.0.1', String(port), bus);
  const everywhere = (holds: (info: string) => boolean) =>
    until(async () => (await Promise.all(nodes.map(node => ask(node, 'info')))).every(info => holds(String(info))));
  await everywhere(info => info.includes('cluster_known_nodes:6'));
  for (const [index, node] of nodes.slice(3).entries())
    await until(() =>
      ask(node, 'replicate', ids[index] ?? '').then(
        () => true,
        () => false,
      ),
    );
  for (const node of nodes.slice(3))
    await command(node.url, redis => until(async () => (await redis.info()).includes('master_link_status:up')));
  await everywhere(info => info.includes('cluster_state:ok'));
  return {
    // One that is not the first to be asked: the others are learned of.
    url: `redis+cluster://${nodes
      .slice(4)
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(',')}`,
    async killOwner(key) {
      const slot = Number(await ask(first, 'keyslot', key));
      await masters[Math.floor(slot / share)]?.kill();
    },
  };
}

const SLOTS = 16_384;
/** A master is missed soon. */
const hasty = ['cluster-node-timeout 1000', 'repl-diskless-sync-delay 0'];

/** Runs one command on a connection of its own, waiting for the server to come up. */
export async function command<T>(url: string, run: (redis: Redis | Cluster) => Promise<T>): Promise<T> {
  const redis = openRedis(url, { maxRetriesPerRequest: 100, retryStrategy: () => 50 });
  redis.on('error', () => {});
  try {
    return await run(redis);
  } finally {
    redis.disconnect();
  }
}
