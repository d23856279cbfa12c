import { createPublicKey, verify } from 'node:crypto';
import test from 'ava';
import { beginHour } from '#shared/exports/store/schedule_claims.ts';
import { pageAfter } from '#shared/exports/build.ts';
import { records } from '#shared/exports/kinds.ts';
import { writeHour } from '#shared/exports/write_hour.ts';
import { StorageFault, type Storage } from '#shared/platform/storage/storage.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { HOUR, MINUTE, SECOND, timestamp } from '#shared/values/time.ts';
import { alert } from '#test/helpers/alert.ts';
import { active, hours, OVER, path, recordsOf, seqsOf } from '#test/helpers/export_hours.ts';
import { entry, load } from '#test/helpers/lists.ts';
import { event } from '#test/helpers/make.ts';

test('an hour of events is written once it is over, with what belongs to it, and its manifest is signed', async t => {
  const w = await hours(t);
  t.is((await w.as.put(path, active)).status, 200);
  const next = w.first + HOUR;
  await w.receive(w.first + MINUTE, next - 1, next, next + MINUTE);
  await w.analyze();
  w.moveTo(w.first + OVER - 1);
  t.is(await reconcileKind('export_hour', w.services), 0);
  await w.work();
  t.is(await w.hour(w.first), null, 'it may not be over for all');
  w.moveTo(w.first + OVER);
  t.is(await reconcileKind('export_hour', w.services), 1);
  t.is(await jobKinds.export_hour.oldest(w.services), timestamp(w.first + OVER));
  await Promise.all([w.work(), w.work()]);
  t.is(await jobKinds.export_hour.oldest(w.services), null);

  const written = await w.hour(w.first);
  const listed = (await w.as.get('/v1/events?after_seq=0')).body.data;
  t.deepEqual(recordsOf(written), listed.slice(0, 2), 'as the API answers them');
  t.like(written?.manifest, {
    kind: 'events',
    organization: { id: w.tenant.org_id },
    from: timestamp(w.first),
    to: timestamp(next),
    log: { after_seq: 0, last_seq: 2 },
    row_count: 2,
    previous_manifest_sha256: null,
  });
  const [header = '', , signature = ''] = written?.jws.split('.') ?? [];
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const jwk = (await w.as.get('/v1/keys.json')).body.keys.find((key: { kid: string }) => key.kid === kid);
  const signed = Buffer.from(`${header}.${written?.bytes.toString('base64url')}`);
  t.true(verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), Buffer.from(signature, 'base64url')));
  t.like(await w.schedule(), {
    next_hour: timestamp(next),
    written_at: timestamp(w.first + OVER),
    folder: `warehouse/${w.tenant.org_id}/${w.tenant.environment}/events`,
    error: null,
  });

  w.moveTo(next + HOUR + OVER);
  await w.work();
  const [second, empty] = [await w.hour(next), await w.hour(next + HOUR)];
  t.deepEqual(seqsOf(second), [3, 4]);
  t.is(second?.manifest.previous_manifest_sha256, written?.sha256);
  t.like(empty?.manifest, { row_count: 0, files: [], log: { after_seq: 4, last_seq: 4 } });
  t.is(empty?.manifest.previous_manifest_sha256, second?.sha256);
});

test('an event whose commit came late is in the next hour, and in no other', async t => {
  const w = await hours(t);
  await w.as.put(path, { ...active, format: 'csv' });
  await w.receive(w.first + MINUTE);
  w.moveTo(w.first + OVER);
  await w.work();
  await w.receive(w.first + 2 * MINUTE, w.first + HOUR);
  w.moveTo(w.first + HOUR + OVER);
  await w.work();
  const seqs = async (at: number) => (await w.hour(at))?.manifest.log;
  t.deepEqual(await seqs(w.first), { after_seq: 0, last_seq: 1 });
  t.deepEqual(await seqs(w.first + HOUR), { after_seq: 1, last_seq: 3 });
  const lines = (await w.hour(w.first + HOUR))?.lines;
  t.is(lines?.length, 3);
  t.regex(lines?.[0] ?? '', /^id,type,environment,/);
});

