import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { workOn } from '#test/helpers/packs.ts';
import { publishCheckpoint } from '#shared/ledger/publish.ts';
import { world } from '#test/helpers/world.ts';

browserTest('a case is opened about an event, discussed, closed with a note, and told in its timeline', async t => {
  const { api, as, person } = await world(t);
  const sent = event();
  await as.post('/v1/events', sent);
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto(`/cases?new=1&event_id=${sent.id}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Who ordered this?');
  await check('the dialog of a new case');
  await dialog.getByRole('button', { name: /case/i }).click();
  await page.getByRole('heading', { name: 'Who ordered this?', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Assign to me' }).click();
  await page.getByRole('button', { name: 'Assign to me' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Close case' }).click();
  await dialog.getByRole('textbox').fill('The owner did.');
  await dialog.getByRole('button', { name: 'Close case' }).click();
  await page.getByText('The owner did.').first().waitFor();
  await check('a closed case');
  await page.keyboard.press('u');
  await page.getByRole('button', { name: 'Close case' }).waitFor();
  t.like((await as.get('/v1/cases')).body.data[0], { status: 'open', closing_note: null });
  await page.getByRole('button', { name: 'Close case' }).click();
  await dialog.getByRole('textbox').fill('The owner did.');
  await dialog.getByRole('button', { name: 'Close case' }).click();
  await page.getByRole('button', { name: 'Reopen case' }).waitFor();
  const [found] = (await as.get('/v1/cases')).body.data;
  t.like(found, { title: 'Who ordered this?', status: 'closed', closing_note: 'The owner did.' });
  quiet();
});

browserTest('a payment is found by its amount and added to a case', async t => {
  const { api, as, person } = await world(t);
  const sent = event({ cents: '3577' });
  await as.post('/v1/events', sent);
  const { id } = (await as.post('/v1/cases', { title: 'Who ordered this?' })).body;
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto(`/cases/${id}`);
  await page.getByLabel('Find').fill('$35.78');
  await page.getByText('Nothing matches.').waitFor();
  await page.getByLabel('Find').fill('$35.77');
  const add = page.getByRole('button', { name: /^Add payment \$35\.77 to / });
  await add.waitFor();
  await check('a payment that was found for a case');
  await add.click();
  await page.getByRole('heading', { name: 'Events (1)' }).waitFor();
  t.true(await add.isDisabled());
  t.deepEqual((await as.get(`/v1/cases/${id}`)).body.links.event_ids, [sent.id]);
  quiet();
});

browserTest('who undoes what somebody else has changed since is told', async t => {
  const { api, as, person } = await world(t);
  const { id } = (await as.post('/v1/cases', { title: 'Who ordered this?' })).body;
  const { page } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto(`/cases/${id}`);
  await page.getByRole('button', { name: 'Start investigation' }).click();
  const undo = page.getByRole('button', { name: /Undo/ });
  await undo.waitFor();
  await as.post(`/v1/cases/${id}/status`, { status: 'closed', closing_note: 'The owner did.' });
  await undo.click();
  await page.getByRole('alert').getByText('Someone else has changed the status since.').waitFor();
  t.is((await as.get(`/v1/cases/${id}`)).body.status, 'closed');
});

browserTest('a closing note that came after the case was closed is told as one', async t => {
  const { api, as, person } = await world(t);
  const { id } = (await as.post('/v1/cases', { title: 'Who ordered this?' })).body;
  await as.post(`/v1/cases/${id}/status`, { status: 'closed' });
  await as.post(`/v1/cases/${id}/status`, { status: 'closed', closing_note: 'The owner did.' });
  const { page } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto(`/cases/${id}`);
  await page.getByText('added the closing note').waitFor();
  t.is(await page.getByText('closed the case').count(), 1);
});

browserTest('a pack is built, shared by a link that a stranger opens, and the link revoked', async t => {
  const here = await world(t);
  const { api, as, person, services, tenant } = here;
  const sent = event({ payment_id: 'order-7' });
  await as.post('/v1/events', sent);
  await here.analyze();
  await publishCheckpoint(services, tenant);
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/packs?new=1&payment_id=order-7');
  await check('the dialog of a new pack');
  await page.getByRole('dialog').getByRole('button', { name: 'Build' }).click();
  await page.waitForURL(/\/packs\/pck_/);
  await workOn(here, new URL(page.url()).pathname.split('/').at(-1) ?? '');
  await page.getByRole('link', { name: /Download/ }).waitFor();
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByText('Copy the link now').waitFor();
  await check('a pack that is shared');
  const url = (await page.locator('.made pre').textContent()) ?? '';
  const stranger = await openWindow(t, api.address);
  await stranger.page.goto(url);
  await stranger.page.getByText('order-7').first().waitFor();
  stranger.quiet();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Revoke/ })
    .click();
  await page.getByText('Revoked').waitFor();
  t.is((await fetch(url)).status, 404);
  quiet();
});
