import test from 'ava';
import { receiver } from '#test/helpers/receiver.ts';
import { hasRedis, testCluster } from '#test/helpers/redis.ts';
import { until } from '#test/helpers/until.ts';
import { webhookWorld } from '#test/helpers/webhooks.ts';

const withRedis = hasRedis && process.env['TEST_REDIS'] !== 'REDIS_URL' ? test : test.skip;

withRedis('the queue lives in a cluster, and goes on when the node that has it is lost', async t => {
  const { url, received } = await receiver(t);
  const cluster = await testCluster(t);
  const w = await webhookWorld(t, { redis: cluster.url });
  await w.endpoint(url);
  w.work();
  w.reconcile();
  await w.deliver(5);
  await until(() => received.length === 5);
  await cluster.killOwner('{oversight}');
  await w.deliver(5);
  await until(async () => (await w.states())['delivered'] === 10);
  t.true(received.length >= 10);
});
