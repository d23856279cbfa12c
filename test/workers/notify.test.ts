import test from 'ava';
import { z } from 'zod';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { jobKinds } from '#shared/running/work/kinds/index.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { createHandler } from '#workers/handlers/notify.ts';
import { alert } from '#test/helpers/alert.ts';
import { mailFolder, mailServer } from '#test/helpers/mail.ts';
import { world } from '#test/helpers/world.ts';
import { digestWords, readDigest } from '#shared/people/digest.ts';
import { writeDigests } from '#shared/people/notification_settings.ts';
import { claimReaders, takeNotifications } from '#shared/people/notifications.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';

test('a member is mailed of an assignment, a mention and a critical incident, in one mail with links and nothing else', async t => {
  const { settings, mails, names } = await mailFolder(t);
  const { person, services, db, tenant, config } = await world(t, { settings });
  const [ada, bob] = [await person('owner'), await person('developer')];
  await bob.put('/v1/me/notifications', { incidents: 'off', assignments: true, mentions: true });
  const { body: opened } = await ada.post('/v1/cases', { title: 'Refund of Secret Bistro', assignee_id: bob.user.id });
  await ada.post(`/v1/cases/${opened.id}/comments`, { text: `@${bob.user.email} look, $9,999` });
  const incident_id = newId('inc');
  await alert(db, tenant, { incident_id, severity: 'critical', title: 'Paid Secret Bistro' });
  await alert(db, tenant, { severity: 'high', title: 'Not critical' });
  const soon = { ...services, now: () => Date.now() + MINUTE };
  const readers = await claimReaders(db, soon.now());
  t.deepEqual(readers.map(({ user_id }) => user_id).toSorted(), [ada.user.id, bob.user.id].toSorted());
  t.deepEqual(await claimReaders(db, soon.now()), [], 'who is claimed is not claimed again at once');
  const handle = createHandler(soon);
  for (const reader of readers) await takeNotifications(db, reader, soon.now());
  for (const reader of readers) await handle(reader);
  t.deepEqual(await names(), [], 'another process has them in hand');
  for (const reader of readers) await jobKinds.notify.letGo?.(soon, reader, 'ended');
  for (const reader of readers) await handle(reader);
  for (const reader of readers) await handle(reader);
  const written = await mails(2);
  t.is((await names()).length, 2, 'a second run mails nothing');
  const [toAda, toBob] = [ada, bob].map(({ user }) => written.find(mail => mail.includes(`To: ${user.email}`)) ?? '');
  t.true(toAda?.includes('New critical incident') && toAda.includes(`${config.base_url}/incidents/${incident_id}`));
  t.true(toBob?.includes('Subject: 2 updates in Acme'));
  t.true(toBob?.includes('Case assigned to you') && toBob.includes(`${config.base_url}/cases/${opened.id}`));
  t.true(toBob?.includes('You were mentioned in a case'));
  for (const mail of written) t.notRegex(mail, /Secret|9,999|Refund/);
});

test('an incident that becomes worse is mailed once, and nobody is mailed of what they do themselves', async t => {
  const { person, db, tenant } = await world(t, { own_database: true });
  const ada = await person('owner');
  const waiting = () =>
    db.any(
      sql.unsafe`select kind, subject_id, severity from notifications where user_id = ${ada.user.id} order by created_at`,
    );
  await ada.post('/v1/cases', { title: 'Mine', assignee_id: ada.user.id });
  const incident_id = newId('inc');
  await alert(db, tenant, { incident_id, severity: 'medium' });
  t.deepEqual(await waiting(), []);
  for (const severity of ['critical', 'high', 'critical'])
    await db.query(
      sql.unsafe`update incidents set severity = ${severity} where org_id = ${tenant.org_id} and id = ${incident_id}`,
    );
  t.deepEqual(await waiting(), [{ kind: 'incident', subject_id: incident_id, severity: 'critical' }]);
});

