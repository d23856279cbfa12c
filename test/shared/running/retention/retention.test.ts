import test, { type ExecutionContext } from 'ava';
import { ulid } from 'ulid';
import { z } from 'zod';
import { verifyLog } from '#shared/ledger/verify/verify_log.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { placeHold, releaseHold } from '#shared/running/retention/held.ts';
import { setRetention, showRetention } from '#shared/running/retention/policies.ts';
import type { RetainedKind } from '#shared/running/retention/kinds.ts';
import { previewRetention } from '#shared/running/retention/preview.ts';
import { BATCH, removeBatch, removeExpired } from '#shared/running/retention/run.ts';
import { insertScreenings } from '#shared/screening/store/screening_writes.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { nobody } from '#test/helpers/nobody.ts';
import { alert } from '#test/helpers/alert.ts';
import { fullEvent } from '#test/helpers/inhabit.ts';
import { oldAudit } from '#test/helpers/old_audit.ts';
import { shadowFinding } from '#test/helpers/shadow_finding.ts';
import { world } from '#test/helpers/world.ts';

/** A world whose clock can be moved on, with what keeps to it. */
async function keeping(t: ExecutionContext) {
  let time = Date.now();
  const here = await world(t, { now: () => time });
  const { services, db, tenant, config } = here;
  return {
    ...here,
    pass: (days: number) => void (time += days * DAY),
    now: () => time,
    keep: (kind: RetainedKind, days: number) =>
      db.transaction(tx => setRetention(tx, tenant, { kind, days }, config, time)),
    shown: async (kind: RetainedKind) => (await showRetention(db, tenant, config)).find(each => each.kind === kind),
    run: () => removeExpired(services, new AbortController().signal),
  };
}

type Keeping = Awaited<ReturnType<typeof keeping>>;

const Ids = z.object({ id: z.string() });
const idsOf = async ({ db, tenant }: Keeping, table: 'screenings' | 'webhook_deliveries') =>
  (
    await db.any(sql.type(Ids)`select id from ${sql.identifier([table])} where org_id = ${tenant.org_id} order by id`)
  ).map(({ id }) => id);

const screened = ({ db, tenant }: Keeping, ids: string[], now: number) =>
  insertScreenings(
    db,
    tenant,
    ids.map(id => ({ id, payee_id: null, subject: nobody, state: 'clear', score: 0, allowed_by: null, error: null })),
    { lists: [], threshold: 0.85, created_by: null, now },
  );

const told = ({ db, tenant: { org_id, environment }, now }: Keeping, rows: (string | undefined)[][]) =>
  db.query(sql.unsafe`
    insert into webhook_deliveries (org_id, environment, id, endpoint_id, type, body, state, created_at, not_before, next_at, finished_at)
    select ${org_id}, ${environment}, id, 'whe_1', 'alert.created',
      json_build_object('type', 'alert.created', 'data', json_build_object('alert_id', alert_id)), state, at, at, at,
      case when state <> 'pending' then at end
    from ${sql.unnest(
      rows.map(row => row.map(cell => cell ?? '')),
      ['text', 'text', 'text'],
    )} as d (id, alert_id, state), (select ${timestamp(now() - 3 * DAY)}::timestamptz as at) t`);

