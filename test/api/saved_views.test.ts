import test from 'ava';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const view = { page: '/events', name: 'Failed today', query: 'status=failed&period=today' };

test('a saved view is shared by all members of the organization, and by nobody else', async t => {
  const { person, as } = await world(t);
  const [ada, ben] = [await person('developer'), await person('admin')];
  const { status, body: saved } = await ada.post('/v1/saved-views', view);
  t.is(status, 201);
  t.like(saved, { ...view, created_by: ada.user.id });
  await ben.post('/v1/saved-views', { ...view, page: '/alerts' });
  t.deepEqual((await ben.get('/v1/saved-views?page=/events')).body.data, [saved]);
  t.is((await ben.get('/v1/saved-views')).body.data.length, 2);
  t.is((await as.get('/v1/saved-views')).status, 403);
  t.deepEqual((await ben.delete(`/v1/saved-views/${saved.id}`)).body, saved);
  t.is((await ben.delete(`/v1/saved-views/${saved.id}`)).status, 404);
  t.deepEqual((await ada.get('/v1/saved-views?page=/events')).body.data, []);
});

test('a name is once on a page, and a page is an address of the dashboard', async t => {
  const { person } = await world(t);
  const ada = await person('developer');
  t.is((await ada.post('/v1/saved-views', view)).status, 201);
  t.is((await ada.post('/v1/saved-views', view)).status, 409);
  t.is((await ada.post('/v1/saved-views', { ...view, page: '/alerts' })).status, 201);
  for (const page of ['events', 'https://example.com', '//example.com', '/events/../x'])
    t.is((await ada.post('/v1/saved-views', { ...view, name: 'x', page })).status, 400, page);
  t.is((await ada.post('/v1/saved-views', { ...view, name: 'x', query: 'a b' })).status, 400);
});

test('cases are listed by priority and by what changed last, page by page', async t => {
  const { as } = await world(t);
  await as.post('/v1/events', event());
  const ids: Record<string, string> = {};
  for (const priority of ['low', 'critical', 'medium', 'high'])
    ids[priority] = (await as.post('/v1/cases', { title: priority, priority })).body.id;
  const byPriority: string[] = [];
  let cursor: string | null = null;
  do {
    const { body } = await as.get(`/v1/cases?sort=priority&limit=1${cursor ? `&cursor=${cursor}` : ''}`);
    byPriority.push(body.data[0].title);
    cursor = body.next_cursor;
  } while (cursor);
  t.deepEqual(byPriority, ['critical', 'high', 'medium', 'low']);
  await as.post(`/v1/cases/${ids['low']}/comments`, { text: 'Looked at.' });
  t.is((await as.get('/v1/cases?sort=updated_at')).body.data[0].title, 'low');
});
