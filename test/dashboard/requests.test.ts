import { alert } from '#test/helpers/alert.ts';
import { browserTest, openWindow } from '#test/helpers/chromium.ts';
import { inhabit } from '#test/helpers/inhabit.ts';
import { event } from '#test/helpers/make.ts';
import { pageOf } from '#test/helpers/pages.ts';
import { world } from '#test/helpers/world.ts';

/** Pages with rows of many agents. */
const crowded = [
  '/',
  '/incidents',
  '/alerts',
  '/alerts/:id',
  '/cases/:id',
  '/events',
  '/events/:id',
  '/agents',
  '/mandates',
] as const;
const MOST_REQUESTS = 20;
type Row = { id: string; chain_seq: number; agent_id: string; owner_id: string };

const AGENTS = 250;
const PER_PAGE = 50;

browserTest('no page asks more than twenty times, however many agents its rows are of', async t => {
  const here = await world(t);
  const { api, as, db, tenant, analyze, person } = here;
  const { ids } = await inhabit(here);
  // The agents of the newest rows are not those of the newest agents.
  const sent = (agent: number) => event({ agent: `of-many-${agent}`, payee: `domain:shop-${agent}.example.com` });
  await as.post('/v1/events', { events: Array.from({ length: AGENTS }, (_, agent) => sent(agent)) });
  await as.post('/v1/events', { events: Array.from({ length: PER_PAGE }, (_, agent) => sent(agent)) });
  await analyze();
  const owner = await person('owner');
  const { body } = await as.get(`/v1/events?limit=${PER_PAGE}`);
  const constraints = [{ type: 'payment.amount_range', max: '5000', currency: 'USD' }];
  const alert_ids = await Promise.all(
    body.data.map(async (row: Row) => {
      const { id, agent_id, owner_id } = row;
      await owner.post('/v1/mandates', { agent_id, owner_id, name: 'Small', constraints });
      return alert(db, tenant, { agent_id, events: [row], subject: id });
    }),
  );
  const cases = ids.filter(id => id.startsWith('cas_'));
  const links = { alert_ids, event_ids: body.data.map(({ id }: { id: string }) => id) };
  for (const id of cases) await owner.post(`/v1/cases/${id}/links`, links);

  const { page, visit, quiet } = await openWindow(t, api.address, { cookie: owner.cookie });
  let asked: string[] = [];
  page.on('request', request => asked.push(request.url().slice(api.address.length)));
  for (const path of crowded) {
    asked = [];
    await visit(pageOf(path, ids));
    t.true(asked.length <= MOST_REQUESTS, `${path} asks ${asked.length} times: ${asked.join(' ')}`);
  }
  await visit('/events');
  const named = page.locator('tbody').getByRole('link', { name: /^of-many-/ });
  await named.nth(PER_PAGE - 1).waitFor();
  t.is(await named.count(), PER_PAGE);
  quiet();
});
