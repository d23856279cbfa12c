import { lobby } from '#test/helpers/lobby.ts';
import { browserTest, openWindow, phone } from '#test/helpers/chromium.ts';
import { linkIn } from '#test/helpers/mail.ts';
import { totpCode } from '#test/helpers/totp.ts';
import { world } from '#test/helpers/world.ts';

browserTest('somebody signs in with a link, and the tab in which they asked for it goes on by itself', async t => {
  const { api, user, mail } = await lobby(t);
  const { page, context, check, expects, settled, quiet } = await openWindow(t, api.address);
  // The clock of the lobby stands: what the overview asks of the last days is in its future.
  expects(400);
  await page.goto('/alerts');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await check('sign-in');
  await page.getByLabel('Email address').fill(user.email);
  await page.getByRole('button', { name: 'Send sign-in link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).waitFor();
  await check('link sent');
  const tab = await context.newPage();
  await tab.goto(linkIn((await mail.mails(1)).at(-1)));
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  t.is(new URL(page.url()).pathname, '/alerts');
  // What is still asked for would be told that the session has ended.
  await settled();
  await tab.close();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  quiet();
});

browserTest('a link that is opened on another device shows a code, which signs in where it was asked for', async t => {
  const { api, user, mail } = await lobby(t);
  const { page, expects, quiet } = await openWindow(t, api.address);
  expects(400);
  await page.goto('/');
  await page.getByLabel('Email address').fill(user.email);
  await page.getByRole('button', { name: 'Send sign-in link' }).click();
  const other = await openWindow(t, api.address, { viewport: phone });
  await other.page.goto(linkIn((await mail.mails(1)).at(-1)));
  const code = (await other.page.locator('.code').textContent()) ?? '';
  expects(422);
  await page.getByLabel('Code').fill('AAAA-AAAA');
  await page.getByRole('button', { name: 'Sign in with code' }).click();
  await page.getByText('That code doesn’t match the one your link shows.').first().waitFor();
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in with code' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  quiet();
  other.quiet();
});

browserTest(
  'an owner in production enrolls an app, keeps the recovery codes, and shows a code the next time',
  async t => {
    const { api, member, session } = await world(t, { settings: { ENVIRONMENT: 'production' } });
    const owner = await member('owner');
    const first = await openWindow(t, api.address, { cookie: (await session(owner.id)).cookie });
    await first.page.goto('/');
    await first.page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    await first.check('enrollment');
    await first.page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await first.page.getByRole('img', { name: 'QR code' }).waitFor();
    await first.check('the key of an app');
    first.expects(400, 401, 403, 422);
    await first.page.getByLabel('Code', { exact: true }).fill('000000');
    await first.page.getByRole('button', { name: 'Confirm' }).click();
    await first.page.locator('[aria-invalid="true"]:focus').waitFor();
    await first.page.getByRole('button', { name: 'Start over' }).click();
    await first.page.locator('[aria-invalid="true"]').waitFor({ state: 'detached' });
    t.is(await first.page.getByLabel('Code', { exact: true }).inputValue(), '', 'nothing is left of the former key');
    const secret = (await first.page.getByRole('button', { name: 'Copy key' }).locator('code').textContent()) ?? '';
    await first.page.getByLabel('Code', { exact: true }).fill(totpCode(secret, Date.now()));
    await first.page.getByRole('button', { name: 'Confirm' }).click();
    await first.page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    await first.check('recovery codes');
    const [recovery = ''] = await first.page.locator('.codes code').allTextContents();
    await first.page.getByRole('button', { name: 'I saved my codes' }).click();
    await first.page.getByRole('navigation', { name: 'Main' }).waitFor();
    first.quiet();

    const next = await openWindow(t, api.address, { cookie: (await session(owner.id)).cookie, viewport: phone });
    await next.page.goto('/');
    await next.page.getByRole('heading', { name: 'Verify it’s you' }).waitFor();
    await next.check('second factor');
    // A code is good once; this one is of the next half minute, which is taken too.
    await next.page.getByLabel('Code from your authenticator app').fill(totpCode(secret, Date.now() + 30_000));
    await next.page.getByRole('button', { name: 'Verify' }).click();
    await next.page.getByRole('button', { name: 'Menu' }).waitFor();
    next.quiet();

    const lost = await openWindow(t, api.address, { cookie: (await session(owner.id)).cookie });
    await lost.page.goto('/');
    await lost.page.getByRole('button', { name: 'Use a recovery code' }).click();
    await lost.page.getByLabel('Recovery code').fill(recovery);
    await lost.page.getByRole('button', { name: 'Verify' }).click();
    await lost.page.getByRole('navigation', { name: 'Main' }).waitFor();
    lost.quiet();
  },
);

browserTest('a passkey is made on this device, and shown the next time', async t => {
  const { api, member, session } = await world(t, { settings: { ENVIRONMENT: 'production', HOST: 'localhost' } });
  const owner = await member('owner');
  const { page, context, quiet } = await openWindow(t, api.address, { cookie: (await session(owner.id)).cookie });
  const protocol = await context.newCDPSession(page);
  await protocol.send('WebAuthn.enable');
  await protocol.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto('/');
  await page.getByLabel('Passkey name').fill('laptop');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  const [name = '', value = ''] = (await session(owner.id)).cookie.split('=');
  // The page of the first session must not ask anything as the second.
  await page.goto('about:blank');
  await context.addCookies([{ name, value, url: api.address }]);
  await page.goto('/');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  quiet();
});
