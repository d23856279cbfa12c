import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { runAs } from '#shared/embedded_postgres/account.ts';
import { findBinaries } from '#shared/embedded_postgres/binaries.ts';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { findDataFolder } from '#shared/embedded_postgres/data_folder.ts';
import { PROGRAM_ENV } from '#shared/embedded_postgres/run.ts';
import { preparedFolder, queryAt } from './embedded_postgres.ts';
import { freePort } from './listening.ts';
import { until } from './until.ts';

/**
 * A server of PostgreSQL with a standby that has each commit before it is acknowledged, and one address that leads to the first. `promote` kills the
 * first, promotes the other and has the address lead to it.
 */
export async function testStandby(t: ExecutionContext): Promise<{ url: string; promote(): Promise<void> }> {
  const folder = await preparedFolder(t);
  const { owner_url, directory, close } = await openEmbeddedPostgres({ data_dir: folder });
  await close();
  const place = await findDataFolder(folder, () => {});
  const { postgres } = await findBinaries(place, () => {});
  const urlAt = (port: number) => Object.assign(new URL(owner_url), { port }).href;
  const start = async (at: string, settings: Record<string, string | number> = {}) => {
    const port = await freePort();
    const all = { wal_level: 'replica', listen_addresses: '127.0.0.1', unix_socket_directories: '', port, ...settings };
    const server = spawn(
      postgres,
      ['-D', at, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        cwd: at,
        stdio: 'ignore',
        env: PROGRAM_ENV,
        ...runAs(place.account),
      },
    );
    const end = async (signal: NodeJS.Signals) => {
      if (server.exitCode === null && server.signalCode === null && server.kill(signal)) await once(server, 'exit');
    };
    t.teardown(() => end('SIGINT'));
    await until(() =>
      queryAt(urlAt(port), 'select 1').then(
        () => true,
        () => false,
      ),
    );
    return { port, end };
  };
  // What the embedded server wrote last would be too little for a standby.
  await (await start(directory)).end('SIGINT');
  const copy = join(folder, 'standby');
  execFileSync('cp', ['-a', directory, copy]);
  await writeFile(join(copy, 'standby.signal'), '');
  const primary = await start(directory, { synchronous_standby_names: 'standby' });
  const { username, password } = new URL(owner_url);
  const standby = await start(copy, {
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${username} password=${decodeURIComponent(password)} application_name=standby`,
  });
  let target = primary.port;
  const address = createServer(from => {
    const to = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      one
        .on('error', () => {})
        .on('close', () => other.destroy())
        .pipe(other);
  }).listen(0, '127.0.0.1');
  await once(address, 'listening');
  t.teardown(() => address.close());
  return {
    url: urlAt((address.address() as AddressInfo).port),
    async promote() {
      await primary.end('SIGKILL');
      await queryAt(urlAt(standby.port), 'select pg_promote()');
      target = standby.port;
    },
  };
}
