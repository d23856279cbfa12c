import { browserTest, openWindow, phone } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

browserTest('operators open their page and the board of a queue, and nothing else is asked', async t => {
  const settings = { OPS_CREDENTIAL: 'operator:a long enough word' };
  const { api } = await world(t, { settings });
  const httpCredentials = { username: 'operator', password: 'a long enough word' };
  for (const options of [{}, { viewport: phone, dark: true }]) {
    const { page, quiet, check } = await openWindow(t, api.address, { ...options, httpCredentials });
    await page.goto('/ops');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await check('/ops');
    await page.getByRole('link', { name: 'detect' }).first().click();
    await page.waitForURL(/\/ops\/queues/);
    await page.getByText('detect').first().waitFor();
    quiet();
  }
});

browserTest('the operators’ page brings itself up to date, and stops when asked to', async t => {
  const settings = { OPS_CREDENTIAL: 'operator:a long enough word', OPS_READ_ONLY: 'false' };
  const { api, as, services } = await world(t, { settings });
  const httpCredentials = { username: 'operator', password: 'a long enough word' };
  const { page, quiet, check } = await openWindow(t, api.address, { httpCredentials });
  await page.goto('/ops');
  await page.getByRole('button', { name: 'Pause updates' }).waitFor();
  t.is(await page.getByRole('cell', { name: 'Acme' }).count(), 0);
  await as.post('/v1/events', event());
  await page.getByRole('cell', { name: 'Acme' }).waitFor();
  await check('/ops with work');
  await page.getByRole('button', { name: 'Pause recheck' }).click();
  await page.getByRole('button', { name: 'Resume recheck' }).waitFor();
  t.true(await services.queue.isPaused('recheck'));
  await page.getByRole('button', { name: 'Pause updates' }).click();
  await page.getByRole('button', { name: 'Resume updates' }).waitFor();
  quiet();
});
