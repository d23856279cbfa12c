import { spawn } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { queryAt, temporaryFolder } from './embedded_postgres.ts';
import { freePort } from './listening.ts';
import { until } from './until.ts';

/** Whether there is a `pgbouncer` on the PATH (see test/run.ts). */
export const hasPgBouncer = Boolean(process.env['TEST_PGBOUNCER']);

/** A PgBouncer of this test's own before a database, as docs/operating.md has it: its URL. It holds two connections for all who come. */
export async function testPgBouncer(t: ExecutionContext, database_url: string): Promise<string> {
  const { hostname, port, pathname, username, password } = new URL(database_url);
  const folder = await temporaryFolder(t);
  const own_port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const login = `user=${username} password=${decodeURIComponent(password)}`;
  await writeFile(
    file,
    `[databases]
oversight = host=${hostname} port=${port} dbname=${pathname.slice(1)} ${login} pool_size=2
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own_port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
ignore_startup_parameters = options, statement_timeout, idle_in_transaction_session_timeout
`,
  );
  await chmod(file, 0o644);
  // It refuses to be root.
  const user = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
  const server = spawn('pgbouncer', ['--quiet', ...user, file], { stdio: 'ignore' });
  t.teardown(() => server.kill('SIGKILL'));
  const url = `postgres://${username}@127.0.0.1:${own_port}/oversight`;
  await until(() =>
    queryAt(url, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  return url;
}
