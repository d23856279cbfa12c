import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { migrate } from '#sql/migrate.ts';
import { processorTime } from './processor_time.ts';
import { openServer } from './server.ts';

/** What tests run on; `environment` tells them where it is. */
export type Cluster = {
  environment: Record<string, string>;
  /** What the server has spent, in milliseconds of processor time; null where the system does not tell. */
  processorTime(): number | null;
  close(): Promise<void>;
};

/**
 * An embedded PostgreSQL with a migrated template database, to be cloned by tests; and a data folder that was migrated and closed, to
 * be copied by them. With TEST_DATABASE_URL the template is on that server.
 */
export async function openCluster(): Promise<Cluster> {
  const url = process.env['TEST_DATABASE_URL'];
  const folder = await mkdtemp(join(folderInMemory() ?? tmpdir(), 'oversight-test-'));
  // Run as root, PostgreSQL is started as another user, who has to get there.
  await chmod(folder, 0o711);
  const [home, data_dir] = [join(folder, 'home'), join(folder, 'cluster')];
  const first = await openEmbeddedPostgres({ data_dir: home, say: message => console.log(message) });
  await migrate(first.owner_url);
  await first.close();
  const scratch = join(folder, 'scratch');
  await mkdir(scratch);
  // What one process has compiled, the others need not.
  const common = { TEST_HOME: home, TMPDIR: scratch, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  // Somebody who is about to end may still write there.
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 20 });
  if (url) {
    const server = await openServer(url);
    return {
      environment: { ...server.environment, ...common },
      processorTime: () => null,
      close: () => server.close().finally(removeFolder),
    };
  }
  // Node's own way of copying does not keep whom files belong to.
  execFileSync('cp', ['-a', home, data_dir]);
  const postgres = await openEmbeddedPostgres({ data_dir });
  const client = new pg.Client({ connectionString: postgres.owner_url });
  await client.connect();
  // Tests kill processes, not the machine: nothing here has to outlast it. Their databases are small, and gone in a moment.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'])
    await client.query(`alter system set ${setting} = off`);
  await client.query('select pg_reload_conf()');
  // Thousands of connections are opened: the passwords are random, and need not be made slow to guess.
  await client.query('set scram_iterations = 1');
  for (const { username, password } of [postgres.owner_url, postgres.service_url].map(url => new URL(url)))
    await client.query(`alter role ${username} password ${pg.escapeLiteral(decodeURIComponent(password))}`);
  await client.end();
  // A database that is cloned must have no connection.
  const clerk = new pg.Client({
    connectionString: Object.assign(new URL(postgres.owner_url), { pathname: '/postgres' }).href,
  });
  await clerk.connect();
  await clerk.query('create database oversight_template template oversight');
  await clerk.end();
  return {
    environment: {
      TEST_OWNER_URL: postgres.owner_url,
      TEST_SERVICE_URL: postgres.service_url,
      ...common,
    },
    processorTime: () =>
      processorTime(Number(readFileSync(join(postgres.directory, 'postmaster.pid'), 'utf8').split('\n')[0])),
    async close() {
      await postgres.close();
      await removeFolder();
    },
  };
}

/** Linux's folder in memory, where it has room: a database is a great many files, which need not reach a disk. */
function folderInMemory(): string | null {
  const folder = '/dev/shm';
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 4_000_000_000 ? folder : null;
  } catch {
    return null;
  }
}

/** The Redis and the browser of this machine, for the tests that need them. Says which are missing. */
export function findPrograms() {
  const isThere = (name: string) => spawnSync(name, ['--version']).status === 0;
  const redis = process.env['REDIS_URL'] ? 'REDIS_URL' : isThere('redis-server') ? 'redis-server' : '';
  if (!redis) console.log('No redis-server on the PATH and no REDIS_URL: the tests on the Redis queue are skipped.');
  // Without windows it takes half the time.
  const chromium = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].find(isThere) ?? '';
  if (!chromium) console.log('No chromium on the PATH: the tests in a browser are skipped.');
  const pgbouncer = isThere('pgbouncer') ? 'pgbouncer' : '';
  if (!pgbouncer) console.log('No pgbouncer on the PATH: the test behind a pooler is skipped.');
  return { redis, chromium, pgbouncer };
}
