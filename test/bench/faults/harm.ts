import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '#test/helpers/listening.ts';
import { command } from '#test/helpers/redis.ts';

/** How long what does not end by itself lasts, in milliseconds. */
export const LASTS = 5_000;
const FROZEN = 20_000;

type Cluster = { owner_url: string; directory: string };
type Harm = { name: string; times: number; harm(): Promise<void> };

/** What is done to PostgreSQL, so many times each; every one is over when `harm` returns. */
export const harmsOfPostgres = ({ owner_url, directory }: Cluster, times: number): Harm[] => [
  {
    name: 'connections to PostgreSQL cut',
    times,
    harm: () =>
      withClient(owner_url, async client => {
        await client.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = $1',
          ['client backend'],
        );
      }),
  },
  {
    name: 'PostgreSQL crashes and recovers',
    times,
    // A backend that is killed makes the server drop everything that it shares, and recover from its log.
    harm: () =>
      withClient(owner_url, async client => {
        const { rows } = await client.query('select pg_backend_pid() as pid');
        process.kill(rows[0].pid, 'SIGKILL');
      }),
  },
  {
    name: `PostgreSQL frozen for ${FROZEN / 1_000} s`,
    times: 1,
    async harm() {
      const pids = await serverProcesses(directory);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      await pause(FROZEN);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    },
  },
  {
    name: `the log locked for ${LASTS / 1_000} s`,
    times: 1,
    harm: () =>
      withClient(owner_url, async client => {
        await client.query('begin');
        await client.query('lock table events in access exclusive mode');
        await pause(LASTS);
        await client.query('rollback');
      }),
  },
  {
    name: `read-only for ${LASTS / 1_000} s, as after a failover`,
    times: 1,
    harm: () =>
      withClient(owner_url, async client => {
        await client.query('set default_transaction_read_only = off');
        await client.query('alter system set default_transaction_read_only = on');
        await client.query('select pg_reload_conf()');
        await pause(LASTS);
        await client.query('alter system reset default_transaction_read_only');
        await client.query('select pg_reload_conf()');
      }),
  },
  {
    name: `no connection left for ${LASTS / 1_000} s`,
    times: 1,
    async harm() {
      const taken: pg.Client[] = [];
      for (let isFull = false; !isFull;) {
        const client = new pg.Client(owner_url);
        client.on('error', () => {});
        await client.connect().then(
          () => taken.push(client),
          () => (isFull = true),
        );
      }
      await pause(LASTS);
      await Promise.all(taken.map(client => client.end().catch(() => {})));
    },
  },
];

/** So large is the disk that is filled, in MB: the database, with up to 2 GB of WAL, and the packs lie on it. */
const DISK = 3_072;

/** Puts a small disk under an empty folder; false where that is not permitted. On Linux, as root. */
export const mountDisk = (folder: string): Promise<boolean> =>
  promisify(execFile)('mount', ['-t', 'tmpfs', '-o', `size=${DISK}m,mode=711`, 'oversight-bench', folder]).then(
    () => true,
    () => false,
  );

export const unmountDisk = (folder: string) => promisify(execFile)('umount', [folder]);

/** Leaves nothing free on the disk of a folder for a while, however much of it is given back meanwhile. */
export const fullDisk = (folder: string, times: number): Harm => ({
  name: `disk full for ${LASTS / 1_000} s`,
  times,
  async harm() {
    const path = join(folder, 'filler');
    const filler = await open(path, 'w');
    const block = Buffer.alloc(65_536);
    const until = performance.now() + LASTS;
    while (performance.now() < until) {
      const isFull = await filler.write(block).then(
        ({ bytesWritten }) => bytesWritten < block.length,
        () => true,
      );
      if (isFull) await pause(10);
    }
    await filler.close();
    await rm(path);
  },
});

/** A Redis of its own, and what is done to it. `null` without a `redis-server` on the PATH. */
export async function startRedis(directory: string) {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const start = async () => {
    const args = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      directory,
    ];
    const server = spawn('redis-server', args, { stdio: 'ignore' });
    await once(server, 'spawn');
    await command(url, redis => redis.ping());
    return server;
  };
  let server = await start().catch(() => null);
  if (!server) return null;
  const harms = (times: number): Harm[] => [
    { name: 'Redis emptied', times, harm: async () => void (await command(url, redis => redis.flushall())) },
    {
      name: 'Redis killed and started empty',
      times,
      async harm() {
        server?.kill('SIGKILL');
        if (server) await once(server, 'exit');
        server = await start();
      },
    },
    {
      name: `Redis frozen for ${LASTS / 1_000} s`,
      times: 1,
      async harm() {
        server?.kill('SIGSTOP');
        await pause(LASTS);
        server?.kill('SIGCONT');
      },
    },
  ];
  return { url, harms, stop: () => void server?.kill('SIGKILL') };
}

async function withClient(url: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The server and all its processes; on Linux. */
async function serverProcesses(directory: string): Promise<number[]> {
  const server = Number((await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const all = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const children = await Promise.all(
    all.map(async pid => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === server ? [pid] : [];
    }),
  );
  return [server, ...children.flat()];
}
