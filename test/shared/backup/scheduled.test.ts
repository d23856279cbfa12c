import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { openBackup } from '#shared/backup/read.ts';
import { claimBackup, LEASE, listScheduled } from '#shared/backup/scheduled_backups.ts';
import { createScheduledBackups } from '#shared/backup/take_scheduled.ts';
import { sql } from '#shared/platform/db.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { newestMigration } from '#sql/migrate.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const MIDNIGHT = Date.UTC(2026, 10, 24);

/** A deployment whose schedule process looks when it is told to, at the time that it is told. */
async function deployment(t: ExecutionContext, settings: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-backups-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const w = await world(t, { settings: { BACKUP_URL: folder, BACKUP_KEEP: '2', ...settings } });
  let at = MIDNIGHT + 3 * HOUR;
  const services = { ...w.services, now: () => at };
  const backups = createScheduledBackups(services, async () => ({
    owner_url: w.database.owner_url,
    embedded: undefined,
  }));
  const value = async (metric: { get(): Promise<{ values: { value: number }[] }> }) =>
    (await metric.get()).values[0]?.value;
  return {
    ...w,
    folder,
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
    newest: newestMigration() ?? '',
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
  t.is(await d.age(), 9 * 60);
  d.pass(MINUTE);
  await d.look();
  t.like((await d.list())[0], { state: 'done', error: null });
  t.is((await d.files()).length, 1);
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
  t.deepEqual(await d.files(), ['oversight-begun.backup']);
  const file = join(d.folder, 'oversight-begun.backup');
  const asked = { folder: d.folder, newest: newestMigration() ?? '' };
  await t.throwsAsync(openBackup(file, { passphrase: null, ...asked }));
  (await openBackup(file, { passphrase: 'correct horse battery', ...asked })).close();
});

test('backups are not put where they would be backed up', async t => {
  const d = await deployment(t, { STORAGE_URL: `file://${tmpdir()}` });
  await d.look();
  t.regex((await d.list())[0]?.error ?? '', /BACKUP_URL lies in the folder of STORAGE_URL/);
});
