import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const sound = { name: 'till', env: 'test' };

test('a person makes a key that sends events, and nothing else unless asked', async t => {
  const { person, client } = await world(t, { now: () => Date.parse('2026-11-20T10:00:00.000Z') });
  const ada = await person('developer');
  const { status, headers, body } = await ada.post('/v1/api-keys', { ...sound, name: ' till ' });
  t.is(status, 201);
  t.is(headers.get('cache-control'), 'no-store');
  const { key, ...record } = body;
  t.regex(key, /^hk_test_[A-Za-z0-9]{32}$/);
  t.deepEqual(record, {
    id: record.id,
    name: 'till',
    env: 'test',
    scopes: ['events:write'],
    prefix: key.slice(0, 12),
    created_at: '2026-11-20T10:00:00.000Z',
    last_used_at: null,
    revoked_at: null,
    expires_at: null,
    ip_allowlist: null,
    created_by: ada.user.id,
  });
  const till = client(key);
  t.is((await till.post('/v1/events', event({ at: Date.parse('2026-11-20T09:59:00Z') }))).status, 201);
  t.is((await till.get('/v1/events')).status, 403);
  const scopes = ['alerts:read', 'events:read', 'alerts:read'];
  t.deepEqual((await ada.post('/v1/api-keys', { ...sound, scopes })).body.scopes, ['alerts:read', 'events:read']);
});

test('a revoked key stops at once where that is handled, stays in the list, and is revoked once', async t => {
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const { person, client } = await world(t, { now: () => time });
  const ada = await person('developer');
  const { body: made } = await ada.post('/v1/api-keys', { ...sound, scopes: ['events:read'] });
  const till = client(made.key);
  t.is((await till.get('/v1/events')).status, 200);
  const { status, body } = await ada.delete(`/v1/api-keys/${made.id}`);
  t.is(status, 200);
  t.is((await till.get('/v1/events')).status, 401);
  const { key: _, ...record } = made;
  t.like(body, { ...record, last_used_at: body.last_used_at, revoked_at: '2026-11-20T10:00:00.000Z' });
  time += 60_000;
  const again = await ada.delete(`/v1/api-keys/${made.id}`);
  t.is(again.status, 200);
  t.is(again.body.revoked_at, body.revoked_at);
  const [listed] = (await ada.get('/v1/api-keys')).body.data;
  t.like(listed, { id: made.id, revoked_at: body.revoked_at });
});

test('a key that ends is refused from that moment on, like one that was revoked, and lists say when', async t => {
  const clock = { at: Date.parse('2026-11-20T10:00:00.000Z') };
  const { person, client } = await world(t, { now: () => clock.at });
  const ada = await person('developer');
  const given = { ...sound, scopes: ['events:read'] };
  const { body: made } = await ada.post('/v1/api-keys', { ...given, expires_at: '2026-11-20T12:00:00+01:00' });
  t.is(made.expires_at, '2026-11-20T11:00:00.000Z');
  const till = client(made.key);
  clock.at = Date.parse('2026-11-20T10:59:59.999Z');
  t.is((await till.get('/v1/events')).status, 200);
  clock.at += 1;
  const refused = await till.get('/v1/events');
  t.is(refused.status, 401);
  t.is(refused.body.error.code, 'unauthorized');
  t.is((await ada.get('/v1/api-keys')).body.data[0].expires_at, made.expires_at);
  const past = await ada.post('/v1/api-keys', { ...given, expires_at: '2026-11-20T11:00:00Z' });
  t.is(past.status, 400);
  t.is(past.body.error.details[0].path, '/expires_at');
});

test('a key that is bound to networks works from there alone; elsewhere it is refused like one that is unknown', async t => {
  const { person, client } = await world(t, { settings: { TRUSTED_PROXIES: '1' } });
  const ada = await person('developer');
  const given = { ...sound, scopes: ['events:read'] };
  const { body: made } = await ada.post('/v1/api-keys', { ...given, ip_allowlist: ['203.0.113.9/24', '2001:db8::1'] });
  t.deepEqual(made.ip_allowlist, ['203.0.113.0/24', '2001:db8::1/128']);
  const from = (address: string, key = made.key) => client(key).get('/v1/events', { 'x-forwarded-for': address });
  for (const address of ['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.7', '2001:db8::1'])
    t.is((await from(address)).status, 200, address);
  for (const address of ['203.0.114.0', '2001:db8::2', '::ffff:203.0.112.7', 'nonsense']) {
    const { status, body } = await from(address);
    t.is(status, 401, address);
    t.deepEqual(body.error, (await from(address, `hk_test_${'a'.repeat(32)}`)).body.error);
  }
  for (const range of ['10.0.0.0/33', '::ffff:10.0.0.0/104', '10.1/16', 'example.com', '', '2001:db8::/129'])
    t.is((await ada.post('/v1/api-keys', { ...given, ip_allowlist: [range] })).status, 400, range);
  t.is((await ada.post('/v1/api-keys', { ...given, ip_allowlist: [] })).status, 400);
});

