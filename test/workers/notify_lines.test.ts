import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { createHandler } from '#workers/handlers/notify.ts';
import { alert } from '#test/helpers/alert.ts';
import { mailFolder } from '#test/helpers/mail.ts';
import { world } from '#test/helpers/world.ts';

test('who gets an incident from somebody else is mailed each time, unless they want no assignments', async t => {
  const { settings, mails } = await mailFolder(t);
  const { person, services, db, tenant, config } = await world(t, { settings });
  const [ada, bob] = [await person('admin'), await person('developer')];
  const incident_id = newId('inc');
  await alert(db, tenant, { incident_id, severity: 'low', title: 'Paid Secret Bistro' });
  const assign = (who: typeof ada, to: string | null) =>
    who.put(`/v1/incidents/${incident_id}/assignee`, { assignee_id: to });
  await assign(bob, bob.user.id);
  await assign(ada, null);
  await assign(ada, bob.user.id);
  await assign(ada, bob.user.id);
  await createHandler(services)({ ...tenant, user_id: bob.user.id });
  const [mail = ''] = await mails(1);
  t.true(mail.includes('Subject: Incident assigned to you in Acme'), mail);
  t.true(mail.includes(`${config.base_url}/incidents/${incident_id}`));
  t.notRegex(mail, /Secret/);
  await assign(ada, null);
  await bob.put('/v1/me/notifications', { assignments: false });
  await assign(ada, bob.user.id);
  const { length } = await db.any(sql.unsafe`select kind from notifications where user_id = ${bob.user.id}`);
  t.is(length, 1);
});

test('many new incidents of one severity are one line of the mail, which leads to their list', async t => {
  const { settings, mails } = await mailFolder(t);
  const { person, services, db, tenant, config } = await world(t, { settings });
  const ada = await person('owner');
  const tell = async (count: number) => {
    for (let index = 0; index < count; index += 1)
      await alert(db, tenant, { severity: 'critical', incident_id: newId('inc'), subject: newId('inc') });
    await createHandler(services)({ ...tenant, user_id: ada.user.id });
  };
  await tell(4);
  const [mail = ''] = await mails(1);
  t.true(mail.includes('Subject: 4 new critical incidents in Acme'), mail);
  t.true(mail.includes(`\n4 new critical incidents\n${config.base_url}/incidents?severity=critical\n`), mail);
  await tell(3);
  const [, second = ''] = await mails(2);
  t.is(second.match(/^New critical incident$/gm)?.length, 3);
});
