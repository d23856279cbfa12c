import test from 'ava';
import { z } from 'zod';
import { createRateTable } from '#shared/events/input/fx_rates.ts';
import { ingest } from '#shared/events/log/ingest.ts';
import { createAppendLine } from '#shared/events/log/append_line.ts';
import { createRegistry } from '#shared/events/log/registry.ts';
import { checkArchive } from '#shared/packs/archive/check_archive.ts';
import { listArchives } from '#shared/packs/archive/archives.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { archiveEvents } from '#shared/running/retention/archive_events.ts';
import { event } from '#test/helpers/make.ts';
import { ARCHIVED, DAYS, oldLog, SIZE } from '#test/helpers/old_log.ts';

type Old = Awaited<ReturnType<typeof oldLog>>;

/** A log whose events are old enough to go. */
async function dueLog(t: Parameters<typeof oldLog>[0]) {
  const w = await oldLog(t);
  await w.keep(DAYS);
  w.pass(DAYS + 1);
  return w;
}

/** A database whose connection is lost once, in the transaction that notes the first archive: before its commit, or before the answer. */
function losing(db: Old['db'], lost: 'commit' | 'answer'): Old['db'] {
  let isLost = false;
  const transaction = async (work: (tx: Db) => Promise<unknown>) => {
    let isNoted = false;
    const answer = await db.transaction(async tx => {
      const made = await work(tx);
      isNoted = !isLost && (await tx.exists(sql.unsafe`select 1 from log_archives`));
      isLost ||= isNoted;
      if (isNoted && lost === 'commit') throw new Error('lost');
      return made;
    });
    if (isNoted) throw new Error('lost');
    return answer;
  };
  return new Proxy(db, {
    get: (target, name) => (name === 'transaction' ? transaction : Reflect.get(target, name)),
  });
}

test('an archive stays whose commit arrived although its answer did not', async t => {
  const w = await dueLog(t);
  const services = { ...w.services, db: losing(w.db, 'answer') };
  await t.throwsAsync(archiveEvents(services, w.tenant), { message: 'lost' });
  const [archive] = await listArchives(w.db, w.tenant, 1, 9);
  if (!archive) return t.fail();
  t.is(await checkArchive(w.services, w.tenant, archive), ARCHIVED);
  t.is((await w.as.get(`/v1/events/${w.all[0]?.id}`)).status, 200);
  return t.pass();
});

test('a file that became no archive is removed, also where that is only possible later', async t => {
  const w = await dueLog(t);
  await t.throwsAsync(archiveEvents({ ...w.services, db: losing(w.db, 'commit') }, w.tenant), { message: 'lost' });
  t.deepEqual(await w.files(), []);
  await w.keep(DAYS);
  const storage = { ...w.services.storage, remove: () => Promise.reject(new Error('away')) };
  await t.throwsAsync(archiveEvents({ ...w.services, db: losing(w.db, 'commit'), storage }, w.tenant), {
    message: 'lost',
  });
  t.is((await w.files()).length, 1);
  await w.db.transaction(tx => w.unset(tx));
  t.is(await w.archive(), 'idle');
  t.deepEqual(await w.files(), [], 'though events are kept forever by now');
  t.is((await w.shown())?.next_at, null);
});

test('two processes at one log never make two archives of one stretch, nor hold it', async t => {
  const w = await dueLog(t);
  const paused = () => {
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const put = async (name: string, file: string) => {
      reached.resolve();
      await go.promise;
      return w.services.storage.put(name, file);
    };
    const made = archiveEvents({ ...w.services, storage: { ...w.services.storage, put } }, w.tenant);
    return { made, go: go.resolve, reached: reached.promise };
  };
  const first = paused();
  await first.reached;
  await w.keep(DAYS);
  const second = paused();
  await second.reached;
  second.go();
  t.is(await second.made, 'more');
  first.go();
  await t.throwsAsync(first.made, { message: /another process/ });
  const archives = await listArchives(w.db, w.tenant, 1, 9);
  t.deepEqual(
    await w.files(),
    archives.map(({ file }) => file),
  );
  await w.send([event({ at: w.now() - 60_000 })]);
  t.like(await w.verify(), { checked: SIZE + 1, flaw: null });
});

test('the database removes no event on the word of an archive that overlaps another', async t => {
  const w = await dueLog(t);
  await w.archive();
  await w.forge(SIZE, '00'.repeat(32));
  const removed = w.db.oneFirst(sql.type(z.object({ removed: z.int() }))`
    select remove_archived_events(${w.tenant.org_id}, ${w.tenant.environment}) as removed`);
  await t.throwsAsync(removed, { message: /begins at 1, and not after 512/ });
  t.like(await w.left(), { events: SIZE - ARCHIVED });
});

test('what is not as it was stored is not archived, and retention says so', async t => {
  const w = await dueLog(t);
  await w.asOwner('alter table events disable trigger user');
  await w.asOwner('update events set amount_usd_micro = 1, amount_usd_minor = 0 where chain_seq = 8');
  t.is(await w.archive(), 'done');
  t.like(await w.left(), { events: SIZE });
  t.like(await w.shown(), { held: SIZE, removed: 0, state: 'waiting' });
  t.regex((await w.shown())?.problem ?? '', /Event 8 is not as it was stored/);
});

test('events that were deleted do not pass for archived ones', async t => {
  const w = await dueLog(t);
  const { body } = await w.as.get('/v1/log');
  for (const table of ['evidence', 'signed_inputs'])
    await w.asOwner(`delete from ${table} where event_id in (select id from events where chain_seq <= 256)`);
  await w.asOwner('alter table events disable trigger user');
  await w.asOwner('delete from events where chain_seq <= 256');
  await w.forge(256, body.checkpoint.root_hash);
  await w.asOwner('update event_logs set archived_seq = 256');
  const { flaw } = await w.verify();
  t.is(flaw?.seq, 1);
  t.regex(flaw?.reason ?? '', /not one that this deployment signed/);
  t.like((await w.as.post('/v1/log/verify', { from_seq: 100, to_seq: 300 })).body, { ok: false, first_bad_seq: 100 });
});

test('a longer time in which events are taken keeps them for longer in the log', async t => {
  const w = await dueLog(t);
  const services = { ...w.services, config: { ...w.config, event_max_age_days: DAYS + 10 } };
  t.is(await archiveEvents(services, w.tenant), 'done');
  t.like(await w.left(), { events: SIZE });
  w.pass(11);
  t.is(await archiveEvents(services, w.tenant), 'more');
});

test('an archived event that is sent once more is known again', async t => {
  const w = await dueLog(t);
  await w.archive();
  const source_id = await w.db.oneFirst(sql.type(z.object({ id: z.string() }))`select id from sources limit 1`);
  const now = () => w.now();
  const services = {
    db: w.db,
    append: createAppendLine(w.db),
    registry: createRegistry(w.db, now),
    rates: createRateTable(w.db, now),
    now,
    max_age_days: 2 * DAYS,
  };
  const [first, second] = w.all;
  const again = [first, { ...second, description: 'other' }];
  const { results } = await ingest(services, w.tenant, source_id, again, index => `/events/${index}`);
  t.like(results, [{ status: 'duplicate', chain_seq: 1 }, { status: 'conflict' }]);
  t.like((await w.as.get('/v1/log')).body, { size: SIZE });
});
