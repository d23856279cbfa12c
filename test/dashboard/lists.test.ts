import { browserTest, desktop, openWindow, phone } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

browserTest(
  'a list is sorted by its headings, loses columns in this browser only, and says what the filter comes to',
  async t => {
    const { api, as, analyze, person } = await world(t);
    const sent = [...'abc'].map((name, index) => event({ agent: `agent-${name}`, cents: `${(index + 1) * 1_000}` }));
    await as.post('/v1/events', { events: [...sent, event({ agent: 'agent-b', cents: '500' })] });
    await analyze();
    const { page, visit, quiet, check } = await openWindow(t, api.address, {
      cookie: (await person('developer')).cookie,
    });
    await visit('/agents');
    const first = () => page.locator('tbody tr').first();
    await page.getByRole('button', { name: 'Events', exact: true }).click();
    await first().getByText('agent-b').waitFor();
    await page.getByRole('button', { name: 'State', exact: true }).click();
    t.is(await page.getByRole('columnheader', { name: 'State' }).getAttribute('aria-sort'), 'descending');
    await page.getByText('Columns').first().click();
    await page.getByRole('checkbox', { name: 'State' }).click();
    await page.getByRole('columnheader', { name: 'State' }).waitFor({ state: 'detached' });
    await check('columns to choose');
    await visit('/agents');
    t.is(await page.getByRole('columnheader', { name: 'State' }).count(), 0);
    await visit('/events?rail=card');
    await page.getByText('$65.00').first().waitFor();
    await page.keyboard.press('j');
    await page.locator('tr[aria-current]').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    quiet();
  },
);

browserTest(
  'a heading sorts all of a long list, from either end, in the address, with filters and page by page',
  async t => {
    const { api, as, analyze, person } = await world(t);
    const events = Array.from({ length: 60 }, (_, index) => {
      const name = `agent-${String(index).padStart(2, '0')}`;
      return event({ more: { agent: { external_id: name, name } } });
    });
    await as.post('/v1/events', { events });
    await analyze();
    const { page, visit, quiet, check } = await openWindow(t, api.address, {
      cookie: (await person('developer')).cookie,
    });
    const sorted = (name: string) => page.getByRole('columnheader', { name }).getAttribute('aria-sort');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const first = (name: string) => page.locator('tbody tr').first().getByText(name).waitFor();
    await visit('/agents');
    await page.getByText('50 shown, more below').waitFor();
    await press('Agent');
    await first('agent-00');
    t.is(await sorted('Agent'), 'ascending');
    await press('Agent');
    await first('agent-59');
    t.is(await sorted('Agent'), 'descending');
    await check('a list sorted by a heading');
    await press('Next');
    await first('agent-09');
    await page.reload();
    await first('agent-09');
    t.is(await sorted('Agent'), 'descending');
    await page.getByRole('searchbox', { name: 'Search' }).last().fill('agent-1');
    await first('agent-19');
    t.regex(page.url(), /sort=name&direction=desc/);
    // Which columns the API cannot sort all of is found out where the rest of the list is on the page.
    await page.getByRole('button', { name: 'State', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'State', exact: true }).waitFor({ state: 'detached' });
    await press('Agent');
    t.is(await sorted('Agent'), null);
    t.notRegex(page.url(), /sort|direction/);
    quiet();
  },
);

browserTest('a view with its filters is saved for all members', async t => {
  const { api, as, person } = await world(t);
  await as.post('/v1/events', { events: [event({ cents: '3577' }), event({ cents: '900' })] });
  const { page, visit, quiet, check } = await openWindow(t, api.address, {
    cookie: (await person('developer')).cookie,
  });
  await visit('/events');
  await page.getByLabel('Amount', { exact: true }).fill('35.77');
  await page.getByText('$9.00').waitFor({ state: 'detached' });
  await page.getByLabel('Amount', { exact: true }).fill('$5–$10');
  await page.getByRole('table').getByText('$35.77').waitFor({ state: 'detached' });
  await page.getByRole('table').getByText('$9.00').waitFor();
  await page.getByLabel('Amount', { exact: true }).fill('35.77');
  await page.getByRole('table').getByText('$9.00').waitFor({ state: 'detached' });
  await page.getByText('Views').first().click();
  await page.getByPlaceholder('Name this view').fill('Dinners');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('link', { name: 'Dinners' }).waitFor();
  await check('a saved view');
  const other = await openWindow(t, api.address, { cookie: (await person('admin')).cookie });
  await other.visit('/events');
  await other.page.getByText('Views').first().click();
  await other.page.getByRole('link', { name: 'Dinners' }).click();
  await other.page.waitForURL('**/events?amount=35.77');
  await other.page.getByText('$9.00').waitFor({ state: 'detached' });
  quiet();
});

