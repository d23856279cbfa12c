import { browserTest, openWindow, phone } from '#test/helpers/chromium.ts';
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
