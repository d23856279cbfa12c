import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { Problem } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import { pageRequest } from '#shared/interface/page.ts';
import { findWork } from '#shared/webhooks/webhook_attempts.ts';
import { reportEndpoint } from '#shared/webhooks/endpoint_report.ts';
import {
  activateSecret,
  createEndpoint,
  disableEndpoint,
  enableEndpoint,
  listEndpoints,
  openSecrets,
  rotateSecret,
  ROTATION_OVERLAP,
  setUrl,
} from '#shared/webhooks/webhook_endpoints.ts';
import { HOUR } from '#shared/values/time.ts';
import { alerts, webhookWorld } from '#test/helpers/webhooks.ts';

const url = 'https://customer.example/hooks?source=oversight';

test('a new endpoint has the secret it was given, or a generated one of 32 random bytes', async t => {
  const { endpoint } = await webhookWorld(t);
  const given = await endpoint(url, 'x'.repeat(32));
  t.is(given.secret, 'x'.repeat(32));
  const generated = await endpoint(url);
  t.regex(generated.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.regex(generated.id, /^whe_[0-9A-Z]{26}$/);
  t.like(generated, { url, state: 'active' });
});

test('secrets are sealed in the database, and shown by no list', async t => {
  const { config, db, endpoint, tenant, now } = await webhookWorld(t);
  const first = await endpoint(url, 'the first secret, long enough to be one');
  const { secret } = await rotateSecret(db, config, tenant, { id: first.id }, now());
  const row = await db.oneFirst(sql.type(z.object({ row: z.string() }))`
    select e::text || encode(sealed_secret, 'escape') || encode(previous_sealed_secret, 'escape') as row
    from webhook_endpoints e`);
  for (const text of [first.secret, secret]) {
    t.false(row.includes(text));
    t.false(row.includes(Buffer.from(text).toString('hex')));
  }
  const page = pageRequest(config.secret_key, 'endpoints', tenant, { limit: 50 });
  const { data } = await listEndpoints(db, tenant, page);
  t.deepEqual(data, [{ id: first.id, url, state: 'active', created_at: first.created_at }]);
});

test('a URL must be absolute, without credentials, of at most 2048 characters; a secret has 32 characters or more', async t => {
  const { endpoint } = await webhookWorld(t);
  const long = `https://customer.example/${'x'.repeat(2_024)}`;
  const bad = [
    '',
    'customer.example',
    '/hooks',
    'ftp://customer.example/',
    'https://u:p@customer.example/',
    'https://u@a.example/',
  ];
  for (const each of [...bad, 'javascript:alert(1)', 'https://a.example/ b', 'https://a.example\n', long])
    await t.throwsAsync(endpoint(each), { instanceOf: Problem, code: 'invalid_request' }, each);
  await t.throwsAsync(endpoint(url, 'x'.repeat(31)), { instanceOf: Problem, code: 'invalid_request' });
  await t.notThrowsAsync(endpoint(long.slice(0, 2_048)));
  await t.notThrowsAsync(endpoint('http://127.0.0.1:8080/hooks'));
});

test('in production a URL must be https', async t => {
  const { config, db, now } = await webhookWorld(t);
  const production = { ...config, environment: 'production' as const };
  const tenant = { org_id: newId('org'), environment: 'production' };
  const refused = createEndpoint(db, production, tenant, { url: 'http://customer.example/' }, now());
  await t.throwsAsync(refused, { instanceOf: Problem, message: 'The URL must begin with https://.' });
  await t.notThrowsAsync(createEndpoint(db, production, tenant, { url }, now()));
});

test('after a rotation the old secret counts for 24 hours beside the new', async t => {
  const { config, db, endpoint, insert, now, tenant } = await webhookWorld(t);
  const old = await endpoint(url, 'the first secret, long enough to be one');
  const [job] = await insert(alerts(1));
  const rotated_at = now();
  const fresh = await rotateSecret(db, config, tenant, { id: old.id }, rotated_at);
  const work = job && (await findWork(db, job));
  if (!work) return t.fail();
  const secretsAt = (time: number) => openSecrets(config.secret_key, old.id, work, time).map(({ text }) => text);
  t.is(ROTATION_OVERLAP, 24 * HOUR);
  t.deepEqual(secretsAt(rotated_at), [fresh.secret, old.secret]);
  t.deepEqual(secretsAt(rotated_at + ROTATION_OVERLAP - 1), [fresh.secret, old.secret]);
  t.deepEqual(secretsAt(rotated_at + ROTATION_OVERLAP), [fresh.secret]);
});

test('disabling cancels what was pending, and again changes nothing', async t => {
  const { db, deliveries, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id } = await endpoint(url);
  await insert(alerts(3));
  t.like(await disableEndpoint(db, tenant, id, now()), { id, state: 'disabled' });
  t.like(await disableEndpoint(db, tenant, id, now()), { id, state: 'disabled' });
  t.deepEqual(await insert(alerts(1)), []);
  const states = (await deliveries()).map(({ state, finished_at }) => [state, finished_at !== null]);
  t.deepEqual(states, [
    ['canceled', true],
    ['canceled', true],
    ['canceled', true],
  ]);
});

test("another organization's endpoint is not found", async t => {
  const { config, db, endpoint, now, tenant } = await webhookWorld(t);
  const { id } = await endpoint(url);
  for (const stranger of [
    { ...tenant, org_id: newId('org') },
    { ...tenant, environment: 'production' },
  ]) {
    const refusals = [
      disableEndpoint(db, stranger, id, now()),
      enableEndpoint(db, stranger, id),
      setUrl(db, config, stranger, { id, url }),
      rotateSecret(db, config, stranger, { id }, now()),
      activateSecret(db, stranger, id, now()),
      reportEndpoint(db, stranger, id, now()),
    ];
    for (const refused of refusals) await t.throwsAsync(refused, { instanceOf: Problem, code: 'not_found' });
    const page = pageRequest(config.secret_key, 'endpoints', stranger, { limit: 50 });
    t.deepEqual((await listEndpoints(db, stranger, page)).data, []);
  }
});
