import { browserTest, openWindow } from '#test/helpers/chromium.ts';
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
    await page.getByRole('button', { name: 'Agent', exact: true }).click();
    await first().getByText('agent-c').waitFor();
    await page.getByRole('button', { name: 'Agent', exact: true }).click();
    await first().getByText('agent-a').waitFor();
    t.is(await page.getByRole('columnheader', { name: 'Agent' }).getAttribute('aria-sort'), 'ascending');
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
