import { browserTest, openWindow, phone } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

browserTest('⌘K or / finds a payment by its amount, and offers it again later', async t => {
  const { api, as, person } = await world(t);
  const sent = event({ cents: '3577', payee_name: 'Blue Bistro', payment_id: 'pay_dinner' });
  await as.post('/v1/events', { events: [sent, event({ payee_name: 'Elsewhere' })] });
  const { page, quiet, check, visit } = await openWindow(t, api.address, {
    cookie: (await person('developer')).cookie,
  });
  await visit('/agents');
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Search' });
  const list = page.getByRole('listbox', { name: 'Results' });
  await list.getByRole('option', { name: 'Overview' }).waitFor();
  const height = (await list.boundingBox())?.height;
  await check('the search, before anything is typed');
  await box.fill('$35.77');
  const payment = list.getByRole('group', { name: 'Payments' }).getByRole('option');
  await payment.getByText('$35.77 to Blue Bistro').waitFor();
  t.is(await payment.count(), 1);
  t.is((await list.boundingBox())?.height, height, 'nothing moves');
  t.is(await box.getAttribute('aria-activedescendant'), await payment.getAttribute('id'));
  await page.getByRole('status').getByText('2 results').waitFor();
  await check('what was found');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/events/${sent.id}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  t.is(await page.getByRole('dialog').count(), 0);
  await page.keyboard.press('/');
  await list.getByRole('group', { name: 'Recent' }).getByText('$35.77 to Blue Bistro').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  t.is(await box.getAttribute('aria-activedescendant'), 'choice-0', 'the list goes round');
  await page.keyboard.press('Escape');
  t.is(await page.getByRole('dialog').count(), 0);
  quiet();
});

browserTest('on a phone the search has a button, leads to pages, and says when there is nothing', async t => {
  const { api, person } = await world(t);
  const { page, quiet, check, visit } = await openWindow(t, api.address, {
    cookie: (await person('developer')).cookie,
    viewport: phone,
    dark: true,
  });
  await visit('/agents');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.keyboard.type('zzyzx');
  await page.getByRole('status').getByText('No results').waitFor();
  await check('nothing found');
  await page.getByRole('combobox', { name: 'Search' }).fill('webh');
  await page.getByRole('option', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  t.is(await page.getByRole('dialog').count(), 0);
  quiet();
});

browserTest('an amount of dollars leads to the payments that came to it in other currencies', async t => {
  const { api, as, person } = await world(t);
  const euros = event({ cents: '3084', currency: 'EUR', payee_name: 'Bistro Bleu' });
  await as.post('/v1/events', { events: [euros, event({ cents: '3084', payee_name: 'Elsewhere' })] });
  const cents = (await as.get(`/v1/events/${euros.id}`)).body.payment.amount_usd_minor;
  t.not(cents, '3084');
  const { page, quiet, visit } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await visit('/agents');
  await page.keyboard.press('/');
  await page.keyboard.type(`$${cents.slice(0, -2)}.${cents.slice(-2)}`);
  await page.getByRole('option', { name: 'in any currency' }).click();
  await page.getByRole('link', { name: 'Bistro Bleu' }).waitFor();
  t.is(await page.locator('tbody tr').count(), 1);
  quiet();
});

browserTest('what one person opened is not offered to the next', async t => {
  const { api, as, person } = await world(t);
  await as.post('/v1/events', event({ cents: '3577', payee_name: 'Blue Bistro' }));
  const { page, context, quiet, visit } = await openWindow(t, api.address, {
    cookie: (await person('developer')).cookie,
  });
  await visit('/');
  await page.keyboard.press('/');
  await page.keyboard.type('35.77');
  await page.getByRole('option', { name: 'Blue Bistro' }).click();
  await page.waitForURL('**/events/evt_*');
  const [name = '', value = ''] = (await person('developer')).cookie.split(/=(.*)/);
  await context.addCookies([{ name, value, url: api.address }]);
  await visit('/');
  await page.keyboard.press('/');
  await page.getByRole('option', { name: 'Overview' }).waitFor();
  t.is(await page.getByRole('group', { name: 'Recent' }).count(), 0);
  quiet();
});
