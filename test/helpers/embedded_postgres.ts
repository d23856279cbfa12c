import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { ExecutionContext } from 'ava';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { lookAtServer } from '#shared/embedded_postgres/server.ts';

/** A folder for a data folder, with a space in its name; root's is open to pass through. Goes with the test. */
export const temporaryFolder = async (t: ExecutionContext) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'embedded postgres ')));
  await chmod(folder, 0o711);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** Such a folder with a database in it that was made and migrated before, as an earlier run of the service leaves it. */
export const preparedFolder = async (t: ExecutionContext) => {
  const { TEST_HOME } = process.env;
  // An empty name would have the root of the machine copied.
  if (!TEST_HOME) throw new Error('Start tests by npm test: it makes the database that TEST_HOME names.');
  const folder = await temporaryFolder(t);
  execFileSync('cp', ['-a', `${TEST_HOME}/.`, folder]);
  return folder;
};

/** An open database that is closed after the test, however that ends. */
export const closeAfter = (t: ExecutionContext, postgres: EmbeddedPostgres) => {
  t.teardown(() => postgres.close());
  return postgres;
};

/** Another process that has the database open, until `leave()` or `kill()`. */
export const openElsewhere = async (t: ExecutionContext, data_dir: string) => {
  const opener = join(import.meta.dirname, 'embedded_postgres_opener.ts');
  const child = spawn(process.execPath, [opener, data_dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const end = async () => (await exit)[0] as number | null;
  const leave = () => (child.stdin.end(), end());
  t.teardown(leave);
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const postgres = JSON.parse(line.value ?? '{}') as EmbeddedPostgres;
  return { ...postgres, leave, kill: () => (child.kill('SIGKILL'), end()) };
};

/** The rows of one query on a connection of its own. */
export const queryAt = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new Client(url);
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
};

/** The number of the server's process, or null when none is running. */
export const serverPid = async ({ directory }: { directory: string }) => {
  const server = await lookAtServer(directory);
  return server.state === 'absent' ? null : server.pid;
};
