import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

browserTest(
  'a list is narrowed to an agent by its name, and the name is shown where the address has its id',
  async t => {
    const { api, as, analyze, person } = await world(t);
    const sent = ['first-buyer', 'second-buyer'].map(agent => event({ agent, payee: `domain:${agent}.example.com` }));
    await as.post('/v1/events', { events: sent });
    await analyze();
    const { agent_id } = (await as.get(`/v1/events/${sent[1]?.id}`)).body;
    const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
    await page.goto('/events');
    await page.getByText('first-buyer.example.com').waitFor();
    const agent = page.getByLabel('Agent', { exact: true });
    await agent.fill('second-buyer');
    await page.getByText('first-buyer.example.com').waitFor({ state: 'detached' });
    await page.getByText('second-buyer.example.com').waitFor();
    t.is(new URL(page.url()).searchParams.get('agent_id'), agent_id);
    await check('a picked agent');
    await page.reload();
    await page.getByText('second-buyer.example.com').waitFor();
    t.is(await agent.inputValue(), 'second-buyer');
    await agent.fill('');
    await page.getByText('first-buyer.example.com').waitFor();
    quiet();
  },
);

browserTest('Enter takes the first suggestion, and where nothing matches the filter says so', async t => {
  const { api, as, analyze, person } = await world(t);
  const named = (name: string) => event({ more: { agent: { external_id: name, name } } });
  await as.post('/v1/events', { events: ['First buyer', 'Second buyer'].map(named) });
  await analyze();
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/events');
  const agent = page.getByLabel('Agent', { exact: true });
  await agent.fill('second');
  await agent.press('Enter');
  await until(async () => (await agent.inputValue()) === 'Second buyer');
  await until(() => new URL(page.url()).searchParams.has('agent_id'));
  await agent.fill('third');
  await page.getByText('No agent matches.').waitFor();
  await agent.press('Enter');
  await agent.blur();
  t.is(await agent.inputValue(), 'third');
  await check('a filter that nothing matches');
  await agent.fill('sec');
  await page.getByText('No agent matches.').waitFor({ state: 'detached' });
  await agent.blur();
  t.is(await agent.inputValue(), 'Second buyer');
  quiet();
});

browserTest('what was typed in a form and left before it was suggested is picked once it is', async t => {
  const { api, as, analyze, person } = await world(t);
  await as.post('/v1/events', { events: [event({ agent: 'first-buyer' }), event({ agent: 'second-buyer' })] });
  await analyze();
  const { page, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  const held: (() => Promise<void>)[] = [];
  await page.route(/\/v1\/agents\?.*q=/, route => void held.push(() => route.continue()));
  await page.goto('/mandates/new');
  const agent = page.getByLabel('Agent', { exact: true });
  await agent.fill('second-buyer');
  await until(() => held.length > 0);
  await page.getByLabel('Name', { exact: true }).focus();
  t.is(await agent.inputValue(), 'second-buyer');
  for (const release of held.splice(0)) await release();
  await until(() => agent.evaluate(input => (input as unknown as { validity: { valid: boolean } }).validity.valid));
  t.is(await agent.inputValue(), 'second-buyer');
  quiet();
});

browserTest('a member is picked by their address as by their name, in any script', async t => {
  const { api, person } = await world(t);
  const { page, quiet } = await openWindow(t, api.address, { cookie: (await person('owner')).cookie });
  const owner = await person('owner');
  const members = { 'zola@pick.example': 'Émile Zola', 'nikos@pick.example': 'ΝΙΚΟΣ' };
  for (const [email, name] of Object.entries(members))
    t.is((await owner.post('/v1/members', { email, name, role: 'developer' })).status, 201);
  await page.goto('/audit-log');
  const actor = page.getByLabel('Changed by');
  for (const text of Object.entries(members).flat()) {
    await actor.fill(text);
    await until(() => new URL(page.url()).searchParams.has('actor_id'));
    await actor.fill('');
    await until(() => !new URL(page.url()).searchParams.has('actor_id'));
  }
  quiet();
});

browserTest('the audit log is filtered by what was done, in words', async t => {
  const { api, as, analyze, person } = await world(t);
  const owner = await person('owner');
  const twice = [1, 2].map(() => event({ payee: 'domain:twice.example.com' }));
  await as.post('/v1/events', { events: twice });
  await analyze();
  const [alert] = (await as.get('/v1/alerts')).body.data;
  for (const action of ['acknowledge', 'dismiss'])
    t.is((await owner.post(`/v1/alerts/${alert.id}/actions`, { action, reason: 'known' })).status, 200);
  const { page, quiet } = await openWindow(t, api.address, { cookie: owner.cookie });
  await page.goto('/audit-log');
  await page.getByText('Alert acknowledged').last().waitFor();
  await page.getByLabel('Action').selectOption('Alert dismissed');
  await until(() => new URL(page.url()).searchParams.get('action') === 'alert.dismiss');
  await until(async () => String(await page.locator('tbody strong').allTextContents()) === 'Alert dismissed');
  quiet();
});
