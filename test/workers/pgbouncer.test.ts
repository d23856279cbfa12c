import { randomBytes } from 'node:crypto';
import test from 'ava';
import { startApi } from '#api/server.ts';
import { allScopes } from '#shared/interface/scopes.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { createOrganization } from '#shared/people/organizations.ts';
import { processTypes } from '#shared/platform/jobs.ts';
import { createServices } from '#shared/running/services.ts';
import { readConfig } from '#shared/settings/config.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { event } from '#test/helpers/make.ts';
import { hasPgBouncer, testPgBouncer } from '#test/helpers/pgbouncer.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { hasRedis, testRedis } from '#test/helpers/redis.ts';
import { until } from '#test/helpers/until.ts';
import { startWorkers } from '#workers/run.ts';

const pooled = hasPgBouncer && hasRedis ? test : test.skip;

pooled('behind PgBouncer in transaction mode a payment made twice comes through as a webhook', async t => {
  const direct = await testDatabase(end => t.teardown(end));
  const database = { ...direct, service_url: await testPgBouncer(t, direct.service_url) };
  const settings = {
    SECRET_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    RATE_LIMITS: 'off',
    PORT: '0',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
  };
  await t.throwsAsync(createServices(readConfig(settings), database, 'test'), { message: /Set REDIS_URL/ });

  const config = readConfig({ ...settings, REDIS_URL: await testRedis(t) });
  const services = await createServices(config, database, 'test');
  t.teardown(services.close);
  const api = await startApi(services);
  t.teardown(api.stop);
  const workers = await startWorkers(services, processTypes);
  t.teardown(workers.stop);
  const { db, now } = services;
  const { id: org_id } = await createOrganization(db, 'sandbox', 'Acme', now());
  const tenant = { org_id, environment: 'sandbox' };
  const wanted = { ...tenant, env: 'test', name: 'first', scopes: allScopes, created_by: null } as const;
  const { key } = await createApiKey(db, wanted, now());
  const { url, received } = await receiver(t);
  await createEndpoint(db, config, tenant, { url }, now());

  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = (path: string, body?: object) =>
    fetch(`${api.address}${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  // More at once than there are connections behind it, so that they change hands.
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? ask('/v1/alerts') : ask('/v1/events', event({ agent: 'buyer' })),
    ),
  );
  t.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, index) => (index % 2 === 0 ? 200 : 201)),
  );
  await until(() => received.some(({ body }) => String(body).includes('alert.created')));
});
