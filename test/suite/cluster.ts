import { spawnSync } from 'node:child_process';
import { accessSync, constants, statfsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { migrate } from '#sql/migrate.ts';

/** An embedded PostgreSQL with a migrated template database, to be cloned by tests. `environment` tells them where it is. */
export async function openCluster() {
  const data_dir = await mkdtemp(join(folderInMemory() ?? tmpdir(), 'oversight-test-'));
  // Run as root, PostgreSQL is started as another user, who has to get there.
  await chmod(data_dir, 0o711);
  const postgres = await openEmbeddedPostgres({ data_dir, say: message => console.log(message) });
  const template = Object.assign(new URL(postgres.owner_url), { pathname: '/oversight_template' });
  const client = new pg.Client({ connectionString: postgres.owner_url });
  await client.connect();
  await client.query('create database oversight_template');
  // Tests kill processes, not the machine: nothing here has to outlast it.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await client.query(`alter system set ${setting} = off`);
  await client.query('select pg_reload_conf()');
  // Thousands of connections are opened: the passwords are random, and need not be made slow to guess.
  await client.query('set scram_iterations = 1');
  for (const { username, password } of [postgres.owner_url, postgres.service_url].map(url => new URL(url)))
    await client.query(`alter role ${username} password ${pg.escapeLiteral(decodeURIComponent(password))}`);
  await client.end();
  await migrate(template.href);
  return {
    environment: {
      TEST_OWNER_URL: postgres.owner_url,
      TEST_SERVICE_URL: postgres.service_url,
      // What one process has compiled, the others need not.
      NODE_COMPILE_CACHE: join(data_dir, 'compiled'),
    },
    async close() {
      await postgres.close();
      await rm(data_dir, { recursive: true, force: true });
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
  const chromium = ['chromium', 'chromium-browser', 'google-chrome'].find(isThere) ?? '';
  if (!chromium) console.log('No chromium on the PATH: the tests in a browser are skipped.');
  return { TEST_REDIS: redis, TEST_CHROMIUM: chromium };
}
