import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { replayDelivery, replaySince } from '#shared/webhooks/webhook_replay.ts';
import { receiver, type Received, serviceSignature } from '#test/helpers/receiver.ts';
import { alerts, engineTest, webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';

engineTest('what happened is told once, signed, in a body of ids', async (t, engine) => {
  const { url, received } = await receiver(t);
  const { deliver, deliveries, endpoint, states, work } = await webhookWorld(t, { engine });
  const { secret, id } = await endpoint(url);
  work();
  const [job] = await deliver();
  await until(async () => (await states())['delivered'] === 1);
  const [request] = received;
  t.is(received.length, 1);
  if (!request || !job) return t.fail();
  const body = JSON.parse(request.body.toString());
  t.deepEqual(Object.keys(body), ['type', 'created_at', 'data']);
  t.is(body.type, 'alert.created');
  t.deepEqual(Object.keys(body.data), ['alert_id', 'event_id']);
  t.is(request.headers['service-delivery-id'], job.delivery_id);
  t.is(request.headers['service-signature'], serviceSignature(secret, request));
  t.deepEqual(new Webhook(secret).verify(request.body, headersOf(request)), body);
  const [delivery] = await deliveries();
  t.like(delivery, {
    id: job.delivery_id,
    endpoint_id: id,
    type: 'alert.created',
    state: 'delivered',
    attempt_count: 1,
  });
  t.like(delivery?.attempts, [
    { number: 1, generation: 0, outcome: 'delivered', status: 200, error: null, response: '' },
  ]);
});

engineTest('a refused connection counts as no answer, and a later success ends it', async (t, engine) => {
  const { url, server, port, received } = await receiver(t);
  const { deliver, deliveries, endpoint, states, work } = await webhookWorld(t, { engine });
  await new Promise(resolve => server.close(resolve));
  await endpoint(url);
  work();
  await deliver();
  await until(async () => ((await deliveries())[0]?.attempt_count ?? 0) >= 2);
  server.listen(port, '127.0.0.1');
  await until(async () => (await states())['delivered'] === 1);
  t.is(received.length, 1);
  const [delivery] = await deliveries();
  t.is(delivery?.attempts[0]?.error, 'the connection was refused');
  t.is(delivery?.attempts.at(-1)?.outcome, 'delivered');
});

engineTest('a 4xx or 3xx is final', async (t, engine) => {
  for (const status of [400, 404, 410, 302]) {
    const { url, received } = await receiver(t, () => status);
    const { deliver, deliveries, endpoint, queue, states, work } = await webhookWorld(t, { engine });
    await endpoint(url);
    work();
    await deliver();
    await until(async () => (await states())['refused'] === 1);
    t.is(received.length, 1);
    t.like((await deliveries())[0], { state: 'refused', attempt_count: 1 });
    await until(async () => {
      const { failed, ...others } = await queue.counts('webhook');
      return failed === 1 && Object.values(others).every(count => count === 0);
    });
  }
});

engineTest('an endpoint that is disabled gets nothing more, and what was pending is canceled', async (t, engine) => {
  const { url, received } = await receiver(t, () => 500);
  const { db, deliver, deliveries, endpoint, now, queue, tenant, work } = await webhookWorld(t, { engine });
  const { id } = await endpoint(url);
  work();
  await deliver();
  await until(async () => (await deliveries())[0]?.attempt_count === 2);
  await disableEndpoint(db, tenant, id, now());
  t.like((await deliveries())[0], { state: 'canceled' });
  await until(async () => Object.values(await queue.counts('webhook')).every(count => count === 0));
  t.true(received.length <= 3, 'at most the one that was on its way');
  t.is((await deliveries())[0]?.attempts.length, received.length);
  t.deepEqual(await deliver(), [], 'nothing is written for it any more');
});

engineTest('a replay keeps id and body and has five attempts of its own', async (t, engine) => {
  let answer = 400;
  const { url, received } = await receiver(t, () => answer);
  const world = await webhookWorld(t, { engine });
  const { db, deliver, deliveries, endpoint, now, queue, states, tenant, work } = world;
  const { id } = await endpoint(url);
  work();
  const [job] = await deliver();
  if (!job) return t.fail();
  await until(async () => (await states())['refused'] === 1);
  answer = 200;
  await queue.add('webhook', [await replayDelivery(db, tenant, job.delivery_id, now())]);
  await until(async () => (await states())['delivered'] === 1);
  const { replayed, jobs } = await replaySince(db, tenant, { endpoint_id: id, since: now() - 60_000 }, now());
  t.is(replayed, 1);
  await queue.add('webhook', jobs);
  await until(() => received.length === 3);
  await until(async () => (await states())['delivered'] === 1);
  t.deepEqual(new Set(received.map(request => request.headers['webhook-id'])), new Set([job.delivery_id]));
  t.is(new Set(received.map(request => request.body.toString())).size, 1);
  const [delivery] = await deliveries();
  t.deepEqual(
    delivery?.attempts.map(({ generation, number, outcome }) => [generation, number, outcome]),
    [
      [0, 1, 'refused'],
      [1, 1, 'delivered'],
      [2, 1, 'delivered'],
    ],
  );
});

test('a replay during the retries takes their place', async t => {
  let answer = 500;
  const { url, received } = await receiver(t, () => answer);
  const { db, deliver, deliveries, endpoint, now, queue, states, tenant, work } = await webhookWorld(t);
  await endpoint(url);
  work();
  const [job] = await deliver();
  if (!job) return t.fail();
  await until(async () => (await deliveries())[0]?.attempt_count === 3);
  answer = 200;
  await queue.add('webhook', [await replayDelivery(db, tenant, job.delivery_id, now())]);
  await until(async () => (await states())['delivered'] === 1);
  await until(async () => Object.values(await queue.counts('webhook')).every(count => count === 0));
  t.is(received.length, 4, 'the job of the retries finds nothing left to do');
});

test('two runners of one delivery at once count one attempt', async t => {
  const held: (() => void)[] = [];
  const { url, received } = await receiver(t, () => response => {
    held.push(() => response.writeHead(500).end());
  });
  const { deliveries, endpoint, handler, insert } = await webhookWorld(t);
  await endpoint(url);
  const [data] = await insert(alerts(1));
  if (!data) return t.fail();
  const job = {} as Parameters<ReturnType<typeof handler>>[1];
  const [one, other] = [handler(), handler()];
  const runners = [one(data, job), other(data, job)];
  await until(() => held.length === 2);
  await one(data, job);
  t.is(received.length, 2, 'within a process it is sent once at a time');
  for (const answer of held) answer();
  const ends = await Promise.allSettled(runners);
  t.is(ends.filter(({ status }) => status === 'rejected').length, 1, 'one of them asks for the next attempt');
  const [delivery] = await deliveries();
  t.like(delivery, { state: 'pending', attempt_count: 1 });
  t.is(delivery?.attempts.length, 1);
});

const headersOf = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
