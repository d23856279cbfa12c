import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { createHmac } from 'node:crypto';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { startWorkers } from '#workers/run.ts';
import { startSchedule } from '#workers/schedule.ts';
import { event } from '#test/helpers/make.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { hasRedis, testRedis } from '#test/helpers/redis.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

for (const engine of hasRedis ? (['postgres', 'redis'] as const) : (['postgres'] as const)) {
  test(`on the ${engine} queue, an event that was accepted becomes an alert and a signed webhook`, async t => {
    const w = await world(t, {
      thresholds: true,
      own_database: true,
      settings: engine === 'redis' ? { REDIS_URL: await testRedis(t) } : {},
    });
    const { url, received } = await receiver(t);
    const { secret } = await createEndpoint(w.db, w.config, w.tenant, { url }, Date.now());
    const workers = await startWorkers(w.services, ['detect', 'webhook']);
    t.teardown(workers.stop);
    await w.as.post('/v1/events', event({ cents: '70000' }));
    await until(() => received.length >= 2);

    for (const { body, headers } of received) {
      const signature = headers['service-signature'];
      t.is(
        signature,
        `v1=${createHmac('sha256', secret).update(`${headers['service-timestamp']}.${body}`).digest('hex')}`,
      );
      t.notThrows(() => new Webhook(secret).verify(body.toString(), headers as Record<string, string>));
      const { type, data } = JSON.parse(body.toString());
      t.is(type, 'alert.created');
      const alert = await w.as.get(`/v1/alerts/${data.alert_id}`);
      t.is(alert.status, 200);
      t.deepEqual(alert.body.event_ids, [data.event_id]);
    }
    const { body: metrics } = await w.as.get('/metrics');
    t.regex(metrics, /events_ingested_total\{status="accepted"\} 1/);
    t.regex(metrics, /events_analyzed_total 1/);
  });

  test(`on the ${engine} queue, what the queue never heard of is found by reconcile`, async t => {
    const w = await world(t, {
      thresholds: true,
      own_database: true,
      settings: engine === 'redis' ? { REDIS_URL: await testRedis(t) } : {},
    });
    const { url, received } = await receiver(t);
    await createEndpoint(w.db, w.config, w.tenant, { url }, Date.now());
    // The API tells nobody: as if the queue had been away, or its process killed right after the commit.
    await w.as.post('/v1/events', event({ cents: '70000' }));
    if (engine === 'postgres')
      await w.db.query((await import('#shared/platform/db.ts')).sql.unsafe`delete from bullmq.job`);
    const workers = await startWorkers(w.services, ['detect', 'webhook']);
    const schedule = startSchedule(w.services);
    t.teardown(async () => {
      await schedule.stop();
      await workers.stop();
    });
    await until(() => received.length >= 2);
    t.is((await w.as.get('/v1/alerts')).body.data.length, 2);
  });
}