test('values of evidence go after their time, what a case holds stays, and the log still verifies', async t => {
  const w = await keeping(t);
  const events = Array.from({ length: 4 }, (_, index) => fullEvent({ agent: `agent-${index}` }));
  await w.as.post('/v1/events', { events });
  await w.analyze();
  await publishCheckpoint(w.services, w.tenant);
  const [linked, alerted, free] = await Promise.all(
    events.map(async ({ id }) => (await w.as.get(`/v1/events/${id}`)).body),
  );
  const alert_id = await alert(w.db, w.tenant, { agent_id: alerted.agent_id, events: [alerted], subject: alerted.id });
  const { body: made } = await w.as.post('/v1/cases', { title: 'x', event_ids: [linked.id], alert_ids: [alert_id] });
  await w.keep('evidence', 10);
  await w.run();
  t.like(await w.shown('evidence'), { removed: 0, held: 0, state: 'waiting' });

  w.pass(11);
  t.like(await previewRetention(w.db, w.tenant, { kind: 'evidence', days: 10 }, w.config, w.now()), {
    would_remove: 2,
    held: 2,
    complete: true,
  });
  const poll = await w.as.get(`/v1/events/${free.id}`);
  await w.run();
  const values = async (id: string) =>
    (await w.as.get(`/v1/events/${id}`)).body.evidence.map(({ value }: { value: unknown }) => value);
  t.deepEqual(await values(free.id), [null, null]);
  t.deepEqual(await values(events[3]?.id ?? ''), [null, null]);
  const again = await w.as.get(`/v1/events/${free.id}`, { 'if-none-match': poll.headers.get('etag') ?? '' });
  t.is(again.status, 200, 'who polls is told');
  t.is(again.body.evidence[0].sha256, free.evidence[0].sha256);
  t.deepEqual(await values(linked.id), ['text', { body: '{}', headers: {} }]);
  t.deepEqual(await values(alerted.id), ['text', { body: '{}', headers: {} }]);
  t.like(await w.shown('evidence'), { removed: 4, held: 2, removed_total: 4 });
  const Signed = z.object({ event_id: z.string() });
  const signed = await w.db.any(sql.type(Signed)`
    select event_id from signed_inputs where org_id = ${w.tenant.org_id} order by event_id`);
  t.deepEqual(
    signed.map(({ event_id }) => event_id),
    [linked.id, alerted.id].toSorted(),
  );
  t.like(await verifyLog(w.services, w.tenant), { size: 4, checked: 4, flaw: null });

  await w.db.transaction(tx => placeHold(tx, w.tenant, { case_id: made.id, reason: 'a lawsuit' }, w.now()));
  await w.as.post(`/v1/cases/${made.id}/status`, { status: 'closed' });
  w.pass(2);
  await w.run();
  t.like(await w.shown('evidence'), { removed: 0, held: 2 });
  await w.db.transaction(tx => releaseHold(tx, w.tenant, made.id));
  w.pass(2);
  await w.run();
  t.deepEqual(
    [await values(linked.id), await values(alerted.id)],
    [
      [null, null],
      [null, null],
    ],
  );
  t.like(await verifyLog(w.services, w.tenant), { size: 4, checked: 4, flaw: null });
});

test('evidence of what is not analyzed stays', async t => {
  const w = await keeping(t);
  const sent = fullEvent();
  await w.as.post('/v1/events', sent);
  await w.keep('evidence', 1);
  w.pass(5);
  await w.run();
  t.is((await w.as.get(`/v1/events/${sent.id}`)).body.evidence[0].value, 'text');
  await w.analyze();
  w.pass(1);
  await w.run();
  t.is((await w.as.get(`/v1/events/${sent.id}`)).body.evidence[0].value, null);
});

