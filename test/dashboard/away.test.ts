import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { world } from '#test/helpers/world.ts';

browserTest('a page whose service is away says so once, keeps what it shows, and goes on by itself', async t => {
  const { api, person } = await world(t);
  const { page, check } = await openWindow(t, api.address, { cookie: (await person('owner')).cookie });
  await page.goto('/api-keys');
  await page.getByText('active').first().waitFor();
  await page.route('**/v1/**', route => route.abort());
  const note = page.getByText('The service cannot be reached.');
  await note.waitFor();
  t.is(await note.count(), 1);
  t.is(await page.getByText('active').count(), 1);
  await check('a page whose service is away');
  await page.unroute('**/v1/**');
  await page.getByRole('button', { name: 'Retry now' }).click();
  await note.waitFor({ state: 'detached' });
});

browserTest('an address that is no text is a broken page, from which others can be reached', async t => {
  const { api, person } = await world(t);
  const { page } = await openWindow(t, api.address, { cookie: (await person('owner')).cookie });
  await page.goto('/events/%E0%A4%A');
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  t.is(new URL(page.url()).pathname, '/api-keys');
});

browserTest('somebody whose session is ended elsewhere is told so, and where they were is kept', async t => {
  const { api, person } = await world(t);
  const { cookie } = await person('owner');
  const { page, check } = await openWindow(t, api.address, { cookie });
  await page.goto('/api-keys');
  await page.getByText('active').first().waitFor();
  await fetch(`${api.address}/v1/sign-out`, { method: 'POST', headers: { cookie, origin: api.address } });
  await page.getByText('Your session has ended.').waitFor();
  await check('an ended session');
  t.is(new URL(page.url()).pathname, '/api-keys');
});