test('what the mail server refuses is tried again later, up to eight times; who is no member is not mailed', async t => {
  const server = await mailServer(t, { refuse: true });
  const { person, db, services, tenant } = await world(t, { settings: server.settings });
  const ada = await person('owner');
  await alert(db, tenant, { severity: 'critical' });
  const state = () => db.one(sql.unsafe`select state, attempts from notifications where user_id = ${ada.user.id}`);
  const reader = { ...tenant, user_id: ada.user.id };
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    const now = Date.now() + attempt * 24 * HOUR;
    t.deepEqual(await claimReaders(db, now), [reader], `attempt ${attempt}`);
    await createHandler({ ...services, now: () => now })(reader);
    t.deepEqual(await state(), { state: attempt < 8 ? 'pending' : 'failed', attempts: attempt });
  }
  t.deepEqual(await claimReaders(db, Date.now() + 99 * 24 * HOUR), []);
  const bob = await person('developer');
  await alert(db, tenant, { severity: 'critical' });
  await db.query(sql.unsafe`delete from members where user_id = ${bob.user.id}`);
  await createHandler(services)({ ...tenant, user_id: bob.user.id });
  t.deepEqual(await db.one(sql.unsafe`select state from notifications where user_id = ${bob.user.id}`), {
    state: 'skipped',
  });
});

test('what waits is queued by reconcile, and settings are each member’s own', async t => {
  const { person, db, services, tenant } = await world(t, { own_database: true });
  const [ada, bob] = [await person('owner'), await person('developer')];
  const more = { digest: false, time_zone: 'UTC', quiet_hours: null, webhook_host: null };
  t.deepEqual((await ada.get('/v1/me/notifications')).body, {
    incidents: 'critical',
    assignments: true,
    mentions: true,
    ...more,
  });
  const chosen = { incidents: 'low', assignments: false, mentions: false };
  t.deepEqual((await ada.put('/v1/me/notifications', chosen)).body, { ...chosen, ...more });
  t.deepEqual((await ada.get('/v1/me/notifications')).body, { ...chosen, ...more });
  t.is((await ada.put('/v1/me/notifications', { mentions: true })).body.mentions, true);
  t.deepEqual((await ada.put('/v1/me/notifications', { mentions: false })).body, { ...chosen, ...more });
  const quiet = { digest: true, time_zone: 'Europe/Berlin', quiet_hours: { from: '22:00', to: '07:00' } };
  await ada.put('/v1/me/notifications', { ...chosen, ...quiet });
  t.deepEqual((await ada.put('/v1/me/notifications', chosen)).body, { ...chosen, ...more, ...quiet });
  const { body: without } = await ada.put('/v1/me/notifications', { ...chosen, quiet_hours: null });
  t.deepEqual(without, { ...chosen, ...more, ...quiet, quiet_hours: null });
  for (const wrong of [
    { time_zone: 'Europe/Nowhere' },
    { quiet_hours: { from: '22:00', to: '22:00' } },
    { quiet_hours: { from: '25:00', to: '07:00' } },
  ])
    t.is((await ada.put('/v1/me/notifications', { ...chosen, ...wrong })).status, 400, JSON.stringify(wrong));
  t.is((await bob.get('/v1/me/notifications')).body.incidents, 'critical');
  t.is((await bob.put('/v1/me/notifications', { ...chosen, incidents: 'some' })).status, 400);
  await alert(db, tenant, { severity: 'low' });
  const later = { ...services, now: () => Date.now() + MINUTE };
  t.is(await reconcileKind('notify', later), 1);
  t.is((await services.queue.counts('notify'))['waiting'], 1);
});