browserTest('payees are narrowed to a country by its name', async t => {
  const { api, as, person } = await world(t);
  const paid = (name: string, country: string) => {
    const amount = { value: '1250', unit: 'minor', currency: 'USD' };
    const payee = { key: `domain:${name.toLowerCase()}.example.com`, name, country };
    return event({ more: { payment: { payment_id: name, rail: 'card', status: 'settled', amount, payee } } });
  };
  await as.post('/v1/events', { events: [paid('Brandt', 'DE'), paid('Dubois', 'FR')] });
  const { page, visit, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await visit('/payees');
  await page.getByRole('link', { name: 'Dubois' }).waitFor();
  await page.getByLabel('Country').selectOption('Germany');
  await page.getByRole('link', { name: 'Dubois' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Brandt' }).waitFor();
  t.is(new URL(page.url()).searchParams.get('country'), 'DE');
  quiet();
});

browserTest('a timeline of an agent says that it adds up the latest events only', async t => {
  const { api, as, analyze, person } = await world(t);
  const events = Array.from({ length: 51 }, () => event());
  await as.post('/v1/events', { events });
  await analyze();
  const { agent_id } = (await as.get(`/v1/events/${events[0]?.id}`)).body;
  const { page, visit, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await visit(`/agents/${agent_id}`);
  await page
    .getByRole('region', { name: 'Timeline' })
    .getByText(/^(Of the latest|Latest) 50 events: \d+ payments, /)
    .waitFor();
  t.pass();
  quiet();
});

browserTest('in a low window whoever is signed in still sees who that is, and where to sign out', async t => {
  const { api, person } = await world(t);
  const { page, visit, quiet } = await openWindow(t, api.address, {
    cookie: (await person('owner')).cookie,
    viewport: { width: 1280, height: 600 },
  });
  await visit('/agents');
  const { y = 0, height = 0 } = (await page.getByRole('button', { name: 'Sign out' }).boundingBox()) ?? {};
  t.true(y > 0 && y + height <= 600, `${y}`);
  quiet();
});

browserTest('a name without a space leaves the other columns their room, and the page its width', async t => {
  const { api, person } = await world(t);
  const developer = await person('developer');
  const name = 'n'.repeat(100);
  t.is((await developer.post('/v1/sources', { name, kind: 'sdk' })).status, 201);
  t.is((await developer.post('/v1/api-keys', { name, env: 'test', scopes: ['events:write'] })).status, 201);
  const { page, visit, quiet, check } = await openWindow(t, api.address, { cookie: developer.cookie });
  for (const path of ['/sources', '/api-keys', '/members'])
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      await visit(path);
      await check(`${path} on ${viewport.width} px`);
    }
  await page.setViewportSize(desktop);
  await visit('/sources');
  const id = page.locator('tr', { hasText: name }).locator('.copy code', { hasText: 'src_' }).first();
  t.true(((await id.boundingBox())?.height ?? 99) < 24, 'an ID on one line');
  quiet();
});

browserTest('a payee is shown by its key where nothing of its name can be seen', async t => {
  const { api, as, person } = await world(t);
  await as.post('/v1/events', event({ payee: 'domain:blank.example.com', payee_name: '\u200b ' }));
  const { page, visit, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await visit('/events');
  await page.locator('tbody').getByRole('link', { name: 'domain:blank.example.com' }).waitFor();
  await page.locator('tbody time').first().click();
  await page.getByRole('heading', { level: 1, name: '$12.50 to domain:blank.example.com' }).waitFor();
  quiet();
});
