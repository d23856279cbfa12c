import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, lstat, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { chooseAccount } from '#shared/embedded_postgres/account.ts';
import { findPackage, usableBinaries } from '#shared/embedded_postgres/binaries.ts';
import { openEmbeddedPostgres } from '#shared/embedded_postgres/open.ts';
import {
  closeAfter,
  openElsewhere,
  preparedFolder,
  queryAt,
  serverPid,
  temporaryFolder,
} from '#test/helpers/embedded_postgres.ts';
import { until } from '#test/helpers/until.ts';

const root = process.getuid?.() === 0;

test('the first opening makes a database for its owner, and a service role that may do nothing yet', async t => {
  const data_dir = join(await temporaryFolder(t), 'data');
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  const service = (sql: string) => queryAt(postgres.service_url, sql);
  const about = `select current_user as role, current_database() as db, current_setting('server_encoding') as encoding,
    current_setting('TimeZone') as zone, current_setting('fsync') || current_setting('synchronous_commit') as durable`;
  const common = { db: 'oversight', encoding: 'UTF8', zone: 'UTC', durable: 'onon' };
  t.deepEqual(await queryAt(postgres.owner_url, about), [{ role: 'postgres', ...common }]);
  t.deepEqual(await service(about), [{ role: 'oversight_service', ...common }]);
  await service('create temporary table notes (text text)');
  const refused = [
    'create table public.notes (text text)',
    'create schema notes',
    'create database notes',
    'create role notes',
    'create extension hstore',
    `select pg_read_file('postgresql.conf')`,
    `copy (select 1) to '/tmp/notes'`,
    `copy (select 1) to program 'true'`,
    'select * from pg_authid',
    'set role postgres',
    `set log_min_messages = 'debug5'`,
  ];
  for (const sql of refused) await t.throwsAsync(service(sql), { code: '42501' }, sql);
  await t.throwsAsync(queryAt(postgres.service_url.replace(/oversight$/, 'postgres'), 'select 1'), { code: '42501' });
  await t.throwsAsync(queryAt(postgres.owner_url.replace(/:[^:]*@/, ':guess@'), 'select 1'), { code: '28P01' });
});

test('what the database keeps is private, and the log shows no statement and no value', async t => {
  const data_dir = join(await temporaryFolder(t), 'data');
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  await t.throwsAsync(queryAt(postgres.owner_url, `select 'secret-1' from nowhere`));
  await t.throwsAsync(queryAt(postgres.service_url, `select 'secret-2'::int`));
  for (const name of ['postgres-owner-password', 'postgres-service-password', 'postgres.log'])
    t.is((await stat(join(data_dir, name))).mode & 0o777, 0o600, name);
  t.is((await stat(postgres.directory)).mode & 0o777, 0o700);
  t.notRegex(await readFile(postgres.log_file, 'utf8'), /secret/);
});

test('a second process joins the server, and only the last one out stops it', async t => {
  const data_dir = await preparedFolder(t);
  const first = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  const second = await openElsewhere(t, data_dir);
  const third = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  const pid = await serverPid(first);
  t.deepEqual([second.owner_url, third.owner_url], [first.owner_url, first.owner_url]);
  await first.close();
  await third.close();
  t.is(await serverPid(first), pid);
  t.is((await queryAt(second.service_url, 'select 1')).length, 1);
  t.is(await second.leave(), 0);
  t.is(await serverPid(first), null);
  await t.throwsAsync(queryAt(first.owner_url, 'select 1'), { code: 'ECONNREFUSED' });
});

test('closing twice is closing once', async t => {
  const data_dir = await preparedFolder(t);
  const stays = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  const postgres = await openEmbeddedPostgres({ data_dir });
  await Promise.all([postgres.close(), postgres.close()]);
  t.is((await queryAt(stays.owner_url, 'select 1')).length, 1);
});

test('processes that open a fresh folder at the same moment share one server', async t => {
  const data_dir = join(await temporaryFolder(t), 'data');
  const all = await Promise.all([1, 2, 3, 4].map(() => openElsewhere(t, data_dir)));
  t.is(new Set(all.map(({ owner_url }) => owner_url)).size, 1);
  for (const { service_url } of all) t.is((await queryAt(service_url, 'select 1')).length, 1);
  t.deepEqual(await Promise.all(all.map(({ leave }) => leave())), [0, 0, 0, 0]);
  t.is(await serverPid({ directory: join(data_dir, 'postgres') }), null);
});