test('a worker that was killed once an hour stood leaves it as it is, and the next goes on after it', async t => {
  const w = await hours(t);
  await w.as.put(path, active);
  await w.receive(w.first + MINUTE);
  w.moveTo(w.first + OVER);
  const held = await beginHour(w.db, w.tenant, 'events', w.first + OVER);
  t.truthy(held && (await writeHour(w.services, w.tenant, held, async () => {})));
  const written = await w.hour(w.first);
  await w.analyze();
  await w.work();
  t.is((await w.schedule()).next_hour, timestamp(w.first), 'its claim still holds');
  t.is(await reconcileKind('export_hour', w.services), 0);
  w.moveTo(w.first + OVER + 30 * SECOND);
  t.is(await reconcileKind('export_hour', w.services), 1);
  await w.work();
  t.is((await w.schedule()).next_hour, timestamp(w.first + HOUR));
  t.deepEqual((await w.hour(w.first))?.bytes, written?.bytes);
});

test('what a worker that was killed left of an hour is no part of it when it is written in another format', async t => {
  const w = await hours(t);
  await w.as.put(path, { ...active, format: 'csv' });
  await w.as.post('/v1/events', { events: Array.from({ length: 450 }, () => event({ at: w.first })) });
  await w.owner('update events set received_at = $2 where org_id = $1', [w.tenant.org_id, timestamp(w.first)]);
  w.moveTo(w.first + OVER);
  let puts = 0;
  const { storage } = w.services;
  const failing: Storage = {
    ...storage,
    put: async (name, file) => {
      if ((puts += 1) > 2) throw new Error('killed');
      return storage.put(name, file);
    },
  };
  const held = await beginHour(w.db, w.tenant, 'events', w.first + OVER);
  await t.throwsAsync(
    async () => held && writeHour({ ...w.services, storage: failing }, w.tenant, held, async () => {}, 1),
  );
  await jobKinds.export_hour.letGo?.(w.services, { ...w.tenant, kind: 'events' }, '');
  await w.as.put(path, active);
  await w.work();
  const written = await w.hour(w.first);
  t.deepEqual(
    written?.manifest.files.map(({ path, row_count }: Record<string, unknown>) => [path, row_count]),
    [['part-0.ndjson.gz', 450]],
  );
  t.deepEqual(
    seqsOf(written),
    Array.from({ length: 450 }, (_, index) => index + 1),
  );
  for (const part of [0, 1]) t.is(await w.read(`${written?.folder}/part-${part}.csv.gz`), null);
});

test('many records are several parts', async t => {
  const w = await hours(t);
  await w.as.put(path, active);
  await w.as.post('/v1/events', { events: Array.from({ length: 450 }, () => event({ at: w.first })) });
  await w.owner('update events set received_at = $2 where org_id = $1', [w.tenant.org_id, timestamp(w.first)]);
  const held = await beginHour(w.db, w.tenant, 'events', w.first + OVER);
  t.truthy(held && (await writeHour(w.services, w.tenant, held, async () => {}, 1)));
  const written = await w.hour(w.first);
  t.deepEqual(
    written?.manifest.files.map(({ row_count }: Record<string, unknown>) => row_count),
    [200, 200, 50],
  );
  t.deepEqual(
    seqsOf(written),
    Array.from({ length: 450 }, (_, index) => index + 1),
  );
});

test('while the storage is away the schedule says so, and when it is back no hour is missing', async t => {
  const w = await hours(t);
  await w.as.put(path, active);
  await w.receive(w.first + MINUTE, w.first + HOUR);
  w.moveTo(w.first + HOUR + OVER);
  const away = async () => {
    throw new StorageFault('the storage failed');
  };
  await w.work('events', { ...w.services.storage, put: away, get: away });
  t.like(await w.schedule(), {
    next_hour: timestamp(w.first),
    error: 'The storage did not take it. It is tried again.',
  });
  t.is(await reconcileKind('export_hour', w.services), 0);
  w.moveTo(w.first + HOUR + OVER + 5 * SECOND);
  t.is(await reconcileKind('export_hour', w.services), 1);
  await w.work();
  t.like(await w.schedule(), { next_hour: timestamp(w.first + 2 * HOUR), error: null });
  t.deepEqual([seqsOf(await w.hour(w.first)), seqsOf(await w.hour(w.first + HOUR))], [[1], [2]]);
});

