import { alert } from '#test/helpers/alert.ts';
import { browserTest, desktop, openWindow, phone } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

browserTest('the alert budget is changed where detectors are set, beside what became of it', async t => {
  const { api, as, person } = await world(t);
  const { cookie } = await person('developer');
  const { page, quiet, check } = await openWindow(t, api.address, { cookie });
  await page.goto('/detectors');
  const budget = page.getByRole('region', { name: 'Alert budget' });
  await budget.getByText('too few for a rate').waitFor();
  await budget.getByRole('button', { name: 'Edit budget' }).click();
  await budget.getByLabel('False alarms per agent and month').fill('0.25');
  await page.setViewportSize(phone);
  await check('the form on a phone');
  await budget.getByRole('button', { name: 'Save changes' }).click();
  await budget.getByText('Budget set').waitFor();
  t.is((await as.get('/v1/alert-budget')).body.per_agent_month, 0.25);
  await page.emulateMedia({ colorScheme: 'dark' });
  await check('the budget in the dark', ['color-contrast']);
  quiet();
});

browserTest('a dismissal says what it taught, and the page of the detector forgets it', async t => {
  const { api, as, db, tenant, analyze, person } = await world(t);
  const sent = event();
  await as.post('/v1/events', sent);
  await analyze();
  const { agent_id, payee_id } = (await as.get(`/v1/events/${sent.id}`)).body;
  const id = await alert(db, tenant, {
    agent_id,
    detector: 'amount_outlier',
    subject: payee_id,
    conduct_at: Date.now(),
    title: 'Much paid',
  });
  const { cookie } = await person('developer');
  const { page, quiet, check } = await openWindow(t, api.address, { cookie });
  await page.goto(`/alerts/${id}`);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByLabel('Why this is a false alarm').fill('a yearly invoice');
  await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('What the detector learned').waitFor();
  await check('what an alert taught');
  await page.goto('/detectors/amount_outlier');
  const lessons = page.getByRole('region', { name: 'Learned from feedback' });
  await lessons.getByText('3× as common').waitFor();
  await page.getByText('payment number 6').waitFor();
  await page.getByText('The alert budget decides when this detector raises an alert.').waitFor();
  for (const viewport of [phone, desktop]) {
    await page.setViewportSize(viewport);
    await check('lessons');
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await check('lessons in the dark', ['color-contrast']);
  await lessons.getByRole('button', { name: 'Forget' }).click();
  await check('a dialog that asks whether to forget', ['color-contrast']);
  await page.getByRole('button', { name: 'Forget feedback' }).click();
  await lessons.getByText('Nothing yet').waitFor();
  t.deepEqual((await as.get('/v1/detectors/amount_outlier/quality')).body.lessons, []);
  quiet();
});
