import test from 'ava';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { HOUR, MINUTE, timestamp } from '#shared/values/time.ts';
import { active, hours, OVER, path, recordsOf, seqsOf } from '#test/helpers/export_hours.ts';
import { event } from '#test/helpers/make.ts';

test('a paused schedule writes nothing, and goes on where it was; a job writes a day at most', async t => {
  const w = await hours(t);
  await w.as.put(path, active);
  await w.receive(w.first + MINUTE);
  await w.as.put(path, { ...active, state: 'paused' });
  w.moveTo(w.first + 29 * HOUR + OVER);
  t.is(await reconcileKind('export_hour', w.services), 0);
  await w.work();
  t.is(await w.hour(w.first), null);
  await w.as.put(path, { ...active, from: timestamp(w.first + MINUTE) });
  t.is(await reconcileKind('export_hour', w.services), 1);
  await w.work();
  t.is((await w.schedule()).next_hour, timestamp(w.first + 24 * HOUR));
  t.deepEqual(seqsOf(await w.hour(w.first)), [1]);
  t.is(await reconcileKind('export_hour', w.services), 1);
  await w.work();
  t.is((await w.schedule()).next_hour, timestamp(w.first + 30 * HOUR));
});

test('a schedule begins where it is told to, though not before the organization, and cannot begin again elsewhere', async t => {
  const w = await hours(t);
  w.moveTo(w.first + 9 * HOUR);
  const { body } = await w.as.put(path, { ...active, from: timestamp(w.first + 3 * HOUR + MINUTE) });
  t.like(body, { from: timestamp(w.first + 3 * HOUR), next_hour: timestamp(w.first + 3 * HOUR), written_at: null });
  for (const from of [timestamp(w.first), '9999-12-31T23:59:59Z'])
    t.is((await w.as.put(path, { ...active, from })).body.error.details[0].path, '/from');
  const early = await w.as.put('/v1/export-schedules/cases', { ...active, from: '2020-01-01T00:00:00Z' });
  t.is(early.body.from, timestamp(w.first));
  await w.receive(w.first + HOUR, w.first + 3 * HOUR);
  await w.work();
  t.deepEqual(seqsOf(await w.hour(w.first + 3 * HOUR)), [2]);
  t.is(await w.hour(w.first + HOUR), null);
});

test('who may not export records of a kind sets no schedule for it, sees none, and no organization sees that of another', async t => {
  const w = await hours(t);
  const [alerts, admin, developer] = [
    await w.withScopes('alerts:read'),
    await w.person('admin'),
    await w.person('developer'),
  ];
  const audit = '/v1/export-schedules/audit';
  for (const [who, where] of [
    [alerts, path],
    [w.as, audit],
    [developer, audit],
  ] as const)
    t.is((await who.put(where, active)).body.error.code, 'forbidden');
  t.is((await admin.put('/v1/export-schedules/payees', active)).status, 404);
  t.is((await admin.put(audit, active)).status, 200);
  t.is((await developer.put(path, active)).status, 200);
  const other = await w.organization('Rival');
  const them = w.client((await w.key(other.id)).key);
  for (const [who, seen] of [
    [alerts, []],
    [developer, ['events']],
    [w.as, ['events']],
    [admin, ['audit', 'events']],
    [them, []],
  ] as const)
    t.deepEqual(
      (await who.get('/v1/export-schedules')).body.data.map(({ kind }: { kind: string }) => kind),
      seen,
    );
  const { headers } = await w.as.get('/v1/export-schedules');
  t.is((await w.as.get('/v1/export-schedules', { 'if-none-match': headers.get('etag') ?? '' })).status, 304);
  const [entry] = (await admin.get('/v1/audit-log?action=export_schedule.changed&target_id=events')).body.data;
  t.like(entry, { actor_id: developer.user.id, before: null, after: { format: 'ndjson', state: 'active' } });

  await them.post('/v1/events', event({ at: w.first }));
  await w.owner('update events set received_at = $2 where org_id = $1', [other.id, timestamp(w.first)]);
  await w.receive(w.first);
  w.moveTo(w.first + OVER);
  await w.work();
  const [own] = (await w.as.get('/v1/events')).body.data;
  t.deepEqual(recordsOf(await w.hour(w.first)), [own]);
});
