import { createHash } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { createCallers } from '#api/caller.ts';
import { startApi } from '#api/server.ts';
import { sql } from '#shared/platform/db.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '#shared/keys/api_keys.ts';
import { createServices } from '#shared/running/services.ts';
import type { Client } from '#test/helpers/client.ts';
import { NOBODY } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

const bearer = (authorization: string) => ({ authorization, cookie: () => undefined, ip: '127.0.0.1' });

test('a garbled credential is 401, whatever is wrong with it', async t => {
  const { client, full } = await world(t);
  const { key } = full;
  const anybody = client();
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    key,
    `Basic ${key}`,
    `Token ${key}`,
    `Bearer ${key} ${key}`,
    `Bearer ${key},${key}`,
    `Bearer "${key}"`,
    `Bearer ${key}x`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key.slice(0, 12)}`,
    `Bearer ${key.replace('hk_', 'HK_')}`,
    `Bearer ${key.replace('hk_test_', 'hk_prod_')}`,
    `Bearer ${key.replace('hk_test_', '')}`,
    `Bearer ${key.toLowerCase().slice(0, -1)}é`,
    `Bearer ${createHash('sha256').update(key).digest('hex')}`,
  ]) {
    const reply = await anybody.get('/v1/events', { authorization });
    t.is(reply.status, 401, authorization);
    t.is(reply.body.error.code, 'unauthorized');
  }
  t.is((await anybody.get(`/v1/events?key=${key}`)).status, 401);
  t.is((await anybody.get('/v1/events', { authorization: `bearer  ${key}` })).status, 200);
});

test('a live key is refused by a sandbox and a test key by production', async t => {
  const sandbox = await world(t);
  const production = await world(t, { settings: { ENVIRONMENT: 'production' } });
  t.regex(production.full.key, /^hk_live_/);
  t.is((await production.as.get('/v1/events')).status, 200);
  for (const [here, theirs] of [
    [sandbox, production.full.key],
    [production, sandbox.full.key],
    [sandbox, `hk_live_${'a'.repeat(32)}`],
  ] as const) {
    const { status, body } = await here.client(theirs).get('/v1/events');
    t.is(status, 401);
    t.is(body.error.code, 'key_environment_mismatch');
    t.true(body.error.message.includes(here.config.environment));
  }
});

test('a key revoked elsewhere stops within 10 seconds on every server, and one revoked before is never accepted', async t => {
  let time = Date.now();
  const now = () => time;
  const { config, database, api, client, full, tenant, db, key } = await world(t, { now });
  const { close, ...services } = await createServices(config, database, 'other');
  t.teardown(close);
  const other = await startApi({ ...services, now });
  t.teardown(other.stop);
  const statuses = async () =>
    Promise.all([api, other].map(async ({ address }) => (await client(full.key, address).get('/v1/events')).status));

  t.deepEqual(await statuses(), [200, 200]);
  await revokeApiKey(db, tenant.org_id, full.id, now());
  time += 10_000;
  t.deepEqual(await statuses(), [401, 401]);

  const spare = await key(tenant.org_id);
  await revokeApiKey(db, tenant.org_id, spare.id, now());
  t.is((await client(spare.key).get('/v1/events')).status, 401);
});

test('a revoked key stops at once where its revocation is handled', async t => {
  const { services, full, tenant, db } = await world(t, { now: () => Date.parse('2026-11-20T10:00:00Z') });
  const [here, elsewhere] = [createCallers(services), createCallers(services)];
  t.teardown(() => Promise.all([here.close(), elsewhere.close()]));
  const authorization = `Bearer ${full.key}`;
  for (const callers of [here, elsewhere]) t.is((await callers.identify(bearer(authorization))).actor_id, full.id);

  await revokeApiKey(db, tenant.org_id, full.id, services.now());
  here.forget(full.id);
  await t.throwsAsync(here.identify(bearer(authorization)), { message: /valid credential/ });
  t.is(
    (await elsewhere.identify(bearer(authorization))).actor_id,
    full.id,
    'the clock stands still: believed for 10 s',
  );
});

test('a look-up that was under way when its key was revoked is not believed afterwards', async t => {
  const { services, full, tenant, db } = await world(t, { now: () => Date.parse('2026-11-20T10:00:00Z') });
  const callers = createCallers(services);
  t.teardown(callers.close);
  const authorization = `Bearer ${full.key}`;
  const underWay = callers.identify(bearer(authorization));
  callers.forget(full.id);
  t.is((await underWay).actor_id, full.id);
  await revokeApiKey(db, tenant.org_id, full.id, services.now());
  await t.throwsAsync(callers.identify(bearer(authorization)), { message: /valid credential/ });
});

test('when a key was last used is written once for many requests, and never goes back', async t => {
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const { startServer, client, full, tenant, db } = await world(t, { now: () => time });
  const lastUsed = async () => (await listApiKeys(db, tenant.org_id)).find(({ id }) => id === full.id)?.last_used_at;
  const useAt = async (moment: string, times: number) => {
    time = Date.parse(moment);
    const server = await startServer();
    for (let use = 0; use < times; use += 1) await client(full.key, server.address).get('/v1/events');
    const before = await lastUsed();
    await server.stop();
    return [before, await lastUsed()];
  };
  t.deepEqual(await useAt('2026-11-20T10:00:00.250Z', 3), [null, '2026-11-20T10:00:00.250Z']);
  t.deepEqual(await useAt('2026-11-20T11:00:00.000Z', 2), ['2026-11-20T10:00:00.250Z', '2026-11-20T11:00:00.000Z']);
  t.deepEqual(await useAt('2026-11-20T09:00:00.000Z', 1), ['2026-11-20T11:00:00.000Z', '2026-11-20T11:00:00.000Z']);
});

test('a request that is refused for its scope counts as use of the key, one of a revoked key does not', async t => {
  const { services, full, tenant, db, key } = await world(t);
  const spare = await key(tenant.org_id, ['cases:read']);
  const callers = createCallers(services);
  await callers.identify(bearer(`Bearer ${spare.key}`));
  await revokeApiKey(db, tenant.org_id, full.id, services.now());
  await t.throwsAsync(callers.identify(bearer(`Bearer ${full.key}`)));
  await callers.close();
  const used = (await listApiKeys(db, tenant.org_id)).map(({ id, last_used_at }) => [id, last_used_at !== null]);
  t.deepEqual(Object.fromEntries(used), { [spare.id]: true, [full.id]: false });
});

test('of a key only its SHA-256 and its first twelve characters are kept', async t => {
  const { full, db, as } = await world(t, { own_database: true });
  t.regex(full.key, /^hk_test_[A-Za-z0-9]{32}$/);
  t.is(full.prefix, full.key.slice(0, 12));
  await as.get('/v1/events');
  const Kept = z.object({ text: z.string() });
  const rows = await db.anyFirst(sql.type(Kept)`
    select k::text || d::text as text from api_keys k join api_key_directory d on d.key_id = k.id`);
  const text = rows.join('\n');
  t.true(text.includes(createHash('sha256').update(full.key).digest('hex')));
  t.true(text.includes(full.prefix));
  for (const piece of [full.key.slice(0, 13), full.key.slice(12, 24), full.key.slice(24)]) {
    t.false(text.includes(piece));
    t.false(text.includes(Buffer.from(piece).toString('hex')));
  }
});

test('two keys are never alike, and neither is found again in a list', async t => {
  const { db, tenant, config } = await world(t);
  const made = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      createApiKey(
        db,
        { ...tenant, env: config.key_env, name: `key ${index}`, scopes: ['events:read'], created_by: null },
        Date.now(),
      ),
    ),
  );
  t.is(new Set(made.map(({ key }) => key)).size, 50);
  const list = JSON.stringify(await listApiKeys(db, tenant.org_id));
  t.false(made.some(({ key }) => list.includes(key)));
});

test('a request is judged in one order: path, method, key, scope, form and size, content, record, state', async t => {
  const { client, withScopes } = await world(t);
  const [nobody, reader] = [client(), await withScopes('events:read')];
  const actor = await withScopes('alerts:write');
  const path = `/v1/alerts/alr_${NOBODY}/actions`;
  const big = JSON.stringify({ action: 'x'.repeat(1_100_000) });
  const json = { 'content-type': 'application/json' };
  const asked: [Client, string, string, { body?: string; headers?: Record<string, string> }, number][] = [
    [nobody, 'POST', '/v1/nothing?x=1', { body: '{' }, 404],
    [nobody, 'DELETE', `${path}?x=1`, { body: '{' }, 405],
    [nobody, 'POST', `${path}?x=1`, { body: '{' }, 401],
    [reader, 'POST', `${path}?x=1`, { body: '{' }, 403],
    [actor, 'POST', `${path}?x=1`, { body: '{', headers: { 'content-type': 'text/plain' } }, 415],
    [actor, 'POST', `${path}?x=1`, { body: big, headers: json }, 413],
    [actor, 'POST', `${path}?x=1`, { body: '{}', headers: json }, 400],
    [actor, 'POST', path, { body: '{}', headers: json }, 400],
    [actor, 'POST', path.replace('alr_', 'evt_'), { body: '{}', headers: json }, 400],
    [actor, 'POST', path.replace('alr_', 'evt_'), { body: '{"action":"dismiss"}', headers: json }, 404],
    [actor, 'POST', path, { body: '{"action":"dismiss"}', headers: json }, 404],
  ];
  for (const [index, [caller, method, url, options, expected]] of asked.entries())
    t.is((await caller.send(method, url, options)).status, expected, `request ${index}`);
});
