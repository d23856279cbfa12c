import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { byAcme } from '#test/helpers/psp.ts';
import { ofAcme, secret, signing, withSource } from '#test/helpers/psp_source.ts';

browserTest(
  'a source shows what it could not read, why, and reads it again when its mapping was corrected',
  async t => {
    const { api, as, person, send, path, source } = await withSource(t, ofAcme);
    const body = {
      amount: 5,
      currency: 'USD',
      id: 'pay-1',
      note: `<img src=x onerror="alert(1)">${'x'.repeat(3_000)}`,
    };
    t.is((await send(byAcme(secret, body))).status, 202);
    const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
    await page.goto('/sources');
    await page.getByRole('link', { name: 'till' }).click();
    const section = page.getByRole('region', { name: 'Unread webhooks' });
    await section.getByText('The body does not say what happened to the payment').waitFor();
    await section.getByText(/^Body, 3,\d+ bytes$/).click();
    const shown = (await section.locator('pre').textContent()) ?? '';
    t.true(shown.includes('<img src=x onerror='));
    t.is(shown.length, 2_001, 'cut');
    t.is(await page.locator('img').count(), 0);
    await check('a source with an unread webhook');

    await section.getByRole('button', { name: 'Retry' }).click();
    await section.getByText('0 read, 1 still unread.').waitFor();
    const mapping = { type: { value: 'payment.settled' }, payment_id: '/id' };
    const psp_config = { ...signing, mapping, default_agent: 'buyer-1', default_owner: 'team-1' };
    await as.patch(path, { psp_config });
    await section.getByRole('button', { name: 'Retry' }).click();
    await section.getByText('1 read, 0 still unread.').waitFor();
    await section.getByText('None. Every webhook').waitFor();
    t.is((await as.get('/v1/events')).body.data[0].source_id, source.id);
    quiet();
  },
);
