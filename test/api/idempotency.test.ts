import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { pruneTable } from '#shared/running/work/prune.ts';
import { alert } from '#test/helpers/alert.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const till = { name: 'till', kind: 'other' };
const withKey = (key: string) => ({ 'idempotency-key': key });
const sourcesOf = async (client: { get(path: string): Promise<{ body: { data: { name: string }[] } }> }) =>
  (await client.get('/v1/sources')).body.data.filter(source => source.name === 'till').length;

test('the same request with the same key is done once, and answered as the first time', async t => {
  const { as } = await world(t);
  const first = await as.post('/v1/sources', till, withKey('k-1'));
  const again = await as.post('/v1/sources', till, withKey('k-1'));
  t.deepEqual([first.status, again.status], [201, 201]);
  t.deepEqual(again.body, first.body);
  t.is(first.headers.get('idempotent-replayed'), null);
  t.is(again.headers.get('idempotent-replayed'), 'true');
  t.not(again.headers.get('request-id'), first.headers.get('request-id'));
  t.is(await sourcesOf(as), 1);
});

test('a body is the same however it is spelled, and a key quoted or bare', async t => {
  const { as } = await world(t);
  const first = await as.post('/v1/sources', till, withKey('k-1'));
  const again = await as.send('POST', '/v1/sources', {
    body: ' {"kind" : "other", "name":"till"}',
    headers: { 'content-type': 'application/json', ...withKey('"k-1"') },
  });
  t.is(again.body.id, first.body.id);
});

test('the key of one request is refused for another', async t => {
  const { as } = await world(t);
  await as.post('/v1/sources', till, withKey('k-1'));
  const other = await as.post('/v1/sources', { ...till, name: 'another' }, withKey('k-1'));
  t.is(other.status, 422);
  t.is(other.body.error.code, 'idempotency_key_reused');
});

test('a key belongs to one credential, one path and one organization', async t => {
  const { as, withScopes, client, key, organization, db, tenant } = await world(t);
  const colleague = await withScopes('events:write', 'events:read');
  const stranger = client((await key((await organization('Rival')).id)).key);
  const ids = [];
  for (const sender of [as, colleague, stranger])
    ids.push((await sender.post('/v1/sources', till, withKey('k-1'))).body.id);
  t.is(new Set(ids).size, 3);
  await as.post('/v1/events', event());
  const alert_id = await alert(db, tenant);
  const action = await as.post(`/v1/alerts/${alert_id}/actions`, { action: 'acknowledge' }, withKey('k-1'));
  t.is(action.status, 200);
});

test('of ten requests at once with one key one is done; the others are told to wait, or get its answer', async t => {
  const { as } = await world(t);
  const replies = await Promise.all(Array.from({ length: 10 }, () => as.post('/v1/sources', till, withKey('raced'))));
  for (const { status, headers, body } of replies) {
    t.true(status === 201 || status === 409, `${status}`);
    if (status === 409) t.deepEqual([body.error.code, headers.get('retry-after')], ['conflict', '1']);
  }
  const done = replies.filter(({ status }) => status === 201);
  t.true(done.length >= 1);
  t.is(new Set(done.map(({ body }) => body.id)).size, 1);
  t.is(await sourcesOf(as), 1);
  t.is((await as.post('/v1/sources', till, withKey('raced'))).body.id, done[0]?.body.id);
});

test('what was refused after validation is refused again the same way, though the state has changed since', async t => {
  const { as, db, tenant } = await world(t);
  await as.post('/v1/events', event());
  const path = `/v1/alerts/${await alert(db, tenant)}/actions`;
  const refused = await as.post(path, { action: 'reopen' }, withKey('k-1'));
  t.is(refused.status, 409);
  t.is((await as.post(path, { action: 'resolve' })).status, 200);
  const again = await as.post(path, { action: 'reopen' }, withKey('k-1'));
  t.deepEqual(again.body.error, refused.body.error);
  t.is(again.headers.get('idempotent-replayed'), 'true');
  t.is((await as.get(path.replace('/actions', ''))).body.state, 'resolved');
  t.is((await as.post(path, { action: 'reopen' }, withKey('k-2'))).status, 200);
});

test('what did not get as far as being tried does not use up its key', async t => {
  const { as, withScopes } = await world(t);
  t.is((await as.post('/v1/sources', { name: 'till' }, withKey('k-1'))).status, 400);
  t.is((await (await withScopes('events:read')).post('/v1/sources', till, withKey('k-1'))).status, 403);
  const corrected = await as.post('/v1/sources', till, withKey('k-1'));
  t.is(corrected.status, 201);
  t.is(corrected.headers.get('idempotent-replayed'), null);
});

test('a refusal undoes what was begun, and an effect is never without its answer', async t => {
  const { as, db, tenant } = await world(t, { own_database: true });
  await as.post('/v1/events', event());
  const id = await alert(db, tenant);
  await as.post(`/v1/alerts/${id}/actions`, { action: 'reopen' }, withKey('k-1'));
  const Counts = z.object({ actions: z.number(), audit: z.number(), answers: z.number() });
  const counts = () =>
    db.one(sql.type(
      Counts,
    )`select (select count(*) from alert_actions) as actions, (select count(*) from audit_log) as audit,
      (select count(*) from idempotency_keys) as answers`);
  t.deepEqual(await counts(), { actions: 0, audit: 0, answers: 1 });
  await as.post(`/v1/alerts/${id}/actions`, { action: 'acknowledge' }, withKey('k-2'));
  t.deepEqual(await counts(), { actions: 1, audit: 1, answers: 2 });
});

test('a key is forgotten after 24 hours, and its row removed', async t => {
  let time = Date.parse('2026-11-20T10:00:00Z');
  const { as, db } = await world(t, { now: () => time });
  const first = await as.post('/v1/sources', till, withKey('k-1'));
  time += 24 * 3_600_000 - 1;
  t.is((await as.post('/v1/sources', till, withKey('k-1'))).body.id, first.body.id);
  t.is(await pruneTable(db, 'idempotency_keys', time), 0);
  time += 1;
  t.is(await pruneTable(db, 'idempotency_keys', time), 1);
  const later = await as.post('/v1/sources', till, withKey('k-1'));
  t.not(later.body.id, first.body.id);
  time += 24 * 3_600_000;
  t.not(
    (await as.post('/v1/sources', till, withKey('k-1'))).body.id,
    later.body.id,
    'also while its row is still there',
  );
});

test('a key that is none is refused: empty, too long, or not printable ASCII', async t => {
  const { as } = await world(t);
  for (const key of ['', '""', 'x'.repeat(256), 'é', 'a\tb']) {
    const { status, body } = await as.post('/v1/sources', till, withKey(key));
    t.is(status, 400, key);
    t.is(body.error.details[0].path, 'header.idempotency-key');
  }
  t.is((await as.post('/v1/sources', till, withKey('x'.repeat(255)))).status, 201);
});

test('events have their id for a key: the header changes nothing there', async t => {
  const { as } = await world(t);
  t.is((await as.post('/v1/events', event(), withKey('k-1'))).status, 201);
  t.is((await as.post('/v1/events', event(), withKey('k-1'))).status, 201);
});
