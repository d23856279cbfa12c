import type { Locator } from 'playwright-core';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { workOn } from '#test/helpers/packs.ts';
import { flow, noon } from '#test/shared/assessment/flow.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

/** Clicks, and counts them. */
function counted() {
  const steps = { clicks: 0 };
  const click = async (locator: Locator) => {
    steps.clicks += 1;
    await locator.click();
  };
  return { steps, click };
}

browserTest('a runaway agent becomes a pack with a link to share in six clicks or fewer', async t => {
  const w = await world(t);
  const sent = event();
  await w.as.post('/v1/events', sent);
  await w.analyze();
  const { agent_id, chain_seq } = (await w.as.get(`/v1/events/${sent.id}`)).body;
  await alert(w.db, w.tenant, { agent_id, events: [{ id: sent.id, chain_seq }], title: 'Paid 40 times in 5 minutes' });
  const { page, quiet } = await openWindow(t, w.api.address, { cookie: (await w.person('developer')).cookie });
  const { steps, click } = counted();
  await page.goto('/incidents');
  await click(page.getByRole('link', { name: 'Paid 40 times in 5 minutes' }).first());
  await click(page.getByRole('link', { name: 'Build pack' }));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Build pack' }));
  await page.waitForURL(/\/packs\/pck_/);
  await workOn(w, new URL(page.url()).pathname.slice('/packs/'.length));
  await click(page.getByRole('button', { name: 'Create link' }));
  await click(page.getByRole('button', { name: 'Copy link' }));
  t.regex(String(await page.evaluate('navigator.clipboard.readText()')), /\/share\/[\w-]{40,}$/);
  t.log(`${steps.clicks} clicks`);
  t.true(steps.clicks <= 6, `${steps.clicks} clicks`);
  quiet();
});

browserTest('twenty incidents are triaged by keyboard, a key each', async t => {
  const w = await world(t);
  for (let index = 0; index < 20; index += 1)
    await alert(w.db, w.tenant, { incident_id: newId('inc'), agent_id: newId('agt'), title: `Incident ${index}` });
  const { page, quiet, expects } = await openWindow(t, w.api.address, { cookie: (await w.person('developer')).cookie });
  // Nobody has reported the agents of these.
  expects(404);
  await page.goto('/incidents');
  await page.getByRole('complementary').waitFor();
  const handled = async () =>
    (await w.as.get('/v1/incidents?limit=50')).body.data.filter((each: { acknowledged: boolean }) => each.acknowledged)
      .length;
  for (let keys = 1; keys <= 20; keys += 1) {
    await page.keyboard.press('a');
    // Some are pressed while the one before is not answered yet.
    if (keys % 4 === 0) await until(async () => (await handled()) === keys);
  }
  await page.getByText('Incident acknowledged').waitFor();
  await page.keyboard.press('u');
  await until(async () => (await handled()) === 19);
  quiet();
});

browserTest(
  'what broke a budget, by how much, and what else was paid under it, is two clicks away or nearer',
  async t => {
    const w = await flow(t, { start: noon });
    const { id } = await w.mandate([
      { type: 'payment.budget', max: '10000', currency: 'USD', interval: 'daily', window: 'calendar', tz: 'UTC' },
    ]);
    await w.send(['6000', '4800'].map((cents, index) => w.pay({ at: (index - 2) * 3_600_000, cents })));
    await w.analyze();
    const { page, quiet } = await openWindow(t, w.api.address, { cookie: w.admin.cookie });
    const { steps, click } = counted();
    await page.goto('/incidents');
    await page.getByRole('complementary').getByText('$108.00').first().waitFor();
    await click(page.getByRole('complementary').getByRole('heading', { level: 2 }).getByRole('link'));
    await click(page.getByRole('link', { name: 'View mandate' }));
    await page.waitForURL(`**/mandates/${id}`);
    await page.getByText('$108.00 of $100.00 used').waitFor();
    const breaches = page.getByRole('region', { name: 'Breaches' });
    await breaches.getByText('$48.00').waitFor();
    t.is(await breaches.locator('tbody tr').count(), 1);
    t.log(`${steps.clicks} clicks`);
    t.true(steps.clicks <= 2);
    quiet();
  },
);

browserTest('a payment is found by its amount in two actions: typing it, and Enter', async t => {
  const { api, as, person } = await world(t);
  const sent = event({ cents: '3577', payee_name: 'Blue Bistro' });
  await as.post('/v1/events', { events: [sent, event({ cents: '3578' })] });
  const { page, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('35.77');
  await page.getByRole('option', { name: /\$35\.77 to Blue Bistro/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/events/${sent.id}`);
  quiet();
});