test('a member with an incoming webhook is told there, with links and nothing else, and by mail when it is not taken', async t => {
  const { settings, mails } = await mailFolder(t);
  let answer = 200;
  const slack = await receiver(t, () => answer);
  const { person, services, db, tenant, config } = await world(t, {
    settings: { ...settings, WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  const ada = await person('owner');
  const { body } = await ada.put('/v1/me/notifications/webhook', { url: `${slack.url}/services/T0/secret` });
  t.is(body.webhook_host, new URL(slack.url).host);
  t.false(JSON.stringify((await ada.get('/v1/me/notifications')).body).includes('secret'));
  t.false(JSON.stringify((await ada.get('/v1/audit-log')).body).includes('secret'));
  const incident_id = newId('inc');
  await alert(db, tenant, { incident_id, severity: 'critical', title: 'Paid Secret Bistro' });
  const handle = createHandler({ ...services, now: () => Date.now() + MINUTE });
  await handle({ ...tenant, user_id: ada.user.id });
  t.is(slack.received.length, 1);
  const { text } = JSON.parse(slack.received[0]?.body.toString() ?? '{}');
  t.true(text.includes(`<${config.base_url}/incidents/${incident_id}|New critical incident>`), text);
  t.notRegex(text, /Bistro/);
  answer = 404;
  await alert(db, tenant, { incident_id: newId('inc'), severity: 'critical', subject: 'other' });
  await handle({ ...tenant, user_id: ada.user.id });
  t.is((await mails(1)).length, 1);
  t.is((await ada.delete('/v1/me/notifications/webhook')).body.webhook_host, null);
  t.is((await ada.put('/v1/me/notifications/webhook', { url: 'ftp://x.example.com' })).status, 400);
});

test('a member sends themself a test, hears what the webhook or the mail server answered, and not without end', async t => {
  const { settings, mails } = await mailFolder(t);
  let answer = 200;
  const slack = await receiver(t, () => answer);
  const { person } = await world(t, { settings: { ...settings, WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const ada = await person('developer');
  const tested = async () => (await ada.post('/v1/me/notifications/test', {})).body;
  t.deepEqual(await tested(), { channel: 'email', delivered: true, status: null, error: null });
  t.true((await mails(1))[0]?.includes('Subject: Test notification'));
  await ada.put('/v1/me/notifications/webhook', { url: `${slack.url}/services/T0/secret` });
  t.deepEqual(await tested(), { channel: 'webhook', delivered: true, status: 200, error: null });
  t.regex(JSON.parse(slack.received[0]?.body.toString() ?? '{}').text, /This is a test/);
  answer = 404;
  t.deepEqual(await tested(), { channel: 'webhook', delivered: false, status: 404, error: null });
  await tested();
  await tested();
  const { status, headers } = await ada.post('/v1/me/notifications/test', {});
  t.is(status, 429);
  t.truthy(headers.get('retry-after'));
});

test('a test goes to no private address', async t => {
  const inside = await receiver(t, () => 200);
  const { person } = await world(t, { settings: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
  const ada = await person('developer');
  await ada.put('/v1/me/notifications/webhook', { url: `${inside.url}/services/T0/secret` });
  const { body } = await ada.post('/v1/me/notifications/test', {});
  t.like(body, { channel: 'webhook', delivered: false, status: null });
  t.truthy(body.error);
  t.is(inside.received.length, 0);
});

test('a webhook to a private address is not called: what it was to be told is mailed', async t => {
  const { settings, mails } = await mailFolder(t);
  const inside = await receiver(t);
  const { person, services, db, tenant } = await world(t, {
    settings: { ...settings, WEBHOOK_ALLOW_PRIVATE: 'false' },
  });
  const ada = await person('owner');
  await ada.put('/v1/me/notifications/webhook', { url: inside.url });
  await alert(db, tenant, { severity: 'critical' });
  await createHandler({ ...services, now: () => Date.now() + MINUTE })({ ...tenant, user_id: ada.user.id });
  t.is(inside.received.length, 0);
  t.is((await mails(1)).length, 1);
});

test('quiet hours hold notifications back until they end; a summary is due each day at eight', async t => {
  const { settings, mails } = await mailFolder(t);
  const { person, services, db, tenant } = await world(t, { settings, own_database: true });
  const ada = await person('owner');
  const clock = new Date(Date.now() + DAY).toISOString().slice(0, 10);
  const night = Date.parse(`${clock}T23:00:00.000Z`);
  const morning = night + 8 * HOUR;
  await ada.put('/v1/me/notifications', {
    incidents: 'low',
    assignments: true,
    mentions: true,
    digest: true,
    quiet_hours: { from: '22:00', to: '07:00' },
  });
  await alert(db, tenant, { severity: 'low' });
  const reader = { ...tenant, user_id: ada.user.id };
  t.deepEqual(await claimReaders(db, night), [reader]);
  await createHandler({ ...services, now: () => night })(reader);
  t.deepEqual(await claimReaders(db, morning - 1), []);
  t.deepEqual(await claimReaders(db, morning), [reader]);
  await writeDigests(db, morning + HOUR);
  await writeDigests(db, morning + HOUR);
  await createHandler({ ...services, now: () => morning + HOUR })(reader);
  const [mail = ''] = await mails(1);
  t.true(mail.includes('New low incident'), mail);
  t.true(mail.includes('Daily summary: 1 open incident (1 low)'), mail);
  t.deepEqual(await db.one(sql.unsafe`select digest_at from notification_settings where user_id = ${ada.user.id}`), {
    digest_at: new Date(morning + HOUR + DAY).toISOString(),
  });
});

const everything = { incidents: 'low', assignments: true, mentions: true };

test('a summary that was written late leaves the next day its own, and saving settings leaves what is due', async t => {
  const { person, db } = await world(t, { own_database: true });
  const ada = await person('owner');
  const settings = { ...everything, digest: true, time_zone: 'Asia/Tokyo' };
  await ada.put('/v1/me/notifications', settings);
  const due = () =>
    db.oneFirst(
      sql.type(
        z.object({ digest_at: z.string() }),
      )`select digest_at from notification_settings where user_id = ${ada.user.id}`,
    );
  // Eight in Tokyo is 23:00 UTC.
  const first = Date.parse(await due());
  await writeDigests(db, first + 2 * HOUR);
  await writeDigests(db, first + DAY);
  t.is((await db.any(sql.unsafe`select subject_id from notifications where kind = 'digest'`)).length, 2);
  await db.query(sql.unsafe`update notification_settings set digest_at = now() - interval '1 minute'`);
  const waiting = await due();
  await ada.put('/v1/me/notifications', settings);
  t.is(await due(), waiting);
});

test('what quiet hours hold back is told when they are no more, and a member who leaves takes their settings with them', async t => {
  const { person, services, db, tenant } = await world(t, { own_database: true });
  const [ada, bob] = [await person('owner'), await person('developer')];
  const [from, to] = [-1, 1].map(hours => new Date(Date.now() + hours * HOUR).toISOString().slice(11, 16));
  await bob.put('/v1/me/notifications', { ...everything, quiet_hours: { from, to } });
  await alert(db, tenant, { severity: 'low' });
  await createHandler(services)({ ...tenant, user_id: bob.user.id });
  t.deepEqual(await claimReaders(db, Date.now() + MINUTE), []);
  await bob.put('/v1/me/notifications', everything);
  t.deepEqual(await claimReaders(db, Date.now() + MINUTE), [{ ...tenant, user_id: bob.user.id }]);
  t.is((await ada.delete(`/v1/members/${bob.user.id}`)).status, 200);
  t.deepEqual(await db.any(sql.unsafe`select user_id from notification_settings where user_id = ${bob.user.id}`), []);
});

test('a summary counts each severity by itself, however many there are of another', async t => {
  const { person, db, tenant } = await world(t, { own_database: true });
  const ada = await person('owner');
  await db.query(sql.unsafe`
    insert into incidents (org_id, environment, id, severity, lead_title, lead_score, detectors, alert_count,
      agent_count, first_at, last_at, episode_from, created_at)
    select ${tenant.org_id}, ${tenant.environment}, 'inc_' || n, case when n > 1500 then 'critical' else 'low' end, '', 1, array['x'], 1, 1,
      now(), now(), now(), now() from generate_series(1, 1502) n`);
  const digest = await readDigest(db, { ...tenant, user_id: ada.user.id });
  t.is(digestWords(digest), 'Daily summary: 999+ open incidents (2 critical, 999+ low)');
  await db.query(sql.unsafe`
    update incidents set assignee_id = ${ada.user.id} where org_id = ${tenant.org_id} and severity = 'critical'`);
  await ada.post('/v1/cases', { title: 'x', assignee_id: ada.user.id });
  t.is(
    digestWords(await readDigest(db, { ...tenant, user_id: ada.user.id })),
    'Daily summary: 999+ open incidents (2 critical, 999+ low). Assigned to you: 2 incidents, 1 case',
  );
});
