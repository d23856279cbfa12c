import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { until } from '#test/helpers/until.ts';
import { screening, shipping } from '#test/helpers/screening.ts';

browserTest('a match is decided on beside the entry of the list, word by word', async t => {
  const { api, load, pay, screen, person, screenings } = await screening(t);
  await load([shipping]);
  await pay('Halvorsen Ocean Shiping Limited');
  await screen();
  const { context, page, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/screenings');
  await page.getByRole('link', { name: 'Halvorsen Ocean Shiping Limited' }).first().click();
  await page.getByText('Halvorsen Ocean Shipping Ltd').first().waitFor();
  await check('a screening');
  await page.getByRole('button', { name: 'Mark as false positive' }).click();
  const dialog = page.getByRole('dialog');
  await check('the dialog of a decision');
  await dialog.getByRole('textbox').fill('another company of that name');
  await dialog.getByRole('button', { name: 'Mark as false positive' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Marked as false positive.').waitFor({ state: 'detached' });
  t.like((await screenings())[0], { state: 'potential_match' });
  await page.getByRole('button', { name: 'Mark as false positive' }).click();
  await dialog.getByRole('textbox').fill('another company of that name');
  await dialog.getByRole('button', { name: 'Mark as false positive' }).click();
  // Who goes on does not wait, and hears of it where it could not be saved.
  await context.route('**/review', route => route.abort());
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Screenings' }).click();
  await page.getByRole('alert').getByText('Not saved').waitFor();
  await check('a decision that was not saved');
  await page.close();
  await context.unroute('**/review');
  t.like((await screenings())[0], { state: 'potential_match' });
  // What a page that was closed held is sent by the next one.
  const next = await context.newPage();
  await next.clock.setFixedTime(Date.now() + 10 * 60_000);
  await next.goto('/');
  await until(async () => (await screenings())[0]?.state === 'false_positive');
  const [decided] = await screenings();
  t.like(decided, { state: 'false_positive', reason: 'another company of that name' });
});
