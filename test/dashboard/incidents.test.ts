import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import { browserTest, openWindow, phone } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { until } from '#test/helpers/until.ts';
import { type World, world } from '#test/helpers/world.ts';

/** An agent that has paid somebody; answers with its id. */
async function agentOf({ as, analyze }: World): Promise<string> {
  const sent = event();
  await as.post('/v1/events', sent);
  await analyze();
  return (await as.get(`/v1/events/${sent.id}`)).body.agent_id;
}

/** An incident with alerts of these titles; answers with its id. */
async function incidentOf({ db, tenant }: World, agent_id: string, ...titles: string[]): Promise<string> {
  const incident_id = newId('inc');
  for (const title of titles) await alert(db, tenant, { incident_id, agent_id, title, subject: title });
  return incident_id;
}

browserTest('a runaway agent is one line of the queue, and one key acts on all its alerts', async t => {
  const here = await world(t);
  const { api, person, as } = here;
  const agent_id = await agentOf(here);
  const other = await incidentOf(here, agent_id, 'Something else');
  const id = await incidentOf(here, agent_id, 'Paid 40 times in 5 minutes', 'Paid twice', 'Over the budget');
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/incidents');
  await page.getByRole('link', { name: 'Paid 40 times in 5 minutes and 2 more alerts' }).first().waitFor();
  t.is(await page.locator('tbody tr').count(), 2);
  await page.getByRole('complementary').getByRole('link', { name: 'Over the budget' }).waitFor();
  await check('incidents');
  await page.keyboard.press('d');
  await page.getByLabel('Why this is a false alarm').fill('a load test');
  await page.keyboard.press('Control+Enter');
  await page.locator('tr.gone', { hasText: 'Paid 40 times' }).waitFor();
  await page.locator('tr[aria-current]', { hasText: 'Something else' }).waitFor();
  const { body } = await as.get(`/v1/incidents/${id}`);
  t.is(body.state, 'closed');
  t.deepEqual(
    body.alerts.map((each: { actions: { reason: string }[] }) => each.actions[0]?.reason),
    ['a load test', 'a load test', 'a load test'],
  );
  t.is((await as.get(`/v1/incidents/${other}`)).body.state, 'open');
  quiet();
});

browserTest('alerts that came while somebody wrote why are not closed with those that were seen', async t => {
  const here = await world(t);
  const { api, person, as, db, tenant } = here;
  const agent_id = await agentOf(here);
  const id = await incidentOf(here, agent_id, 'Paid twice');
  const { page } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/incidents');
  await page.getByRole('link', { name: 'Paid twice' }).first().waitFor();
  await page.keyboard.press('d');
  await page.getByLabel('Why this is a false alarm').fill('meant');
  await alert(db, tenant, { incident_id: id, agent_id, title: 'Over the budget', subject: 'another' });
  await page.keyboard.press('Control+Enter');
  await page.getByText('The incident has 2 alerts now. Look at it again first.').waitFor();
  t.is((await as.get(`/v1/incidents/${id}`)).body.state, 'open');
});