test('keys are listed newest first, page by page, without their secret', async t => {
  const { person, full } = await world(t);
  const ada = await person('developer');
  const made = [full, (await ada.post('/v1/api-keys', sound)).body, (await ada.post('/v1/api-keys', sound)).body];
  const { data } = (await ada.get('/v1/api-keys')).body;
  t.deepEqual(
    data.map(({ id }: { id: string }) => id),
    made.map(({ id }) => id).toReversed(),
  );
  t.false(made.some(({ key }) => JSON.stringify(data).includes(key.slice(12))));
  const { next_cursor } = (await ada.get('/v1/api-keys?limit=2')).body;
  t.deepEqual((await ada.get(`/v1/api-keys?limit=2&cursor=${next_cursor}`)).body, {
    data: [data[2]],
    next_cursor: null,
  });
  t.deepEqual((await ada.get(`/v1/api-keys?ids=${full.id}`)).body, { data: [data[2]], next_cursor: null });
  const till = (await ada.post('/v1/api-keys', { ...sound, name: 'Kasse Süd' })).body;
  for (const q of ['kasse SÜD', till.id]) {
    const named = (await ada.get(`/v1/api-keys?q=${encodeURIComponent(q)}`)).body.data;
    t.deepEqual(
      named.map(({ id }: { id: string }) => id),
      [till.id],
      q,
    );
  }
});

test('that a key was used shows in the list, and its ETag moves', async t => {
  const { person, client, full, startServer } = await world(t);
  const ada = await person('developer');
  const { headers, body } = await ada.get('/v1/api-keys');
  t.is(body.data[0].last_used_at, null);
  const etag = { 'if-none-match': headers.get('etag') ?? '' };
  t.is((await ada.get('/v1/api-keys', etag)).status, 304);
  const server = await startServer();
  await client(full.key, server.address).get('/v1/events');
  await server.stop();
  t.not((await ada.get('/v1/api-keys', etag)).body.data[0].last_used_at, null);
});

test('a key that a deployment would not take is not made, and one without scopes neither', async t => {
  const { person } = await world(t);
  const ada = await person('developer');
  const wrong: [object, string][] = [
    [{ env: 'live' }, '/env'],
    [{ env: 'sandbox' }, '/env'],
    [{ env: undefined }, '/env'],
    [{ name: ' ' }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ scopes: [] }, '/scopes'],
    [{ scopes: ['events:delete'] }, '/scopes/0'],
    [{ key: 'hk_test_mine' }, '/key'],
  ];
  for (const [member, path] of wrong) {
    const { status, body } = await ada.post('/v1/api-keys', { ...sound, ...member });
    t.is(status, 400, path);
    t.is(body.error.details[0].path, path);
  }
  const { body } = await ada.post('/v1/api-keys', { name: 'x' });
  t.is(body.error.message, 'env is required: one of test, live.');
  t.is((await ada.get('/v1/api-keys')).body.data.length, 1);
});

test('a key cannot make, list or revoke keys', async t => {
  const { as, full } = await world(t);
  for (const { status, body } of [
    await as.post('/v1/api-keys', sound),
    await as.get('/v1/api-keys'),
    await as.delete(`/v1/api-keys/${full.id}`),
  ]) {
    t.is(status, 403);
    t.is(body.error.code, 'forbidden');
  }
});

test('live keys are managed by admins and owners; a developer sees them', async t => {
  const { person, full, as } = await world(t, { settings: { ENVIRONMENT: 'production' } });
  const developer = await person('developer');
  t.is((await developer.post('/v1/api-keys', { ...sound, env: 'live' })).status, 403);
  t.is((await developer.delete(`/v1/api-keys/${full.id}`)).status, 403);
  t.is((await developer.get('/v1/api-keys')).body.data.length, 1);
  const admin = await person('admin');
  t.is((await admin.post('/v1/api-keys', sound)).body.error.details[0].path, '/env');
  t.regex((await admin.post('/v1/api-keys', { ...sound, env: 'live' })).body.key, /^hk_live_/);
  t.is((await admin.delete(`/v1/api-keys/${full.id}`)).status, 200);
  t.is((await as.get('/v1/events')).status, 401);
});

test('a key of the other environment is neither listed nor revoked here', async t => {
  const { person, full, db } = await world(t);
  const ada = await person('developer');
  await db.query(sql.unsafe`update api_keys set env = 'live' where id = ${full.id}`);
  t.deepEqual((await ada.get('/v1/api-keys')).body.data, []);
  t.is((await ada.delete(`/v1/api-keys/${full.id}`)).status, 404);
});

test('a key of another organization is not there', async t => {
  const { person, organization, full, as } = await world(t);
  const eve = await person('owner', { of: (await organization('Rival')).id });
  const [foreign, never] = [
    await eve.delete(`/v1/api-keys/${full.id}`),
    await eve.delete(`/v1/api-keys/${newId('key')}`),
  ];
  t.is(foreign.status, 404);
  t.deepEqual(foreign.body.error, never.body.error);
  t.deepEqual((await eve.get('/v1/api-keys')).body.data, []);
  t.is((await as.get('/v1/events')).status, 200);
});

test('key creation that is repeated with its Idempotency-Key makes one key and never shows its secret again', async t => {
  const { person, db } = await world(t, { own_database: true });
  const ada = await person('developer');
  const headers = { 'idempotency-key': 'once' };
  const { body: made } = await ada.post('/v1/api-keys', sound, headers);
  const { status, body } = await ada.post('/v1/api-keys', sound, headers);
  t.is(status, 409);
  t.true(body.error.message.includes(made.id));
  t.false(JSON.stringify(body).includes(made.key));
  t.is((await ada.get('/v1/api-keys')).body.data.length, 2);
  const kept = [
    await db.any(sql.unsafe`select i::text from idempotency_keys i`),
    await db.any(sql.unsafe`select a::text from audit_log a`),
  ];
  t.false(JSON.stringify(kept).includes(made.key.slice(12)));
});
