import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

browserTest('a key is made, shown once, sends an event, and is revoked', async t => {
  const { api, person, client } = await world(t);
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/api-keys');
  await page.getByRole('button', { name: 'Create API key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('checkout');
  await check('the dialog of a new key');
  await dialog.getByRole('button', { name: 'Create API key' }).click();
  await dialog
    .getByText(/hk_test_\w{32}/)
    .first()
    .waitFor();
  await check('a new key');
  const [key = ''] = /hk_test_\w{32}/.exec(await dialog.innerText()) ?? [];
  t.is((await client(key).post('/v1/events', event())).status, 201);
  await dialog
    .getByRole('button', { name: /I saved|Done|Close/ })
    .last()
    .click();
  await page.getByText('checkout').first().waitFor();
  t.false((await page.content()).includes(key));
  await page.getByRole('button', { name: 'Revoke checkout' }).click();
  await dialog.getByRole('button', { name: 'Revoke API key' }).click();
  await page.getByText('Revoked, test').waitFor();
  t.is((await client(key).post('/v1/events', event())).status, 401);
  quiet();
});

browserTest('a newcomer makes a key, sends the line that is shown, and the page goes on by itself', async t => {
  const { api, organization, member, session } = await world(t);
  const org = await organization('Newcomers');
  const user = await member('owner', org.id);
  const { cookie } = await session(user.id, org.id);
  const { page, quiet, check } = await openWindow(t, api.address, { cookie });
  await page.goto('/events');
  await page.getByRole('button', { name: 'Create API key' }).click();
  const line = page.locator('pre', { hasText: 'curl' }).first();
  await line.waitFor();
  await check('the first steps');
  const text = (await line.textContent()) ?? '';
  const [key = ''] = /hk_test_\w{32}/.exec(text) ?? [];
  const [body = ''] = /\{[\s\S]*\}/.exec(text) ?? [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const { status } = await fetch(`${api.address}/v1/events`, { method: 'POST', headers, body });
  t.is(status, 201);
  await page.locator('tbody tr').first().waitFor();
  quiet();
});

browserTest('what a field holds wrong is marked there alone, and the field gets the focus', async t => {
  const { api, person } = await world(t);
  const { page, quiet, check, expects } = await openWindow(t, api.address, {
    cookie: (await person('owner')).cookie,
  });
  expects(400);
  await page.goto('/trusted-keys');
  await page.getByRole('button', { name: 'Add trusted key' }).first().click();
  const dialog = page.getByRole('dialog');
  const key = dialog.getByLabel('Public key');
  await key.fill('{"kty": "EC", "crv": "P-256"}');
  await dialog.getByRole('button', { name: 'Add trusted key' }).click();
  await dialog.locator('[aria-invalid="true"]:focus').waitFor();
  const said = (await dialog.locator('.wrong').innerText()).trim();
  t.true(said.length > 0);
  t.is((await dialog.innerText()).split(said).length, 2, said);
  t.is(await dialog.getByRole('alert').count(), 0);
  await check('a form with a field that was refused');
  await page.goto('/packs');
  await page.getByRole('button', { name: 'Build pack' }).first().click();
  await dialog.getByLabel('Case', { exact: true }).fill('cas_01ARZ3NDEKTSV4RRFFQ69G5FAV');
  const fold = dialog.getByText('Redact evidence');
  await fold.click();
  await dialog.getByLabel('Other kinds').fill('BAD');
  await fold.click();
  await dialog.getByRole('button', { name: 'Build pack' }).click();
  await dialog.getByLabel('Other kinds').and(page.locator('[aria-invalid="true"]:focus')).waitFor();
  quiet();
});
