import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { alerts, engineTest, webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';

engineTest('one endpoint that hangs does not slow another', async (t, engine) => {
  const world = await webhookWorld(t, { engine, timeout: 60_000 });
  world.work();
  const hanging = await receiver(t, () => () => {});
  const { id: hanging_id } = await world.endpoint(hanging.url);
  await world.deliver(50);
  await until(() => hanging.received.length === 10);
  const good = await receiver(t);
  await world.endpoint(good.url);
  await world.deliver();
  await until(async () => (await world.states())['delivered'] === 1);
  t.is(good.received.length, 1);
  t.is(hanging.received.length, 10, 'ten at a time for one endpoint');
  const pending = (await world.deliveries()).filter(({ state }) => state === 'pending');
  t.is(pending.length, 51);
  t.true(pending.every(({ endpoint_id, attempts }) => endpoint_id === hanging_id && attempts.length === 0));
});

engineTest('a burst to one endpoint is delivered whole, without waiting for reconcile', async (t, engine) => {
  let at_once = 0;
  let most = 0;
  const { url, received } = await receiver(t, () => response => {
    most = Math.max(most, ++at_once);
    setTimeout(() => {
      at_once -= 1;
      response.end();
    }, 20);
  });
  const { deliver, endpoint, states, work } = await webhookWorld(t, { engine });
  await endpoint(url);
  work();
  const jobs = await deliver(500);
  t.is(jobs.length, 10, 'the rest waits in the table');
  await until(async () => ((await states())['delivered'] ?? 0) >= 490);
  t.true(most <= 10, `${most} at once`);
  t.is(new Set(received.map(request => request.headers['webhook-id'])).size, received.length, 'each was sent once');
});

engineTest(
  'a queue that is lost in the middle of the retries loses no delivery and no attempt, and shortens no wait',
  async (t, engine) => {
    const { url, received } = await receiver(t, () => 500);
    const world = await webhookWorld(t, { engine, first_wait: 100 });
    await world.endpoint(url);
    world.work();
    world.reconcile();
    await world.deliver(3);
    await until(async () => (await world.deliveries()).every(({ attempt_count }) => attempt_count >= 2));
    await world.loseQueue();
    await until(async () => (await world.states())['failed'] === 3);
    t.is(received.length, 15);
    for (const { id, attempts } of await world.deliveries()) {
      t.deepEqual(
        attempts.map(({ number }) => number),
        [1, 2, 3, 4, 5],
      );
      const times = received.filter(({ headers }) => headers['webhook-id'] === id).map(({ at }) => at);
      for (const [index, wait] of [100, 200, 400, 800].entries())
        t.true((times[index + 1] ?? 0) - (times[index] ?? 0) >= wait - 20, `wait ${index + 1} of ${times.join()}`);
    }
  },
);

engineTest('a job that is queued again during a wait does not shorten it', async (t, engine) => {
  const { url, received } = await receiver(t, (_request, index) => (index < 3 ? 500 : 200));
  const { db, deliver, endpoint, loseQueue, queue, states, work } = await webhookWorld(t, { engine, first_wait: 100 });
  await endpoint(url);
  work();
  const [job] = await deliver();
  if (!job) return t.fail();
  for (const attempts_made of [1, 2, 3]) {
    await until(async () => (await attemptCount(db)) >= attempts_made);
    await pause(20);
    await loseQueue();
    await queue.add('webhook', [{ ...job, attempts_made }]);
  }
  await until(async () => (await states())['delivered'] === 1);
  t.is(received.length, 4);
  for (const [index, wait] of [100, 200, 400].entries()) {
    const gap = (received[index + 1]?.at ?? 0) - (received[index]?.at ?? 0);
    t.true(gap >= wait - 20, `wait ${index + 1} was ${gap} ms`);
  }
});

engineTest('deliveries whose jobs were never queued are found by reconcile', async (t, engine) => {
  const { url } = await receiver(t);
  const { endpoint, insert, reconcile, states, work } = await webhookWorld(t, { engine });
  await endpoint(url);
  work();
  await insert(alerts(120));
  reconcile();
  await until(async () => (await states())['delivered'] === 120);
  t.pass();
});

test('a worker that dies while it sends leaves the delivery to another', async t => {
  let answer: 200 | (() => void) = () => {};
  const { url, received } = await receiver(t, () => answer);
  const world = await webhookWorld(t, { timeout: 60_000 });
  await world.endpoint(url);
  const dying = world.work();
  await world.deliver();
  await until(() => received.length === 1);
  await dying.close(true);
  answer = 200;
  await world.loseQueue();
  world.work();
  world.reconcile();
  await until(async () => (await world.states())['delivered'] === 1);
  t.is(received.length, 2);
});

test('an attempt that could not be written down is made again', async t => {
  const { url, received } = await receiver(t);
  const { asOwner, deliver, deliveries, endpoint, reconcile, states, work } = await webhookWorld(t);
  await endpoint(url);
  await asOwner('alter table webhook_attempts rename to gone');
  work();
  reconcile();
  await deliver();
  await until(() => received.length === 2);
  await asOwner('alter table gone rename to webhook_attempts');
  await until(async () => (await states())['delivered'] === 1);
  const [delivery] = await deliveries();
  t.is(delivery?.attempt_count, 1);
  t.is(new Set(received.map(request => request.headers['webhook-id'])).size, 1);
});

const attemptCount = (db: Awaited<ReturnType<typeof webhookWorld>>['db']) =>
  db.oneFirst(sql.type(z.object({ attempt_count: z.int() }))`select attempt_count from webhook_deliveries`);
