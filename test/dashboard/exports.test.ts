import { beginHour, failHour } from '#shared/exports/store/schedule_claims.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

browserTest('what the filters of a list leave is exported, or all of it', async t => {
  const { api, as, person } = await world(t);
  await as.post('/v1/events', { events: [event(), event({ rail: 'sepa' })] });
  const { page, visit, quiet, check } = await openWindow(t, api.address, {
    cookie: (await person('developer')).cookie,
  });
  const made = async () => (await as.get('/v1/exports')).body.data.map(({ filters }: { filters: object }) => filters);
  await visit('/events?rail=sepa&period=30d');
  await page.getByRole('button', { name: 'Export' }).click();
  const narrowed = page.getByRole('checkbox', { name: 'Only events that match the filters of this list' });
  t.true(await narrowed.isChecked());
  await check('an export of what filters leave');
  const lines = page.getByRole('region', { name: 'Recent exports' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Create export' }).click();
  await lines.nth(0).waitFor();
  t.deepEqual(await made(), [{ rail: 'sepa' }]);
  await narrowed.uncheck();
  await page.getByRole('button', { name: 'Create export' }).click();
  await lines.nth(1).waitFor();
  t.deepEqual(await made(), [{}, { rail: 'sepa' }]);
  await visit('/events');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByText('All events of all time').waitFor();
  t.is(await narrowed.count(), 0);
  quiet();
});

browserTest('records are exported by the hour from where they are listed, which says how far that is', async t => {
  const { api, as, person, db, tenant } = await world(t);
  await as.post('/v1/events', event());
  for (const dark of [false, true]) {
    const cookie = (await person('developer')).cookie;
    const { page, visit, quiet, check } = await openWindow(t, api.address, { cookie, dark });
    await visit('/events');
    await page.getByRole('button', { name: 'Export' }).click();
    const section = page.getByRole('region', { name: 'Hourly export' });
    const choice = section.getByLabel('Format');
    t.is(await choice.inputValue(), '');
    t.true(await section.getByRole('button', { name: 'Save' }).isDisabled());
    await choice.selectOption('ndjson');
    await section.getByRole('button', { name: 'Save' }).click();
    await section.getByText(`warehouse/${tenant.org_id}/sandbox/events`).waitFor();
    const shot = async (name: string) => {
      const folder = process.env['SHOTS'];
      if (folder) await page.screenshot({ path: `${folder}/${name}${dark ? '_dark' : ''}.png` });
    };
    await shot('on');
    await check('exports by the hour');
    const later = Date.now() + DAY;
    const held = await beginHour(db, tenant, 'events', later);
    if (held) await failHour(db, tenant, held, 'The storage did not take it. It is tried again.', later + HOUR);
    await section.getByText('The storage did not take it.').waitFor();
    await shot('failed');
    await check('an hour that could not be written');
    await choice.selectOption('');
    await section.getByRole('button', { name: 'Save' }).click();
    await section.getByText('Paused.').waitFor();
    quiet();
  }
});
