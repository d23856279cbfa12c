import test from 'ava';
import { startApi } from '#api/server.ts';
import { createServices, type ProcessServices } from '#shared/running/services.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { startWorkers } from '#workers/run.ts';
import { startSchedule } from '#workers/schedule.ts';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { hasRedis, testRedis } from '#test/helpers/redis.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

const withRedis = hasRedis ? test : test.skip;

/** What detects, delivers and reconciles, as processes of one configuration; answers with what stops them. */
async function work(services: ProcessServices) {
  const workers = await startWorkers(services, ['detect', 'webhook']);
  const schedule = startSchedule(services);
  return async () => {
    await schedule.stop();
    await workers.stop();
  };
}

const EACH = 8;

withRedis(
  'processes move to the queue in Redis and back one by one, and no alert or webhook is lost or doubled',
  async t => {
    const w = await world(t, { thresholds: true, worked: true });
    const { url, received } = await receiver(t);
    await createEndpoint(w.db, w.config, w.tenant, { url }, Date.now());
    const { close, ...onRedis } = await createServices(
      { ...w.config, redis_url: await testRedis(t) },
      w.database,
      'test',
    );
    t.teardown(close);
    const api = await startApi(onRedis);
    t.teardown(api.stop);
    const asOnRedis = w.client(w.full.key, api.address);
    let agents = 0;
    const pay = async (as: Client) => {
      for (let sent = 0; sent < EACH; sent += 1) {
        agents += 1;
        const payment = { agent: `agent-${agents}`, payee: `domain:shop-${agents}.example.com`, cents: '70000' };
        const { status } = await as.post('/v1/events', event(payment));
        t.is(status, 201);
      }
    };

    const stopOnPostgres = await work(w.services);
    t.teardown(stopOnPostgres);
    await pay(w.as);
    // The API tells the queue that nobody works off.
    await pay(asOnRedis);
    const stopOnRedis = await work(onRedis);
    t.teardown(stopOnRedis);
    await pay(asOnRedis);
    await stopOnPostgres();
    await pay(w.as);
    await pay(asOnRedis);
    const stopBack = await work(w.services);
    t.teardown(stopBack);
    await stopOnRedis();
    await pay(asOnRedis);
    await pay(w.as);

    const raised = 2 * agents;
    const deliveredOf = async () => (await w.as.get('/v1/webhook-deliveries?state=delivered&limit=200')).body.data;
    await until(async () => (await deliveredOf()).length >= raised);
    const { body } = await w.as.get('/v1/alerts?limit=200');
    t.is(body.data.length, raised);
    const told = new Set(received.map(({ body: text }) => JSON.parse(text.toString()).data.alert_id));
    t.is(told.size, raised);
    t.is((await deliveredOf()).length, raised, 'one delivery an alert');
  },
);