test('the server of a killed process is adopted by the next', async t => {
  const data_dir = await preparedFolder(t);
  const killed = await openElsewhere(t, data_dir);
  await queryAt(killed.owner_url, 'create table notes as select 7 as number');
  const pid = await serverPid(killed);
  await killed.kill();
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  t.is(await serverPid(postgres), pid);
  t.deepEqual(await queryAt(postgres.owner_url, 'select number from notes'), [{ number: 7 }]);
  await postgres.close();
  t.is(await serverPid(postgres), null);
});

test('after the server was killed, the next opening recovers what was committed', async t => {
  const data_dir = await preparedFolder(t);
  const before = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  await queryAt(before.owner_url, 'create table notes as select 7 as number');
  const pid = Number(await serverPid(before));
  process.kill(pid, 'SIGKILL');
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  t.not(await serverPid(postgres), pid);
  t.deepEqual(await queryAt(postgres.service_url, `select to_regclass('notes') is not null as there`), [
    { there: true },
  ]);
  t.deepEqual(await queryAt(postgres.owner_url, 'select number from notes'), [{ number: 7 }]);
});

test('a stale lock file whose number belongs to another process by now does not stop the server from starting', async t => {
  const data_dir = await preparedFolder(t);
  const before = await openEmbeddedPostgres({ data_dir });
  const lock = join(before.directory, 'postmaster.pid');
  const [, ...lines] = (await readFile(lock, 'utf8')).split('\n');
  await before.close();
  const { uid, gid } = await stat(before.directory);
  const stranger = spawn('sleep', ['300'], root ? { uid, gid } : {});
  t.teardown(() => stranger.kill());
  await once(stranger, 'spawn');
  await writeFile(lock, [stranger.pid, ...lines].join('\n'));
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  t.is((await queryAt(postgres.service_url, 'select 1')).length, 1);
  t.is(stranger.exitCode, null);
});

test('when PostgreSQL restarts itself after a crash, those who had it open still keep it running', async t => {
  const data_dir = await preparedFolder(t);
  const stays = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  const pid = await serverPid(stays);
  const shares = `select pid from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted`;
  const [share] = await queryAt(stays.owner_url, shares);
  process.kill(Number(share?.['pid']), 'SIGKILL');
  await until(async () => {
    const now = await queryAt(stays.owner_url, shares).catch(() => []);
    return now.length === 1 && now[0]?.['pid'] !== share?.['pid'];
  });
  const guest = await openEmbeddedPostgres({ data_dir });
  await guest.close();
  t.is(await serverPid(stays), pid);
  t.is((await queryAt(stays.service_url, 'select 1')).length, 1);
});

test('when the server is killed, those who had it open start it again at the same address', async t => {
  const data_dir = await preparedFolder(t);
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  await queryAt(postgres.owner_url, 'create table kept as select 1 as one');
  process.kill((await serverPid(postgres)) ?? 0, 'SIGKILL');
  await until(async () => {
    const rows = await queryAt(postgres.owner_url, 'select one from kept').catch(() => []);
    return rows.length === 1;
  });
  t.pass();
});