test('findings, deliveries, screenings and audit entries of an open case stay with it', async t => {
  const w = await keeping(t);
  const { db, tenant } = w;
  const sent = fullEvent();
  await w.as.post('/v1/events', sent);
  await w.analyze();
  const event = (await w.as.get(`/v1/events/${sent.id}`)).body;
  const { body: made } = await w.as.post('/v1/cases', { title: 'x', event_ids: [event.id] });
  await shadowFinding(db, tenant, { event, at: w.now() });
  await shadowFinding(db, tenant, { event: { ...event, id: newId('evt') }, subject: 'other', at: w.now() });
  // What makes ids in this process does not go back to before what other tests made.
  await db.query(sql.unsafe`
    update shadow_findings set id = 'shf_' || ${ulid(w.now())} || subject where org_id = ${tenant.org_id}`);
  await oldAudit(db, tenant, [made.id, newId('cas')], w.now() - 3 * DAY);
  const alert_id = await alert(db, tenant, { agent_id: event.agent_id, subject: 'x' });
  const at = w.now() - 3 * DAY;
  const screenings = Array.from({ length: 3 }, () => `scr_${ulid(at)}`);
  await screened(w, screenings, at);
  await db.query(sql.unsafe`
    update payee_screenings set screening_id = ${screenings[1] ?? ''} where org_id = ${tenant.org_id} and payee_id = ${event.payee_id}`);
  await db.query(sql.unsafe`update screenings set payee_id = ${event.payee_id} where org_id = ${tenant.org_id}`);
  const linked = await w.as.post(`/v1/cases/${made.id}/links`, {
    alert_ids: [alert_id],
    screening_ids: [screenings[0]],
  });
  t.is(linked.status, 200);
  const deliveries = Array.from({ length: 3 }, () => `whd_${ulid(at)}`);
  await told(w, [
    [deliveries[0], alert_id, 'delivered'],
    [deliveries[1], newId('alr'), 'pending'],
    [deliveries[2], newId('alr'), 'failed'],
  ]);
  await w.keep('findings', 1);
  for (const kind of ['audit', 'screenings', 'deliveries'] as const) await w.keep(kind, 2);
  const findings = async () =>
    (await w.db.any(sql.unsafe`select id from shadow_findings where org_id = ${tenant.org_id}`)).length;
  t.is(await findings(), 2);
  w.pass(2);
  await w.run();
  t.is(await findings(), 1);
  t.like(await w.shown('findings'), { removed: 1, held: 1 });
  t.like(await w.shown('audit'), { removed: 1 });
  t.like(await w.shown('screenings'), { removed: 1, held: 2 });
  t.deepEqual(await idsOf(w, 'screenings'), screenings.slice(0, 2).toSorted(), 'linked, or the latest of a payee');
  t.like(await w.shown('deliveries'), { removed: 1, held: 2 });
  t.deepEqual(
    await idsOf(w, 'webhook_deliveries'),
    deliveries.slice(0, 2).toSorted(),
    'of an alert of the case, or not final',
  );
  const Entry = z.object({ target_id: z.string() });
  t.deepEqual(
    await db.any(sql.type(Entry)`
      select target_id from audit_log where org_id = ${tenant.org_id} and action = 'case.noted'`),
    [{ target_id: made.id }],
  );
});

test('a run that was interrupted goes on where it was, and two processes do not get in the way of each other', async t => {
  const w = await keeping(t);
  await oldAudit(
    w.db,
    w.tenant,
    Array.from({ length: 2 * BATCH + 10 }, () => null),
    w.now() - 9 * DAY,
  );
  await w.keep('audit', 5);
  t.is(await removeBatch(w.services, w.tenant, 'audit'), 'more');
  const half = await w.shown('audit');
  t.like(half, { state: 'running', removed: BATCH, finished_at: null });
  t.truthy(half?.reached_at);
  await Promise.all([w.run(), w.run(), removeBatch(w.services, w.tenant, 'audit')]);
  await w.run();
  t.like(await w.shown('audit'), { state: 'waiting', removed: 2 * BATCH + 10, removed_total: 2 * BATCH + 10 });
  t.is(await removeBatch(w.services, w.tenant, 'audit'), 'idle', 'the next run is due tomorrow');
});

test('in production nobody removes early what the law wants kept', async t => {
  const { db, tenant, config } = await world(t, {
    settings: { ENVIRONMENT: 'production', BASE_URL: 'https://pay.example.com' },
  });
  t.is(config.environment, 'production');
  const now = Date.now();
  await t.throwsAsync(
    db.transaction(tx => setRetention(tx, tenant, { kind: 'audit', days: 1825 }, config, now)),
    { message: /1826 days or more/ },
  );
  await db.transaction(tx => setRetention(tx, tenant, { kind: 'audit', days: 1826 }, config, now));
  await oldAudit(db, tenant, ['young'], now - 1825 * DAY);
  await oldAudit(db, tenant, ['old'], now - 1827 * DAY);
  const Id = z.object({ id: z.string() });
  const entries = await db.any(
    sql.type(Id)`select id from audit_log where org_id = ${tenant.org_id} and action = 'case.noted'`,
  );
  const Removed = z.object({ removed: z.int() });
  const removed = await db.oneFirst(sql.type(Removed)`
    select remove_audit_entries(${tenant.org_id}, 'production', ${sql.array(
      entries.map(({ id }) => id),
      'text',
    )}) as removed`);
  t.is(removed, 1);
  const Left = z.object({ target_id: z.string() });
  t.deepEqual(
    await db.any(
      sql.type(Left)`select target_id from audit_log where org_id = ${tenant.org_id} and action = 'case.noted'`,
    ),
    [{ target_id: 'young' }],
  );
});
