import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { keysOf, restoreDatabase } from '#bin/backup/restore.ts';
import { createBackup } from '#shared/backup/create.ts';
import { storeBackup, withBackup } from '#shared/backup/place.ts';
import { openBackup } from '#shared/backup/read.ts';
import { newestMigration } from '#shared/running/migrated.ts';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { temporaryFolder } from '#test/helpers/embedded_postgres.ts';
import { contentsOf, fillEveryTable } from '#test/helpers/every_table.ts';
import { ownerOf } from '#test/helpers/owner.ts';
import { run } from '#test/helpers/process.ts';
import { signedLog } from '#test/helpers/signed_log.ts';
import { until } from '#test/helpers/until.ts';

const newest = newestMigration();

/** The tool beside a service with a log of four events, of which two are signed. */
async function operator(t: ExecutionContext) {
  const here = await signedLog(t);
  await here.send(2);
  await here.publish();
  await here.send(2);
  const settings = { ...settingsOf(here), DATA_DIR: here.config.data_dir };
  return { ...here, settings, admin: adminOf(t, settings), folder: await temporaryFolder(t) };
}

/** Restores a backup into an empty database of the test's server. */
async function restored(
  t: ExecutionContext,
  { config, folder }: Pick<Awaited<ReturnType<typeof operator>>, 'config' | 'folder'>,
  file: string,
) {
  const target = await testDatabase(end => t.teardown(end), 'template0');
  return withBackup(file, join(folder, 'scratch'), folder, async (path, scratch) => {
    const backup = await openBackup(path, { passphrase: null, folder: scratch, newest });
    const keys = await keysOf(backup, config);
    const logs = await restoreDatabase(target, backup, { keys, witness: undefined }).finally(backup.close);
    return { target, logs, manifest: backup.manifest };
  });
}

/** What is the same in a copy: migrations note their own time, presence and samples of work are not copied, and versions go on. */
function comparable({
  migrations,
  worker_presence,
  work_samples,
  versions,
  ...rest
}: Awaited<ReturnType<typeof contentsOf>>) {
  return [rest, migrations?.rows, versions?.rows, worker_presence === undefined, work_samples === undefined] as const;
}

test('a backup holds every row of every table, and is moved on to a third database as it is', async t => {
  const here = await operator(t);
  const { admin, config, database, folder, tenant, settings } = here;
  await fillEveryTable(database.owner_url);
  const file = join(folder, 'night.backup');
  await here.asOwner(`update log_archives set file = 'archive.zip'`);
  const incomplete = await admin.error('backup', 'create', file);
  t.like(incomplete, { exit: 1, code: 'conflict' });
  t.regex(incomplete.message, /^The archive archive\.zip is not in the storage/);
  await mkdir(join(config.data_dir, 'files/warehouse'), { recursive: true });
  await writeFile(join(config.data_dir, 'files/warehouse/part-0.csv.gz'), 'an export by the hour');
  await writeFile(join(config.data_dir, 'files/archive.zip'), 'events of before');
  const made = await admin.json('backup', 'create', file);
  t.like(made, { file, logs: 1, encrypted: false, keep_apart: ['SECRET_KEY'] });
  t.like(made.checkpoint, { org_id: tenant.org_id, size: 4 }, 'what was not signed yet, is by then');
  t.deepEqual(await readdir(folder), ['night.backup']);
  let before: Awaited<ReturnType<typeof contentsOf>>;
  // The service notes now and then when a key was used last: what is compared is a backup between two looks that agree.
  do {
    before = await contentsOf(database.owner_url);
    await admin.json('backup', 'create', file);
  } while (!isDeepStrictEqual(before, await contentsOf(database.owner_url)));
  for (const [table, { rows }] of Object.entries(before)) t.true(rows > 0, `${table} has a row`);

  const { target, logs, manifest } = await restored(t, here, file);
  t.deepEqual(comparable(await contentsOf(target.owner_url)), comparable(before));
  t.deepEqual(logs, [{ ...tenant, ok: true, size: 4, checkpoint_size: 4, first_bad_seq: null }]);
  t.is(manifest.migration, newest);
  t.deepEqual(
    manifest.files.map(({ path }) => path),
    ['files/archive.zip'],
  );
  t.deepEqual(
    manifest.tables.map(({ name }) => name).toSorted(),
    Object.keys(before).filter(name => !['migrations', 'worker_presence', 'work_samples'].includes(name)),
  );

  t.like(await admin.error('move', '--to', target.owner_url), { exit: 1, code: 'conflict' });
  const mover = adminOf(t, { ...settings, DATABASE_URL: target.owner_url });
  t.like(await mover.error('move', '--to', database.owner_url), { exit: 1, code: 'conflict' });
  t.like(await mover.error('move', '--to', 'redis://x'), { exit: 1, code: 'invalid_request' });
  const third = await testDatabase(end => t.teardown(end));
  const owner = await ownerOf(t, third);
  await owner('create table notes (text text)');
  t.like(await mover.error('move', '--to', third.owner_url), { exit: 1, code: 'conflict' });
  await owner('drop table notes');
  t.like(await mover.json('move', '--to', third.owner_url), {
    ok: true,
    logs: [{ org_id: tenant.org_id, ok: true, size: 4 }],
  });
  t.deepEqual(comparable(await contentsOf(third.owner_url)), comparable(before));
});

