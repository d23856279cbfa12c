import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { replayMissed } from '#shared/webhooks/replay_missed.ts';
import { SECOND } from '#shared/values/time.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { engineTest, type Engine, webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';

/** An endpoint that was away for `count` deliveries and answers again; `answer` says what to the first request from then on, the second … */
async function missed(
  t: ExecutionContext,
  { engine, count, answer = () => 200 }: { engine?: Engine; count: number; answer?: (index: number) => number },
) {
  let passed = 0;
  let back = false;
  let at_once = 0;
  let most = 0;
  let asked = 0;
  const { url, received } = await receiver(t, () => {
    if (!back) return 503;
    const status = answer(asked++);
    return response => {
      most = Math.max(most, ++at_once);
      setTimeout(() => {
        at_once -= 1;
        response.writeHead(status).end();
      }, 5);
    };
  });
  const world = await webhookWorld(t, { engine, first_wait: 5, now: () => Date.now() + passed });
  const { deliver, deliveries, endpoint, reconcile, states, tenant, work } = world;
  const { id } = await endpoint(url);
  const worker = work();
  reconcile();
  await deliver(count);
  await until(async () => (await states())['failed'] === count);
  const ids = (await deliveries()).map(delivery => delivery.id);
  received.length = 0;
  back = true;
  return {
    ...world,
    worker,
    endpoint_id: id,
    /** What was missed, in the order in which it was made. */
    ids,
    received,
    sent: () => received.map(({ headers }) => String(headers['webhook-id'])),
    most: () => most,
    pass: (time: number) => (passed += time),
    replay: () => replayMissed(world, tenant, id, null),
  };
}

engineTest(
  'what an endpoint missed is sent again in order, one after the other, at most 20 a second',
  async (t, engine) => {
    const { deliveries, ids, most, received, replay, sent, states } = await missed(t, { engine, count: 12 });
    t.deepEqual(await replay(), { replayed: 12 });
    await until(async () => (await states())['delivered'] === 12);
    t.deepEqual(sent(), ids);
    t.is(most(), 1);
    const took = (received.at(-1)?.at ?? 0) - (received[0]?.at ?? 0);
    t.true(took >= 11 * 50 - 45, `${took} ms`);
    t.true(
      (await deliveries()).every(({ attempts }) => attempts.length === 6),
      'the attempts before are kept',
    );
    t.deepEqual(await replay(), { replayed: 0 }, 'nothing is left');
  },
);

test('a replay whose process is killed goes on where it was, in order', async t => {
  const { ids, loseQueue, pass, received, reconcile, replay, sent, states, work, worker } = await missed(t, {
    count: 10,
  });
  await replay();
  await until(() => received.length === 4);
  await worker.close(true);
  await loseQueue();
  work();
  reconcile();
  await until(async () => {
    pass(SECOND);
    return (await states())['delivered'] === 10;
  });
  t.deepEqual([...new Set(sent())], ids);
});

test('what fails again does not hold up the rest, and is sent by the next replay', async t => {
  const { ids, replay, sent, states } = await missed(t, { count: 4, answer: index => (index < 5 ? 500 : 200) });
  t.deepEqual(await replay(), { replayed: 4 });
  t.deepEqual(await replay(), { replayed: 3 }, 'what is under way is not begun twice');
  await until(async () => (await states())['delivered'] === 3 && (await states())['failed'] === 1);
  const [first = '', ...rest] = ids;
  t.deepEqual(sent(), [first, first, first, first, first, ...rest]);
  // The replay before ends a moment after its last attempt.
  await until(async () => (await replay()).replayed === 1);
  await until(async () => (await states())['delivered'] === 4);
  t.is(sent().at(-1), first);
});

test('what happens during a replay is told at once, and only what failed is sent again', async t => {
  const { deliver, endpoint, ids, replay, sent, states } = await missed(t, {
    count: 8,
    answer: index => (index === 0 ? 410 : 200),
  });
  await endpoint((await receiver(t)).url);
  await deliver(1);
  await until(async () => (await states())['refused'] === 1 && (await states())['delivered'] === 1);
  t.deepEqual(await replay(), { replayed: 8 });
  const [told] = await deliver(1);
  await until(async () => (await states())['delivered'] === 11);
  const order = sent().slice(1);
  t.true(order.indexOf(told?.delivery_id ?? '') < order.length - 2);
  t.deepEqual(
    order.filter(id => ids.includes(id)),
    ids,
  );
});

test('a replay ends when its endpoint is disabled, and is refused for one that is', async t => {
  const { db, endpoint_id, now, received, reconcile, pass, replay, states, tenant } = await missed(t, { count: 6 });
  await replay();
  await until(() => received.length === 2);
  await disableEndpoint(db, tenant, endpoint_id, now());
  await t.throwsAsync(replay(), { code: 'conflict' });
  pass(10 * SECOND);
  reconcile();
  const Standing = z.object({ standing: z.boolean() });
  // One more may have been begun in the moment in which the endpoint was disabled.
  await until(
    async () =>
      !(await db.oneFirst(sql.type(Standing)`select exists (select 1 from webhook_replays) as standing`)) &&
      !(await states())['pending'],
  );
  const { failed = 0 } = await states();
  t.true(failed >= 3);
  await t.throwsAsync(replayMissed({ ...(await webhookWorld(t)) }, tenant, endpoint_id, null), { code: 'not_found' });
  t.is((await states())['failed'], failed);
});
