import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { createHandler } from '#workers/handlers/notify.ts';
import { alert } from '#test/helpers/alert.ts';
import { mailFolder, mailServer } from '#test/helpers/mail.ts';
import { world } from '#test/helpers/world.ts';
import { claimReaders } from '#shared/people/notifications.ts';
import { HOUR, MINUTE } from '#shared/values/time.ts';

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
  t.deepEqual((await ada.get('/v1/me/notifications')).body, {
    incidents: 'critical',
    assignments: true,
    mentions: true,
  });
  const chosen = { incidents: 'low', assignments: false, mentions: false };
  t.deepEqual((await ada.put('/v1/me/notifications', chosen)).body, chosen);
  t.deepEqual((await ada.get('/v1/me/notifications')).body, chosen);
  t.is((await bob.get('/v1/me/notifications')).body.incidents, 'critical');
  t.is((await bob.put('/v1/me/notifications', { ...chosen, incidents: 'some' })).status, 400);
  await alert(db, tenant, { severity: 'low' });
  const later = { ...services, now: () => Date.now() + MINUTE };
  t.is(await reconcileKind('notify', later), 1);
  t.is((await services.queue.counts('notify'))['waiting'], 1);
});