test('a log that was tampered with is found in its backup', async t => {
  const here = await operator(t);
  await here.asOwner(`update events set rail = 'sepa' where chain_seq = 2`);
  const file = join(here.folder, 'a.backup');
  await here.admin.json('backup', 'create', file);
  const { logs } = await restored(t, here, file);
  t.like(logs?.[0], { ok: false, first_bad_seq: 2 });
});

test('a backup that is damaged, cut off, of a newer version or of another passphrase is refused with a sentence', async t => {
  const { admin, config, database, folder } = await operator(t);
  const [file, secret, wrong] = ['a.backup', 'passphrase', 'wrong'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(secret, 'correct horse battery staple\n');
  await writeFile(wrong, 'correct horse battery stable\n');
  await writeFile(join(config.data_dir, 'secret-key'), config.secret_key[0].toString('base64'));
  const sealed = await admin.json('backup', 'create', file, '--passphrase-file', secret);
  t.like(sealed, { encrypted: true, keep_apart: [] });
  const bytes = await readFile(file);
  t.false(bytes.includes(config.secret_key[0].toString('base64')));
  t.false(bytes.includes('tables/'), 'nothing in it is readable');
  const verify = async (path: string, ...more: string[]) =>
    JSON.parse((await admin.type('backup', 'verify', path, '--json', ...more)).stdout);
  t.like(await admin.error('backup', 'verify', file), { code: 'invalid_request' });
  t.like(await verify(file, '--passphrase-file', wrong), { ok: false });
  await writeFile(join(folder, 'cut'), bytes.subarray(0, -100));
  t.like(await verify(join(folder, 'cut'), '--passphrase-file', secret), { ok: false });

  const plain = join(folder, 'plain.backup');
  const source = { owner_url: database.owner_url, config, passphrase: null };
  const { manifest } = await createBackup(source, plain);
  t.deepEqual(manifest.secrets, [], 'no secret is in a backup that is not encrypted');
  const open = (path: string, most = newest) => openBackup(path, { passphrase: null, folder, newest: most });
  const newer = new RegExp(`is at migration ${newest}, and this version knows none after 0001_walking_service`);
  await t.throwsAsync(open(plain, '0001_walking_service'), { code: 'conflict', message: newer });
  await t.throwsAsync(open(secret), { message: /no backup/ });
  const whole = await readFile(plain);
  await writeFile(join(folder, 'cut'), whole.subarray(0, -1_000));
  await t.throwsAsync(open(join(folder, 'cut')), { message: /cut off|damaged/ });
  const events = manifest.tables.find(({ name }) => name === 'events');
  if (!events) throw new Error('unreachable');
  // Within the data of the events, which follow the name of their file.
  const at = whole.indexOf('tables/events.copy') + events.path.length + 200;
  whole[at] = (whole[at] ?? 0) ^ 1;
  await copyFile(plain, join(folder, 'flipped'));
  await writeFile(join(folder, 'flipped'), whole);
  const flipped = await open(join(folder, 'flipped'));
  const read = async () => {
    for await (const piece of await flipped.read(events)) void piece;
  };
  await t.throwsAsync(read(), { message: /damaged/ });
  flipped.close();
});

test('a backup that fails or is killed leaves nothing that looks whole, and what was there stays', async t => {
  const { asOwner, folder, settings } = await operator(t);
  const file = join(folder, 'a.backup');
  await writeFile(file, 'last night');
  await t.throwsAsync(
    storeBackup(file, folder, async path => {
      await writeFile(path, 'half');
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' });
    }),
    { code: 'invalid_request', message: /no space left/ },
  );
  t.deepEqual(await readdir(folder), ['a.backup']);
  // A table among the last cannot be read for a while: the tool stops midway.
  await asOwner('begin');
  await asOwner('lock table webhook_replays in access exclusive mode');
  const tool = run(t, 'bin/admin.ts', ['backup', 'create', file], settings);
  await until(async () => (await readdir(folder)).length > 1);
  tool.kill('SIGKILL');
  await tool.ended;
  await asOwner('rollback');
  t.is(await readFile(file, 'utf8'), 'last night');
  await storeBackup(file, folder, path => writeFile(path, 'tonight'));
  t.deepEqual([await readFile(file, 'utf8'), await readdir(folder)], ['tonight', ['a.backup']]);
});

test('a backup is put in the place of no link and no folder', async t => {
  const { admin, folder } = await operator(t);
  const [file, link] = ['a.backup', 'link'].map(name => join(folder, name)) as [string, string];
  await writeFile(file, 'last night');
  await symlink(file, link);
  for (const path of [link, folder])
    t.like(await admin.error('backup', 'create', path), {
      exit: 1,
      code: 'conflict',
      message: `${path} is there and is no file. Name a file.`,
    });
  t.is(await readFile(file, 'utf8'), 'last night');
});
