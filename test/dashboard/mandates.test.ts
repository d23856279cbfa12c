import { browserTest, openWindow, phone } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

browserTest('a mandate is activated for an agent, with the payments of this month', async t => {
  const { api, as, analyze, person } = await world(t);
  await as.post('/v1/events', event({ agent: 'buyer' }));
  await analyze();
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/mandates/new');
  const agent = page.getByLabel('Agent');
  await agent.fill('buyer');
  const refusal = () => agent.evaluate(input => (input as { validationMessage?: string }).validationMessage);
  await until(async () => (await refusal()) === '');
  // What goes on beyond a name is nobody's: the form does not keep whom it named on the way.
  await agent.fill('buyer 2');
  await until(async () => (await refusal())?.startsWith('Choose one of the suggestions') ?? false);
  await agent.fill('buyer');
  await page.getByLabel('Name').fill('Office supplies');
  await page.getByLabel('Include this month’s earlier payments').check();
  await check('the form of a mandate');
  await page.setViewportSize(phone);
  await check('the form of a mandate on a phone');
  await page.getByRole('button', { name: 'Activate mandate' }).click();
  await page.getByRole('heading', { name: 'Office supplies', level: 1 }).waitFor();
  const [mandate] = (await as.get('/v1/mandates')).body.data;
  t.regex(mandate.valid_from, /^\d{4}-\d\d-01T00:00:00\.000Z$/);
  quiet();
});
