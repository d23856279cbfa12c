import test from 'ava';
import { createServices } from '#shared/running/services.ts';
import { readConfig } from '#shared/settings/config.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { event } from '#test/helpers/make.ts';
import { hasPgBouncer, testPgBouncer } from '#test/helpers/pgbouncer.ts';
import { hasRedis, testRedis } from '#test/helpers/redis.ts';
import { serviceOn, settingsOfService } from '#test/helpers/service_on.ts';
import { until } from '#test/helpers/until.ts';

const pooled = hasPgBouncer && hasRedis ? test : test.skip;

pooled('behind PgBouncer in transaction mode a payment made twice comes through as a webhook', async t => {
  const direct = await testDatabase(end => t.teardown(end));
  const database = { ...direct, service_url: await testPgBouncer(t, direct.service_url) };
  const settings = settingsOfService();
  await t.throwsAsync(createServices(readConfig(settings), database, 'test'), { message: /Set REDIS_URL/ });

  const { as, received } = await serviceOn(t, { ...settings, REDIS_URL: await testRedis(t) }, async () => database);
  // More at once than there are connections behind it, so that they change hands.
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? as.get('/v1/alerts') : as.post('/v1/events', event({ agent: 'buyer' })),
    ),
  );
  t.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, index) => (index % 2 === 0 ? 200 : 201)),
  );
  await until(() => received.some(({ body }) => String(body).includes('alert.created')));
});
