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
  // While the service is away: once it is back, the page asks by itself, and the button may be gone before it is pressed.
  const asked = page.waitForRequest('**/v1/**');
  await page.getByRole('button', { name: 'Retry now' }).click();
  await asked;
  await page.unroute('**/v1/**');
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

browserTest('somebody whose session is ended elsewhere is told so, and what they typed is kept for them', async t => {
  const { api, person, session } = await world(t);
  const { cookie, user } = await person('owner');
  const { page, context, check } = await openWindow(t, api.address, { cookie });
  await page.goto('/api-keys');
  await page.getByText('active').first().waitFor();
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  await page.getByLabel('Name').fill('checkout');
  await fetch(`${api.address}/v1/sign-out`, { method: 'POST', headers: { cookie, origin: api.address } });
  await page.getByText('Your session has ended.').waitFor();
  await check('an ended session');
  t.is(await page.getByText('active').and(page.locator(':visible')).count(), 0);
  const [name = '', value = ''] = (await session(user.id)).cookie.split('=');
  await context.addCookies([{ name, value, url: api.address }]);
  await (await context.newPage()).goto('/account');
  await page.getByRole('dialog', { name: 'Create API key' }).waitFor();
  t.is(await page.getByLabel('Name').inputValue(), 'checkout');
  t.is(new URL(page.url()).pathname, '/api-keys');
});

browserTest('ten minutes after a session has ended by itself nothing of its pages is left', async t => {
  const { api, person } = await world(t);
  const { cookie } = await person('owner');
  const { page } = await openWindow(t, api.address, { cookie });
  await page.clock.install();
  await page.goto('/api-keys');
  await page.getByText('active').first().waitFor();
  await fetch(`${api.address}/v1/sign-out`, { method: 'POST', headers: { cookie, origin: api.address } });
  await page.clock.runFor(60_000);
  await page.getByText('What you typed stays in this tab for 10 minutes.').waitFor();
  t.true((await page.getByText('active').count()) > 0);
  await page.clock.runFor(600_000);
  await page.getByText('What you typed').waitFor({ state: 'detached' });
  await page.getByText('Your session has ended.').waitFor();
  t.is(await page.getByText('active').count(), 0);
});

browserTest(
  'whoever signs out has what they decided saved, is asked about the rest, and leaves none of it behind',
  async t => {
    const { api, organization, person } = await world(t);
    const org = await organization('Leavers');
    const { cookie, user, get } = await person('owner', { of: org.id });
    const { page, visit } = await openWindow(t, api.address, { cookie });
    await visit('/api-keys');
    const decided = (title: string) => ({
      key: `decided-${title}`,
      text: `Case opened: ${title}`,
      path: '/cases',
      operation: 'POST /v1/cases',
      args: { body: { title } },
      reader: `${user.id} ${org.id}`,
      until: Date.now(),
    });
    const unsent = JSON.stringify([decided('Duplicate payments'), decided('')]);
    await page.evaluate(`localStorage.setItem('unsent', ${JSON.stringify(unsent)})`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    const asking = page.getByRole('dialog', { name: 'Sign out without saving?' });
    await asking.getByText('Case opened:').waitFor();
    const { data } = (await get('/v1/cases')).body;
    t.deepEqual(
      data.map(({ title }: { title: string }) => title),
      ['Duplicate payments'],
    );
    await asking.getByRole('button', { name: 'Discard and sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    t.is(await page.evaluate("localStorage.getItem('unsent')"), null);
  },
);
