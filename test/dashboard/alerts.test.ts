import { alert } from '#test/helpers/alert.ts';
import { browserTest, desktop, openWindow, phone } from '#test/helpers/chromium.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

/** An agent that has paid somebody; answers with its id. */
async function agentOf({ as, analyze }: World): Promise<string> {
  const sent = event();
  await as.post('/v1/events', sent);
  await analyze();
  return (await as.get(`/v1/events/${sent.id}`)).body.agent_id;
}

browserTest('a queue of alerts is worked off by keyboard, and nothing moves away under the reader', async t => {
  const here = await world(t);
  const { api, db, tenant, person, as } = here;
  const agent_id = await agentOf(here);
  const ids = [];
  for (const title of ['Third', 'Second', 'First'])
    ids.unshift(await alert(db, tenant, { title, agent_id, subject: title }));
  const { page, quiet, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/alerts');
  await page.getByRole('link', { name: 'First' }).first().waitFor();
  await check('alerts');
  await page.keyboard.press('a');
  await page.locator('tr.gone', { hasText: 'First' }).waitFor();
  await page.locator('tr[aria-current]', { hasText: 'Second' }).waitFor();
  await page.keyboard.press('d');
  await check('a dialog that asks why');
  await page.getByLabel('Why this is a false alarm').fill('pay day');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('tr.gone', { hasText: 'Second' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Third', level: 1 }).waitFor();
  const states = await Promise.all(ids.map(async id => (await as.get(`/v1/alerts/${id}`)).body.state));
  t.deepEqual(states, ['acknowledged', 'dismissed', 'open']);
  const { body } = await as.get(`/v1/alerts/${ids[1]}`);
  t.is(body.actions.at(-1).reason, 'pay day');
  quiet();
});

browserTest('on a phone an alert is escalated by hand, which opens a case', async t => {
  const here = await world(t);
  const { api, db, tenant, person, as } = here;
  const agent_id = await agentOf(here);
  const id = await alert(db, tenant, { title: 'Too many payments to Quotebook', agent_id });
  const cookie = (await person('developer')).cookie;
  const { page, quiet, check } = await openWindow(t, api.address, { cookie, viewport: phone });
  await page.goto('/alerts');
  await page.getByRole('link', { name: 'Too many payments to Quotebook' }).click();
  await page.getByRole('button', { name: 'Escalate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Escalate' }).click();
  await page.getByText('In case').waitFor();
  await check('an escalated alert');
  t.is((await as.get(`/v1/alerts/${id}`)).body.state, 'escalated');
  quiet();
});

browserTest('what arrives is counted without moving a row, and shown when it is asked for', async t => {
  const here = await world(t);
  const { api, db, tenant, person } = here;
  const agent_id = await agentOf(here);
  await alert(db, tenant, { title: 'Known', agent_id, subject: 'a' });
  const { page, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  await page.goto('/alerts');
  await page.getByRole('link', { name: 'Known' }).first().waitFor();
  const places = async () => {
    const tops = [];
    for (const viewport of [phone, desktop]) {
      await page.setViewportSize(viewport);
      tops.push((await page.getByRole('table').boundingBox())?.y);
    }
    return tops;
  };
  const before = await places();
  await alert(db, tenant, { title: 'Fresh', agent_id, subject: 'b' });
  const button = page.getByRole('button', { name: '1 new' });
  await button.waitFor();
  t.deepEqual(await places(), before);
  t.is(await page.getByRole('link', { name: 'Fresh' }).count(), 0);
  await button.click();
  await page.getByRole('link', { name: 'Fresh' }).first().waitFor();
  quiet();
});

browserTest('a name that is written from right to left keeps its place in the texts of an alert', async t => {
  const { api, as, analyze, person } = await world(t);
  const twice = [0, 1].map(() => event({ payee: 'domain:a.example.com', payee_name: 'מסעדה 24', cents: '53500' }));
  await as.post('/v1/events', { events: twice });
  await analyze();
  const { page, visit, quiet } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  const { body } = await as.get('/v1/alerts?detector=duplicate_payment');
  await visit(`/alerts/${body.data[0].id}`);
  await page.getByRole('heading', { level: 1, name: 'Paid \u2068מסעדה 24\u2069 $535.00 twice' }).waitFor();
  const numbers = await page.locator('.lead strong').allTextContents();
  t.true(numbers.includes('$535.00'));
  t.false(numbers.includes('24'));
  quiet();
});

browserTest('the long name of an agent stays on the page of its alert', async t => {
  const { api, as, db, tenant, person } = await world(t);
  const agent = { external_id: 'long', name: 'n'.repeat(200) };
  const { agent_id } = (await as.post('/v1/events', event({ more: { agent } }))).body;
  const id = await alert(db, tenant, { agent_id });
  const { visit, page, check } = await openWindow(t, api.address, { cookie: (await person('developer')).cookie });
  for (const viewport of [desktop, phone]) {
    await page.setViewportSize(viewport);
    await visit(`/alerts/${id}`);
    await check(`an alert on ${viewport.width} px`);
  }
});
