import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { verifyRange } from '#shared/ledger/verify/verify_range.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { checkArchive } from '#shared/packs/archive/check_archive.ts';
import { listArchives } from '#shared/packs/archive/archives.ts';
import { archiveEvents } from '#shared/running/retention/archive_events.ts';
import { previewRetention } from '#shared/running/retention/preview.ts';
import { sql } from '#shared/platform/db.ts';
import { alert } from '#test/helpers/alert.ts';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { eraseSubject } from '#test/helpers/erasing.ts';
import { fullEvent } from '#test/helpers/inhabit.ts';
import { event } from '#test/helpers/make.ts';
import { built } from '#test/helpers/packs.ts';
import { ARCHIVED, DAYS, oldLog, SIZE } from '#test/helpers/old_log.ts';

test('old events leave the database for an archive, and are read, proven, packed and verified as before', async t => {
  const w = await oldLog(t);
  const { as, services, tenant } = w;
  await w.asOwner(`
    insert into analyzed_ranges (org_id, environment, to_seq, from_seq, analyzed_at)
    select distinct org_id, environment, s, s - 255, now() - s * interval '1 minute' from analyzed_ranges cross join unnest(array[256, ${ARCHIVED}]) s
    on conflict (org_id, environment, to_seq) do update set analyzed_at = excluded.analyzed_at;
    insert into chain_lookups (org_id, environment, chain_seq, network, hash, state, created_at, next_at)
    select org_id, environment, chain_seq, 'eip155:8453', '0x1', 'waiting', now(), now() from events where chain_seq in (7, ${ARCHIVED + 1})`);
  const [full, plain] = [w.all[105]?.id ?? '', w.all[300]?.id ?? ''];
  const read = async (id: string) => [
    (await as.get(`/v1/events/${id}`)).body,
    (await as.get(`/v1/log/proof?event_id=${id}`)).body,
  ];
  const [seen, other] = await Promise.all([full, plain].map(async id => (await as.get(`/v1/events/${id}`)).body));
  const alert_id = await alert(w.db, tenant, {
    agent_id: seen.agent_id,
    events: [seen, other],
    subject: 'x',
    state: 'resolved',
  });
  const evidence = async () => (await as.get(`/v1/alerts/${alert_id}/evidence`)).body;
  const before = [await read(full), await read(plain), await evidence()];
  t.is(before[2].payments, 2);
  const scope = { event_ids: [full, plain, w.all[599]?.id ?? ''] };
  const packed = await built(t, w, scope);
  await w.keep(DAYS);
  w.pass(DAYS + 1);
  t.like(await previewRetention(w.db, tenant, { kind: 'events', days: DAYS }, w.config, w.now()), {
    would_remove: ARCHIVED,
    held: SIZE - ARCHIVED,
  });
  await w.run();
  t.deepEqual(await w.left(), { events: SIZE - ARCHIVED, first: ARCHIVED + 1, evidence: 0 });
  t.false(await w.db.exists(sql.unsafe`select 1 from analyzed_ranges where to_seq <= ${ARCHIVED}`));
  const looked_up = await w.db.anyFirst(
    sql.type(z.object({ seq: z.int() }))`select chain_seq as seq from chain_lookups`,
  );
  t.deepEqual(looked_up, [ARCHIVED + 1]);
  t.like(await w.shown(), { removed: ARCHIVED, removed_total: ARCHIVED, held: SIZE - ARCHIVED, state: 'waiting' });

  t.deepEqual([await read(full), await read(plain), await evidence()], before);
  t.deepEqual(await w.left(), { events: SIZE - ARCHIVED, first: ARCHIVED + 1, evidence: 0 }, 'nothing stays behind');
  const again = await built(t, w, scope);
  for (const file of [
    'events.jsonl',
    'evidence.jsonl',
    'verifications.json',
    'evaluations.json',
    'alerts.json',
    'log/proofs.jsonl',
  ])
    t.deepEqual(again.read(file), packed.read(file), file);
  const ofPayment = await built(t, w, { payment_id: 'full-105' });
  t.is(ofPayment.read('events.jsonl').length, 1);
  t.deepEqual(
    ofPayment.read('alerts.json').find(({ id }: { id: string }) => id === alert_id).evidence,
    before[2],
    'with events that the pack does not hold',
  );
  t.like(await w.verify(), { size: SIZE, checked: SIZE, archived: ARCHIVED, flaw: null });
  t.like(await verifyRange(services, tenant, { from_seq: 400, to_seq: 560 }), {
    checked: 161,
    archived: 113,
    flaw: null,
  });
  const { body } = await as.get('/v1/events?limit=200');
  t.is(body.data.length, SIZE - ARCHIVED);
  t.like((await as.get('/v1/log')).body, { size: SIZE, archived_seq: ARCHIVED });
  t.is((await as.get(`/v1/log/consistency?from=100&to=${SIZE}`)).status, 200);

  await w.send([event({ at: w.now() - 60_000 }), fullEvent({ at: w.now() - 60_000 })]);
  await w.analyze();
  await publishCheckpoint(services, tenant);
  t.like(await w.verify(), { size: SIZE + 2, checked: SIZE + 2, flaw: null });
  const { body: found } = await as.get(`/v1/events?received_from=${encodeURIComponent(body.data[3].received_at)}`);
  t.true(found.data.length > 2);
});

