import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'ava';
import { claimDataDir } from '#bin/data_dir_claim.ts';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { createClient } from '#test/helpers/client.ts';
import { closeAfter, preparedFolder, queryAt, serverPid } from '#test/helpers/embedded_postgres.ts';
import { until } from '#test/helpers/until.ts';
import { event } from '#test/helpers/make.ts';
import { addressOf, run } from '#test/helpers/process.ts';
import { turnOf } from '#test/helpers/runs.ts';

const isRunning = async (DATA_DIR: string) => (await serverPid({ directory: join(DATA_DIR, 'postgres') })) !== null;

test('a signal while events pour in ends the service cleanly', async t => {
  const DATA_DIR = await preparedFolder(t);
  const service = run(t, 'bin/start.ts', [], { DATA_DIR, PORT: '0' });
  const address = await addressOf(service);
  const admin = adminOf(t, { DATA_DIR });
  await admin.json('org', 'create', '--name', 'Acme');
  const { key } = await admin.json('key', 'create', '--org', 'Acme', '--name', 'first', '--scopes', 'all');
  const as = createClient(t, address, key);
  const batch = () => Array.from({ length: 1_000 }, (_, index) => event({ agent: `agent-${index % 300}` }));
  let sent = 0;
  const pouring = Array.from({ length: 6 }, async () => {
    for (;;) {
      await as.post('/v1/events', { events: batch() });
      sent += 1;
    }
  });
  const poured = Promise.allSettled(pouring);
  await until(() => sent > 8);
  service.kill('SIGTERM');
  const { code, stderr } = await service.ended;
  t.is(code, 0, stderr);
  t.false(await isRunning(DATA_DIR));
  await poured;
});

const signals = [
  ['a signal to npm reaches the service', 'SIGTERM', false],
  ['Ctrl-C, which reaches npm and the service, is one signal', 'SIGINT', true],
] as const;
for (const [title, signal, group] of turnOf(signals, 0, 2)) {
  test(title, async t => {
    const DATA_DIR = await preparedFolder(t);
    const env = { ...process.env, DATA_DIR, PORT: '0' };
    const npm = spawn('npm', ['start'], { env, stdio: 'ignore', detached: true });
    await until(() => isRunning(DATA_DIR));
    if (npm.pid === undefined) throw new Error('unreachable');
    const exit = once(npm, 'exit');
    process.kill(group ? -npm.pid : npm.pid, signal);
    await exit;
    await until(async () => !(await isRunning(DATA_DIR)));
    if (!group) t.is(npm.exitCode, 0);
    t.pass();
  });
}

test('a claim whose connection was lost is taken again, or its loss is told', async t => {
  const data_dir = await preparedFolder(t);
  const { owner_url } = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  let lost: Error | undefined;
  const giveBack = await claimDataDir(owner_url, data_dir, error => (lost = error));
  const claims = `from pg_stat_activity where application_name = 'oversight-claim'`;
  const [first] = await queryAt(owner_url, `select pid, pg_terminate_backend(pid) ${claims}`);
  await until(async () => {
    const [now] = await queryAt(owner_url, `select pid ${claims}`);
    return now !== undefined && now['pid'] !== first?.['pid'];
  });
  await until(() =>
    claimDataDir(owner_url, data_dir, () => {}).then(
      async back => (await back(), false),
      () => true,
    ),
  );
  t.is(lost, undefined);
  await queryAt(owner_url, `select pg_terminate_backend(pid) ${claims}`);
  const other = await claimDataDir(owner_url, data_dir, () => {});
  await until(async () => lost !== undefined);
  t.regex(lost?.message ?? '', /already runs/);
  await giveBack();
  await other();
});