browserTest('on a phone an incident says its reasons, and is escalated to one case with all of them', async t => {
  const here = await world(t);
  const { api, person, as } = here;
  const agent_id = await agentOf(here);
  const id = await incidentOf(here, agent_id, 'Paid 40 times in 5 minutes', 'Paid twice');
  const cookie = (await person('developer')).cookie;
  const { page, quiet, check } = await openWindow(t, api.address, { cookie, viewport: phone });
  await page.goto('/incidents');
  await page.getByRole('link', { name: 'and 1 more alert' }).click();
  await page.getByRole('heading', { name: 'Paid twice', level: 3 }).waitFor();
  await page.getByRole('button', { name: 'Escalate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Escalate' }).click();
  await page.getByText('In case').waitFor();
  await page.getByText('you escalated 2 alerts').waitFor();
  await check('an escalated incident');
  t.deepEqual(
    (await as.get(`/v1/incidents/${id}`)).body.alerts.map(({ state }: { state: string }) => state),
    ['escalated', 'escalated'],
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('you reopened 2 alerts').waitFor();
  await page.getByRole('link', { name: 'Paid twice' }).click();
  await page.getByRole('heading', { name: 'Paid twice', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'and 1 more alert' }).first().click();
  await page.getByRole('heading', { name: 'Paid 40 times in 5 minutes and 1 more alert', level: 1 }).waitFor();
  quiet();
});

browserTest(
  'keys pressed faster than the page is drawn select every row they pass, and what they do can be undone',
  async t => {
    const here = await world(t);
    const { api, person, as } = here;
    const agent_id = await agentOf(here);
    const ids: string[] = [];
    for (const title of ['First', 'Second', 'Third', 'Fourth']) ids.push(await incidentOf(here, agent_id, title));
    const { page, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
    await page.goto('/incidents');
    await page.getByRole('complementary').waitFor();
    // All in one turn of the page's event loop, so that nothing is drawn between them.
    await page.evaluate(
      `for (const key of ['x', 'j', 'x', 'j', 'x', 'a']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`,
    );
    await page.getByText('3 incidents acknowledged').waitFor();
    const acknowledged = async () => {
      const incidents = await Promise.all(ids.map(id => as.get(`/v1/incidents/${id}`)));
      return incidents.filter(({ body }) => body.acknowledged).length;
    };
    t.is(await acknowledged(), 3);
    await page.keyboard.press('u');
    await page.getByText('3 incidents acknowledged').waitFor({ state: 'detached' });
    await until(async () => (await acknowledged()) === 0);
    quiet();
  },
);

browserTest('what is selected, and asked, while an assignment is being answered stays', async t => {
  const here = await world(t);
  const { api, person } = here;
  const agent_id = await agentOf(here);
  for (const title of ['First', 'Second', 'Third']) await incidentOf(here, agent_id, title);
  const { page } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/incidents');
  await page.getByRole('complementary').getByRole('heading', { name: 'Third' }).waitFor();
  const held: (() => Promise<void>)[] = [];
  await page.route('**/assignee', route => void held.push(() => route.continue()));
  for (const key of ['i', 'j', 'x', 'j', 'x', 't']) await page.keyboard.press(key);
  await page.getByRole('dialog', { name: 'Assign 2 incidents' }).waitFor();
  await until(async () => held.length === 1);
  await held[0]?.();
  await page.getByText('Incident assigned to you.').waitFor();
  await page.getByRole('dialog', { name: 'Assign 2 incidents' }).getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('2 selected').waitFor();
  t.pass();
});

browserTest(
  'incidents are assigned by key, by hand and together, found by their assignee, and that can be undone',
  async t => {
    const here = await world(t);
    const { api, person, as } = here;
    const agent_id = await agentOf(here);
    const ids: string[] = [];
    for (const title of ['First', 'Second', 'Third']) ids.push(await incidentOf(here, agent_id, title));
    const [ada, bob] = [await person('developer'), await person('developer')];
    const { page, quiet, check } = await openWindow(t, api.address, { cookie: ada.cookie });
    const assignees = async () =>
      Promise.all(ids.map(async id => (await as.get(`/v1/incidents/${id}`)).body.assignee_id));
    const [none, mine, his] = [null, ada.user.id, bob.user.id];
    await page.goto('/incidents');
    const panel = page.getByRole('complementary');
    await panel.getByRole('heading', { name: 'Third' }).waitFor();
    await page.keyboard.press('i');
    await page.getByText('Incident assigned to you.').waitFor();
    await until(async () => (await assignees())[2] === mine);
    await page.keyboard.press('u');
    await until(async () => (await assignees())[2] === null);
    await panel.getByRole('button', { name: 'Assign to me' }).click();
    await page.locator('tr', { hasText: 'Third' }).getByText('You').waitFor();
    for (const key of ['j', 'x', 'j', 'x', 't']) await page.keyboard.press(key);
    const dialog = page.getByRole('dialog', { name: 'Assign 2 incidents' });
    await dialog.getByLabel('Assignee').selectOption(his);
    await check('assigning incidents');
    await page.keyboard.press('Control+Enter');
    await page.getByText('2 incidents assigned.').waitFor();
    t.deepEqual(await assignees(), [his, his, mine]);
    await page.getByRole('search').getByLabel('Assignee').selectOption('Me');
    await page.getByText('1 result', { exact: true }).waitFor();
    await page.locator('a.opens', { hasText: 'Third' }).click();
    await page.getByRole('heading', { name: 'Third', level: 1 }).waitFor();
    await page.getByLabel('Assignee').selectOption('Unassigned');
    await page.getByText('Incident unassigned.').waitFor();
    t.deepEqual(await assignees(), [his, his, none]);
    await page.keyboard.press('u');
    await until(async () => (await assignees())[2] === mine);
    await page.getByText('You took the incident').nth(2).waitFor();
    await page.getByText('You removed the assignee').nth(1).waitFor();
    await check('an assigned incident');
    quiet();
  },
);

browserTest('undoing gives back what was assigned, but for what somebody else has assigned since', async t => {
  const here = await world(t);
  const { api, person, as } = here;
  const agent_id = await agentOf(here);
  for (const title of ['First', 'Second']) await incidentOf(here, agent_id, title);
  const [ada, bob] = [await person('developer'), await person('developer')];
  const listed = async () => (await as.get('/v1/incidents?sort=urgency')).body.data;
  const [first] = await listed();
  const { page, expects, quiet } = await openWindow(t, api.address, { cookie: ada.cookie });
  expects(409);
  await page.goto('/incidents');
  await page.getByRole('complementary').getByRole('heading', { name: first.title }).waitFor();
  for (const key of ['x', 'j', 'x', 'i']) await page.keyboard.press(key);
  await page.getByText('2 incidents assigned to you.').waitFor();
  await as.put(`/v1/incidents/${first.id}/assignee`, { assignee_id: bob.user.id });
  await page.keyboard.press('u');
  await page.getByText('has been changed since').waitFor();
  t.deepEqual(
    (await listed()).map(({ assignee_id }: { assignee_id: string | null }) => assignee_id),
    [bob.user.id, null],
  );
  quiet();
});

browserTest('all incidents that are selected are snoozed by one key, and undoing brings all of them back', async t => {
  const here = await world(t);
  const { api, person, as } = here;
  const agent_id = await agentOf(here);
  for (const title of ['First', 'Second', 'Third']) await incidentOf(here, agent_id, title);
  const snoozed = async () =>
    (await as.get('/v1/incidents')).body.data.filter((each: { snoozed_until: string | null }) => each.snoozed_until)
      .length;
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/incidents');
  await page.getByRole('complementary').getByRole('heading', { name: 'Third' }).waitFor();
  for (const key of ['x', 'j', 'x', 's']) await page.keyboard.press(key);
  const dialog = page.getByRole('dialog', { name: 'Snooze 2 incidents' });
  await dialog.waitFor();
  await check('snoozing incidents');
  await dialog.getByRole('button', { name: '4 hours' }).click();
  await page.getByText('2 incidents snoozed.').waitFor();
  t.is(await snoozed(), 2);
  t.is(await page.getByRole('group', { name: 'Selected incidents' }).count(), 0);
  await page.keyboard.press('u');
  await until(async () => (await snoozed()) === 0);
  await page.getByRole('checkbox', { name: 'First' }).click();
  await page.getByRole('group', { name: 'Selected incidents' }).getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('dialog', { name: 'Snooze incident' }).getByText('First').waitFor();
  quiet();
});

browserTest('on a Sunday, tomorrow is not offered twice to snooze until', async t => {
  const here = await world(t);
  const { api, person } = here;
  await incidentOf(here, await agentOf(here), 'First');
  const { page, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  const offered = async (at: string) => {
    await page.clock.setFixedTime(at);
    await page.goto('/incidents');
    await page.getByRole('complementary').getByRole('heading', { name: 'First' }).waitFor();
    await page.keyboard.press('s');
    return page.getByRole('dialog').locator('form button > span').allTextContents();
  };
  t.deepEqual(await offered('2026-11-29T12:00:00Z'), ['1 hour', '4 hours', 'Tomorrow']);
  t.deepEqual(await offered('2026-11-30T12:00:00Z'), ['1 hour', '4 hours', 'Tomorrow', 'Next week']);
  t.regex((await page.getByRole('button', { name: 'Next week' }).textContent()) ?? '', /Dec 7, 9:00/);
  quiet();
});