test('an hour of alerts, cases, screenings or the audit log has what came or changed in it', async t => {
  const w = await hours(t);
  await load(w.db, [entry('1', 'Nobody Known')]);
  const admin = await w.person('admin');
  const kinds = ['alerts', 'cases', 'screenings', 'audit'];
  for (const kind of kinds) t.is((await admin.put(`/v1/export-schedules/${kind}`, active)).status, 200);
  for (const name of ['One', 'Two', 'Three']) {
    await alert(w.db, w.tenant);
    await w.as.post('/v1/cases', { title: name });
    t.is((await w.as.post('/v1/screen', { payee: { name } })).status, 200);
  }
  const at = timestamp(w.first + 30 * MINUTE);
  const changes = [
    ['alert_changes', 'updated_at', 'alert_id'],
    ['cases', 'updated_at', 'id'],
    ['screenings', 'updated_at', 'id'],
    ['audit_log', 'at', 'id'],
  ];
  await w.owner('alter table cases disable trigger user');
  for (const [table, time, id] of changes) {
    await w.owner(`update ${table} set ${time} = $2 where org_id = $1`, [w.tenant.org_id, at]);
    // The first of them changes once more, in the hour after.
    await w.owner(
      `update ${table} set ${time} = $2 where org_id = $1 and ${id} = (select min(${id}) from ${table} where org_id = $1)`,
      [w.tenant.org_id, timestamp(w.first + HOUR)],
    );
  }
  w.moveTo(w.first + HOUR + OVER);
  for (const [index, kind] of kinds.entries()) {
    await w.work(kind);
    const [first, second] = [await w.hour(w.first, kind), await w.hour(w.first + HOUR, kind)];
    const path = ['/v1/alerts', '/v1/cases', '/v1/screenings', '/v1/audit-log'][index] ?? '';
    const listed = (await admin.get(path)).body.data.toReversed();
    t.true(listed.length >= 3, kind);
    t.deepEqual(recordsOf(second), listed.slice(0, 1), kind);
    t.deepEqual(recordsOf(first), listed.slice(1), kind);
    t.is(first?.manifest.log, null);
  }
});

test('what an hour was found to have is listed whole, whatever is being committed meanwhile', async t => {
  const w = await hours(t);
  for (const title of ['One', 'Two']) await w.as.post('/v1/cases', { title });
  const [from, to] = [timestamp(w.first), timestamp(Date.now() + HOUR)];
  const hour = { from, to, after_seq: 0, last_seq: 0 };
  const list = async () => (await records.cases.changed(w.db, w.tenant, hour, pageAfter(null))).data.length;
  // The clock of changes stands still at the beginning of a transaction that writes to the table.
  await w.owner('begin');
  await w.owner("update cases set title = 'Three' where org_id = 'none'");
  await w.as.post('/v1/cases', { title: 'Three' });
  t.is(await list(), 3);
  await w.owner('rollback');
});

test('a worker that another has taken the place of puts nothing more', async t => {
  const w = await hours(t);
  await w.as.put(path, active);
  await w.receive(w.first + MINUTE);
  w.moveTo(w.first + OVER);
  const { storage } = w.services;
  const overtaken: Storage = {
    ...storage,
    put: async (name, file) => {
      await storage.put(name, file);
      await jobKinds.export_hour.letGo?.(w.services, { ...w.tenant, kind: 'events' }, '');
      await beginHour(w.db, w.tenant, 'events', w.services.now());
    },
  };
  await w.work('events', overtaken);
  t.is(await w.hour(w.first), null);
  t.like(await w.schedule(), { next_hour: timestamp(w.first), error: null });
});

test('an hour that stands and does not go on from the one before is not written over, and the schedule says so', async t => {
  const w = await hours(t);
  await w.as.put(path, active);
  await w.receive(w.first + MINUTE, w.first + 2 * MINUTE);
  w.moveTo(w.first + OVER);
  await w.work();
  const written = await w.hour(w.first);
  // As in a database of before that hour, which lacks its second event.
  await w.owner(
    `update export_schedules set hour_at = from_at, after_seq = null, manifest_sha256 = null, next_at = hour_at where org_id = $1`,
    [w.tenant.org_id],
  );
  await w.owner('update events set received_at = $2 where org_id = $1 and chain_seq = 2', [
    w.tenant.org_id,
    timestamp(w.first + HOUR),
  ]);
  await w.work();
  t.regex((await w.schedule()).error, /another export of this hour/);
  t.deepEqual((await w.hour(w.first))?.bytes, written?.bytes);
});

test('an hour waits for changes of it that are being committed', async t => {
  const w = await hours(t);
  await w.as.put('/v1/export-schedules/cases', active);
  const hour = Math.floor(Date.now() / HOUR) * HOUR;
  await w.owner('update export_schedules set hour_at = $2 where org_id = $1', [w.tenant.org_id, timestamp(hour)]);
  w.moveTo(hour + 3 * HOUR);
  await w.work('cases');
  t.like(
    await w.schedule(),
    { next_hour: timestamp(hour), error: null, written_at: null },
    'the database is still in it',
  );
  t.is(await reconcileKind('export_hour', w.services), 0);
  w.moveTo(hour + 3 * HOUR + MINUTE);
  t.is(await reconcileKind('export_hour', w.services), 1);
});
