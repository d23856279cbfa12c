import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import type { Client } from '#test/helpers/client.ts';
import { world } from '#test/helpers/world.ts';

const read = async (client: Client, query = '') => (await client.get(`/v1/audit-log?${query}`)).body.data;
const actionsOf = async (client: Client, query: string) =>
  (await read(client, query)).map(({ action }: { action: string }) => action);

test('the audit log says who did what to what, how it was and how it is, newest first', async t => {
  const { person, as, full } = await world(t, { now: () => Date.parse('2026-11-20T10:00:00.000Z') });
  const owner = await person('owner');
  const { body: opened } = await as.post('/v1/cases', { title: 'Odd payments' });
  const { headers, body: changed } = await owner.patch(`/v1/cases/${opened.id}`, { priority: 'high' });
  const [last, first, ...more] = await read(owner);
  t.deepEqual(more, []);
  t.deepEqual(last, {
    id: last.id,
    action: 'case.changed',
    actor_id: owner.user.id,
    target_id: opened.id,
    before: opened,
    after: changed,
    request_id: headers.get('request-id'),
    at: '2026-11-20T10:00:00.000Z',
  });
  t.like(first, { action: 'case.created', actor_id: full.id, before: null, after: opened });
});

test('it is found by action, actor, target and time, page by page', async t => {
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const { person, as, full } = await world(t, { now: () => time });
  const owner = await person('owner');
  const { body: opened } = await as.post('/v1/cases', { title: 'x' });
  time += 60_000;
  await owner.post(`/v1/cases/${opened.id}/comments`, { text: 'seen' });
  time += 60_000;
  const kid = 'did:web:a.example#1';
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  await owner.post('/v1/trusted-keys', { use: 'any', kid, jwk });
  t.deepEqual(await actionsOf(owner, 'action=case.created'), ['case.created']);
  t.deepEqual(await actionsOf(owner, `actor_id=${owner.user.id}`), ['trusted_key.added', 'case.commented']);
  t.deepEqual(await actionsOf(owner, `actor_id=${full.id.toLowerCase()}`), ['case.created']);
  t.deepEqual(await actionsOf(owner, `target_id=${opened.id.toLowerCase()}`), ['case.commented', 'case.created']);
  t.deepEqual(await actionsOf(owner, `target_id=${encodeURIComponent(kid)}`), ['trusted_key.added']);
  t.deepEqual(await actionsOf(owner, 'from=2026-11-20T10:01:00Z&to=2026-11-20T10:02:00Z'), ['case.commented']);
  t.deepEqual(await actionsOf(owner, `target_id=${newId('cas')}`), []);
  const { body } = await owner.get('/v1/audit-log?limit=2');
  t.deepEqual(await actionsOf(owner, `limit=2&cursor=${body.next_cursor}`), ['case.created']);
  for (const query of ['action=x', 'action=case.*', 'actor_id=ada', `target_id=${'x'.repeat(201)}`, 'before=x'])
    t.is((await owner.get(`/v1/audit-log?${query}`)).status, 400, query);
});

test('it is for admins and owners, and holds nothing of another organization', async t => {
  const { person, as, organization } = await world(t);
  const [admin, developer] = [await person('admin'), await person('developer')];
  const eve = await person('owner', { of: (await organization('Rival')).id });
  await as.post('/v1/cases', { title: 'one' });
  await as.post('/v1/cases', { title: 'two' });
  t.is((await as.get('/v1/audit-log')).status, 403);
  t.is((await developer.get('/v1/audit-log')).status, 403);
  t.deepEqual(await read(eve), []);
  const { next_cursor } = (await admin.get('/v1/audit-log?limit=1')).body;
  t.is((await eve.get(`/v1/audit-log?limit=1&cursor=${next_cursor}`)).status, 400);
});
