import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { MARK, marked } from '#test/helpers/marked.ts';
import { world } from '#test/helpers/world.ts';

browserTest('an owner sees what would be erased before it is, and others are told whose page it is', async t => {
  const { api, as, person } = await world(t);
  const { body } = await as.post('/v1/events', marked());
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('owner')).cookie });
  await page.goto('/erasures');
  await page.getByRole('button', { name: 'Erase data' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Payee').fill(`${MARK} Ltd`);
  await dialog.getByLabel('Reason').fill('Request 4711');
  await check('the dialog of an erasure');
  await dialog.getByRole('button', { name: 'Count what would be erased' }).click();
  await dialog.getByText('To erase: 1 events').waitFor();
  t.is((await as.get(`/v1/payees/${body.payee_id}`)).body.name, `${MARK} Ltd`);
  await dialog.getByRole('button', { name: 'Erase permanently' }).click();
  await page.getByText('Request 4711').first().waitFor();
  t.is((await as.get(`/v1/payees/${body.payee_id}`)).body.name, null);
  quiet();

  const other = await openWindow(t, api.address, { cookie: (await person('admin')).cookie });
  await other.page.goto('/erasures');
  await other.page.getByText('Only owners can see and request erasures.').waitFor();
  other.quiet();
});