test('a process that forgets to close ends all the same', async t => {
  const data_dir = await preparedFolder(t);
  const module = import.meta.resolve('#shared/embedded_postgres/open.ts');
  const code = `const { openEmbeddedPostgres } = await import('${module}'); await openEmbeddedPostgres({ data_dir: process.argv[1] });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, data_dir], { stdio: 'inherit' });
  t.deepEqual(await once(child, 'exit'), [0, null]);
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  t.is((await queryAt(postgres.service_url, 'select 1')).length, 1);
});

test('password files that were lost are made anew, and the data is still there', async t => {
  const data_dir = await preparedFolder(t);
  const before = await openEmbeddedPostgres({ data_dir });
  await queryAt(before.owner_url, 'create table notes as select 7 as number');
  await before.close();
  for (const name of ['postgres-owner-password', 'postgres-service-password']) await rm(join(data_dir, name));
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  const passwords = [before, postgres].flatMap(({ owner_url, service_url }) => [owner_url, service_url].map(password));
  t.is(new Set(passwords).size, 4);
  t.deepEqual(await queryAt(postgres.owner_url, 'select number from notes'), [{ number: 7 }]);
  t.is((await queryAt(postgres.service_url, 'select 1')).length, 1);
});

test('a data folder that cannot be one is refused in a sentence', async t => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'file'), '');
  const message = /^Cannot make the data folder .*: .* move it away, or choose another folder with DATA_DIR\.$/;
  await t.throwsAsync(openEmbeddedPostgres({ data_dir: join(folder, 'file') }), { message });
  await t.throwsAsync(openEmbeddedPostgres({ data_dir: join(folder, 'file', 'data') }), { message });
  if (root) return t.log('not tried: a folder closed to us (no folder is closed to root)');
  const closed = join(folder, 'closed');
  await mkdir(closed, { mode: 0o500 });
  await t.throwsAsync(openEmbeddedPostgres({ data_dir: closed }), { message: /^Cannot .*: this user may not;/ });
});

test('a server that cannot start is reported with the end of its log', async t => {
  const data_dir = await preparedFolder(t);
  const before = await openEmbeddedPostgres({ data_dir });
  await before.close();
  await writeFile(join(before.directory, 'pg_hba.conf'), 'nonsense\n');
  const opening = openEmbeddedPostgres({ data_dir, timeout_ms: 4_000 });
  await t.throwsAsync(opening, {
    message: /could not be opened within \d s: its server [^]*could not load .*pg_hba\.conf/,
  });
  await until(async () => (await serverPid(before)) === null);
});

test('when root may enter the data folder and the server may not, the cluster is put where it may', async t => {
  if (!root) return t.pass(t.log('not tried: only root has such folders') ?? '');
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o700);
  const data_dir = join(folder, 'data');
  const said: string[] = [];
  const before = await openEmbeddedPostgres({ data_dir, say: message => said.push(message) });
  t.teardown(() => rm(before.directory, { recursive: true, force: true }));
  await queryAt(before.owner_url, 'create table notes as select 7 as number');
  await before.close();
  t.regex(before.directory, /^\/var\/lib\/agent-payment-oversight\/[0-9a-f]{12}$/);
  t.is(await readlink(join(data_dir, 'postgres')), before.directory);
  t.true(said.some(message => message.includes(before.directory)));
  t.is((await stat(folder)).mode & 0o777, 0o700);
  const postgres = closeAfter(t, await openEmbeddedPostgres({ data_dir }));
  t.deepEqual(await queryAt(postgres.owner_url, 'select number from notes'), [{ number: 7 }]);
  await postgres.close();
  await rm(before.directory, { recursive: true, force: true });
  await t.throwsAsync(openEmbeddedPostgres({ data_dir }), { message: /links to, and that folder is gone/ });
});

test('programs that the server cannot reach, and whose links npm did not make, are copied and linked', async t => {
  const folder = await temporaryFolder(t);
  const native = join(folder, 'installed', 'native');
  await cp(await findPackage(), native, {
    recursive: true,
    filter: async path => !(await lstat(path)).isSymbolicLink(),
  });
  await writeFile(join(folder, 'installed', 'package.json'), '{ "version": "18.0.0-test" }');
  // Closed to the server when we are root, and to new links when we are not.
  await chmod(join(native, 'lib'), 0o500);
  t.teardown(() => chmod(join(native, 'lib'), 0o700));
  const account = await chooseAccount(null, { uid: 0, gid: 0 });
  const said: string[] = [];
  const options = { native, shelter: folder, account, say: (message: string) => said.push(message) };
  const copies = await Promise.all([usableBinaries(options), usableBinaries(options)]);
  const postgres = join(folder, 'postgresql-18.0.0-test', 'bin', 'postgres');
  for (const copy of copies) t.like(copy, { postgres, major: '18' });
  t.regex(said[0] ?? '', /so PostgreSQL is copied to/);
  t.deepEqual((await readdir(folder)).sort(), ['installed', 'postgresql-18.0.0-test']);
});

const password = (url: string) => new URL(url).password;
