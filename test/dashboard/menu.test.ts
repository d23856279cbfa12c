import { browserTest, openWindow, phone } from '#test/helpers/chromium.ts';
import { world } from '#test/helpers/world.ts';

browserTest('the menu of a phone is closed with Escape, and the focus is back on its button', async t => {
  const { api, person } = await world(t);
  const cookie = (await person('developer')).cookie;
  const { page, visit, quiet } = await openWindow(t, api.address, { cookie, viewport: phone });
  await visit('/events');
  const menu = page.getByRole('button', { name: 'Menu' });
  await menu.click();
  await page.getByRole('link', { name: 'Mandates' }).focus();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Mandates' }).waitFor({ state: 'hidden' });
  t.is(await menu.getAttribute('aria-expanded'), 'false');
  t.true(await menu.evaluate(button => button === button.ownerDocument.activeElement));
  quiet();
});
