import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { openBackup, readBack } from '#shared/backup/read.ts';
import { claimBackup, LEASE, listScheduled } from '#shared/backup/scheduled_backups.ts';
import { createScheduledBackups } from '#shared/backup/take_scheduled.ts';
import { sql } from '#shared/platform/db.ts';
import { createStorage } from '#shared/platform/storage/open_storage.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { newestMigration } from '#shared/running/migrated.ts';
import { event } from '#test/helpers/make.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

const MIDNIGHT = Date.UTC(2026, 10, 24);

/** A deployment whose schedule process looks when it is told to, at the time that it is told. */
async function deployment(t: ExecutionContext, settings: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-backups-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const w = await world(t, { settings: { BACKUP_URL: folder, BACKUP_KEEP: '2', ...settings } });
  let at = MIDNIGHT + 3 * HOUR;
  const services = { ...w.services, now: () => at };
  const open = async () => ({ owner_url: w.database.owner_url, embedded: undefined });
  const backups = createScheduledBackups(services, open);
  const value = async (metric: { get(): Promise<{ values: { value: number }[] }> }) =>
    (await metric.get()).values[0]?.value;
  return {
    ...w,
    folder,
    open,
    look: (stopping = new AbortController().signal) => backups.look(stopping),
    pass: (ms: number) => (at += ms),
    now: services.now,
    files: async () => (await readdir(folder)).filter(name => name !== 'unfinished').toSorted(),
    list: () => listScheduled(w.db, 10),
    age: () => value(w.services.metrics.backupAge),
    failures: () => value(w.services.metrics.backupFailures),
  };
}

test('a backup is taken once each time that one is due, and as many are kept as asked for', async t => {
  const d = await deployment(t);
  await d.as.post('/v1/events', event());
  await Promise.all([d.look(), d.look()]);
  await d.look();
  const [first, ...more] = await d.files();
  t.deepEqual(more, []);
  t.regex(first ?? '', /^oversight-20261124T000000Z-[0-9a-f]{8}\.backup$/);
  const opened = await openBackup(join(d.folder, first ?? ''), {
    passphrase: null,
    folder: d.folder,
    newest: newestMigration(),
  });
  t.is(opened.manifest.logs.find(({ org_id }) => org_id === d.tenant.org_id)?.checkpoint?.size, 1);
  opened.close();
  const { sha256 } = await d.db.one(sql.type(z.object({ sha256: z.string() }))`select sha256 from scheduled_backups`);
  const hash = createHash('sha256').update(await readFile(join(d.folder, first ?? '')));
  t.is(sha256, hash.digest('hex'));
  d.pass(20 * HOUR);
  await d.look();
  t.is((await d.files()).length, 1, 'not before midnight');
  t.is(await d.age(), 20 * 3_600);
  for (let day = 0; day < 3; day += 1) {
    d.pass(DAY);
    await d.look();
  }
  t.deepEqual(
    (await d.files()).map(name => name.slice(10, 18)),
    ['20261126', '20261127'],
  );
  t.is((await d.list()).length, 2);
  t.is(await d.age(), 0);
});

test('a backup that fails is said and measured, and tried again ten minutes later', async t => {
  const d = await deployment(t);
  const blocked = join(d.folder, 'unfinished');
  await writeFile(blocked, 'a file where a folder should be');
  await d.look();
  const [failed] = await d.list();
  t.like(failed, { state: 'failed', finished_at: null, size_bytes: null });
  t.regex(failed?.error ?? '', /unfinished/);
  t.is(await d.failures(), 1);
  await rm(blocked);
  d.pass(9 * MINUTE);
  await d.look();
  t.deepEqual(await d.files(), []);
  t.is(await d.age(), 3 * 3_600 + 9 * 60, 'since it was due');
  d.pass(MINUTE);
  await d.look();
  t.like((await d.list())[0], { state: 'done', error: null });
  t.is((await d.files()).length, 1);
});