test('an archive is checked to the last byte, and a log whose archive is gone or changed is not verified', async t => {
  const w = await oldLog(t);
  await w.keep(DAYS);
  w.pass(DAYS + 1);
  await w.run();
  const [archive] = await listArchives(w.db, w.tenant, 1, 10);
  t.like(archive, { from_seq: 1, to_seq: ARCHIVED });
  if (!archive) return;
  t.is(await checkArchive(w.services, w.tenant, archive), ARCHIVED);
  const admin = adminOf(t, { ...settingsOf(w), DATA_DIR: w.config.data_dir });
  const verify = ['log', 'verify', '--org', 'Acme'];
  t.deepEqual(await admin.json(...verify, '--archives'), {
    ok: true,
    size: SIZE,
    archived: ARCHIVED,
    erased: 0,
    first_bad_seq: null,
    archives: 1,
  });
  const path = join(w.config.data_dir, 'files', archive.file);
  const bytes = await readFile(path);
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
  await writeFile(path, bytes);
  const { code, stdout } = await admin.type(...verify, '--archives', '--json');
  t.is(code, 1);
  t.like(JSON.parse(stdout), { ok: false, first_bad_seq: 1 });
  const answer = await w.as.get(`/v1/events/${w.all[0]?.id}`);
  t.like([answer.status, answer.body.error.code], [503, 'unavailable']);
  await w.asOwner('delete from log_archives');
  t.like((await w.verify()).flaw, { seq: 1 });
});

test('what is open, held or not signed yet stays, and everything after it', async t => {
  const w = await oldLog(t);
  const { body: made } = await w.as.post('/v1/cases', { title: 'x', event_ids: [w.all[300]?.id] });
  await w.keep(DAYS);
  w.pass(DAYS + 1);
  await w.run();
  t.like(await w.left(), { first: 257 });
  t.like(await w.shown(), { removed: 256, held: SIZE - 256 });
  await w.as.post(`/v1/cases/${made.id}/status`, { status: 'closed' });
  w.pass(2);
  await w.run();
  t.like(await w.left(), { first: ARCHIVED + 1 });
  t.like(await w.verify(), { checked: SIZE, flaw: null });
  const { body: later } = await w.as.post('/v1/cases', { title: 'y', event_ids: [w.all[300]?.id] });
  t.like(later, { status: 'open' }, 'an archived event can be linked');
});

test('no event leaves the log without an archive of it, or before its time', async t => {
  const w = await oldLog(t, { may_go: false });
  const { db, tenant } = w;
  const remove = () =>
    db.oneFirst(sql.type(z.object({ removed: z.int() }))`
      select remove_archived_events(${tenant.org_id}, ${tenant.environment}) as removed`);
  t.is(await remove(), 0, 'there is no archive');
  await w.keep(DAYS);
  w.pass(DAYS + 1);
  const longer = { ...w.services, config: { ...w.config, event_max_age_days: DAYS } };
  t.is(await archiveEvents(longer, tenant), 'done', 'such events would be taken once more');
  t.deepEqual(await listArchives(db, tenant, 1, 10), []);
  w.pass(2);
  await t.throwsAsync(archiveEvents(w.services, tenant), { message: /not to leave the log yet/ });
  t.like(await w.left(), { events: SIZE, first: 1 });
  t.deepEqual(await listArchives(db, tenant, 1, 10), [], 'what could not be taken over is not kept');
  t.deepEqual(await w.files(), []);

  const { root_hash } = (await w.as.get('/v1/log')).body.checkpoint;
  await w.forge(256, root_hash);
  await t.throwsAsync(remove, { message: /holds other events/ });
  for (const table of ['events', 'archived_events', 'log_archives'])
    await t.throwsAsync(db.query(sql.unsafe`delete from ${sql.identifier([table])}`), { message: /permission denied/ });
});

test('what was erased before is archived as it is left, and what is archived cannot be erased', async t => {
  const w = await oldLog(t);
  const { services, tenant } = w;
  const early = (await w.as.get(`/v1/events/${w.all[105]?.id}`)).body;
  t.like(await eraseSubject(services, tenant, { kind: 'payment', id: 'full-105' }), { state: 'done', events: 1 });
  await w.keep(DAYS);
  w.pass(DAYS + 1);
  await w.run();
  t.like(await w.left(), { first: ARCHIVED + 1 });
  t.like(await w.verify(), { checked: SIZE, erased: 1, flaw: null });
  const [archive] = await listArchives(w.db, tenant, 1, 1);
  if (!archive) return t.fail();
  t.is(await checkArchive(services, tenant, archive), ARCHIVED);
  const { body } = await w.as.get(`/v1/events/${early.id}`);
  t.deepEqual(
    body.evidence.map(({ value }: { value: unknown }) => value),
    [null, null],
  );
  await t.throwsAsync(eraseSubject(services, tenant, { kind: 'payee', id: early.payee_id }), {
    message: /in archives/,
  });
  await w.asOwner(`update erased_events set statement = 'x'`);
  t.like((await w.verify()).flaw, { seq: 106 });
  await t.throwsAsync(checkArchive(services, tenant, archive), { message: /Event 106 / });
  return t.pass();
});
