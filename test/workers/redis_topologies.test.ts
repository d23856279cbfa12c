import test from 'ava';
import { pino } from 'pino';
import { createRateLimits } from '#api/rate_limits.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { hasRedis, testCluster, testSentinel } from '#test/helpers/redis.ts';
import { until } from '#test/helpers/until.ts';
import { webhookWorld } from '#test/helpers/webhooks.ts';

const withRedis = hasRedis && process.env['TEST_REDIS'] !== 'REDIS_URL' ? test : test.skip;

withRedis('the queue and the shared limits work on a Redis Cluster', async t => {
  const { url, received } = await receiver(t);
  const w = await webhookWorld(t, { redis: await testCluster(t) });
  const limits = [0, 1].map(() => createRateLimits(w.config, pino({ level: 'silent' })));
  t.teardown(() => limits.forEach(each => each.close()));
  await w.endpoint(url);
  w.work();
  w.reconcile();
  await w.deliver(20);
  await until(async () => (await w.states())['delivered'] === 20);
  t.true(received.length >= 20);
  t.like(await w.queue.counts('webhook'), { waiting: 0, active: 0, failed: 0 });
  await w.queue.setPaused('webhook', true);
  t.true(await w.queue.isPaused('webhook'));

  // Until its connection stands, a process counts for itself.
  await until(async () => {
    const left = [];
    for (const each of limits) left.push((await each.take('pack', 'key_1')).left ?? 0);
    const [one = 0, other = 0] = left;
    return other === one - 1;
  });
});

withRedis('the queue goes on at the replica that a Sentinel promotes', async t => {
  const { url, received } = await receiver(t);
  const redis = await testSentinel(t);
  const w = await webhookWorld(t, { redis: redis.url });
  await w.endpoint(url);
  w.work();
  w.reconcile();
  await w.deliver(5);
  await until(() => received.length === 5);
  await redis.killMaster();
  await w.deliver(5);
  await until(async () => (await w.states())['delivered'] === 10);
  t.true(received.length >= 10);
});