test('a backup that cannot be read back is a failure, is not kept, and lets no older one be removed', async t => {
  const d = await deployment(t, { BACKUP_KEEP: '1' });
  await d.look();
  const [first = ''] = await d.files();
  const bytes = await readFile(join(d.folder, first));
  const damaged = join(d.folder, 'unfinished', 'damaged');
  const asked = { passphrase: null, folder: d.folder, newest: newestMigration() };
  const middle = Math.floor(bytes.length / 2);
  await writeFile(damaged, bytes.fill(bytes.readUInt8(middle) ^ 1, middle, middle + 1));
  await t.throwsAsync(readBack(damaged, asked), { message: /damaged/ });
  await readBack(join(d.folder, first), asked);
  d.pass(DAY);
  const losing = createScheduledBackups({ ...d.services, now: d.now }, d.open, async config => {
    const storage = await createStorage(config);
    return {
      ...storage,
      async put(name, file) {
        await storage.put(name, file);
        await truncate(join(d.folder, name), 100);
      },
    };
  });
  await losing.look(new AbortController().signal);
  t.regex((await d.list())[0]?.error ?? '', /not what was put there/);
  t.is(await d.failures(), 1);
  t.deepEqual(await d.files(), [first]);
});

test('what a process that died or stopped had begun, another one takes', async t => {
  const d = await deployment(t, { BACKUP_PASSPHRASE: 'correct horse battery' });
  await claimBackup(d.db, { slot: MIDNIGHT, name: 'oversight-begun.backup', place: d.folder }, d.now());
  await d.look();
  t.deepEqual(await d.files(), [], 'it may still be there');
  d.pass(LEASE);
  await d.look(AbortSignal.abort());
  t.like((await d.list())[0], { state: 'failed' });
  t.is(await d.failures(), 0, 'a process that stops is no failure');
  await d.look();
  const [name = '', ...more] = await d.files();
  t.deepEqual(more, []);
  const file = join(d.folder, name);
  const asked = { folder: d.folder, newest: newestMigration() };
  await t.throwsAsync(openBackup(file, { passphrase: null, ...asked }));
  (await openBackup(file, { passphrase: 'correct horse battery', ...asked })).close();
  await writeFile(join(d.folder, 'oversight-begun.backup'), 'left');
  for (let day = 0; day < 2; day += 1) {
    d.pass(DAY);
    await d.look();
  }
  const backups = (await d.files()).filter(file => file.startsWith('oversight-'));
  t.is(backups.length, 2, 'what was left goes with the backup of its time');
  t.false(backups.includes('oversight-begun.backup'));
});

test('a database that was restored from a backup takes its own, and leaves that one as it is', async t => {
  const d = await deployment(t);
  await d.look();
  const [first = ''] = await d.files();
  const before = await readFile(join(d.folder, first));
  // A backup is made while its row says so: so the row is in it.
  await d.db.query(sql.unsafe`update scheduled_backups set state = 'running', finished_at = null`);
  await d.as.post('/v1/events', event());
  d.pass(HOUR);
  await d.look();
  t.is((await d.files()).length, 2);
  t.deepEqual(await readFile(join(d.folder, first)), before);
});

test('a process that was stopped while another took its backup leaves nothing of its own', async t => {
  const d = await deployment(t);
  const continued = Promise.withResolvers<void>();
  const stopped = createScheduledBackups({ ...d.services, now: d.now }, async () => {
    await continued.promise;
    return { owner_url: d.database.owner_url, embedded: undefined };
  }).look(new AbortController().signal);
  await until(async () => (await d.list()).length === 1);
  d.pass(LEASE);
  await d.look();
  const [taken] = await d.list();
  continued.resolve();
  await stopped;
  t.deepEqual(await d.list(), [taken]);
  t.deepEqual(await d.files(), [taken?.name]);
});

test('the age of the last good backup grows while one hangs, and while old ones cannot be removed', async t => {
  const d = await deployment(t, { BACKUP_KEEP: '1' });
  await d.look();
  const [first = ''] = await d.files();
  await rm(join(d.folder, first));
  await mkdir(join(d.folder, first));
  d.pass(DAY);
  await t.throwsAsync(d.look());
  t.is(await d.age(), 0);
  d.pass(HOUR);
  await t.throwsAsync(d.look());
  t.is(await d.age(), 3_600);
  d.pass(DAY);
  const gone = Promise.withResolvers<never>();
  const hangs = createScheduledBackups({ ...d.services, now: d.now }, () => gone.promise).look(
    new AbortController().signal,
  );
  await until(async () => (await d.age()) === 25 * 3_600);
  gone.reject(new Error('away'));
  await t.throwsAsync(hangs);
});

test('backups are not put where they would be backed up', async t => {
  const d = await deployment(t, { STORAGE_URL: `file://${tmpdir()}` });
  await d.look();
  t.regex((await d.list())[0]?.error ?? '', /BACKUP_URL lies in the folder of STORAGE_URL/);
});
