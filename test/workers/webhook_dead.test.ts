import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { claimForEndpoint, claimOverdue } from '#shared/webhooks/webhook_claims.ts';
import { recordAttempt } from '#shared/webhooks/webhook_attempts.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { MINUTE, SECOND } from '#shared/values/time.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { alerts, engineTest, webhookWorld } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';

const url = 'http://127.0.0.1:9/';

engineTest('however much waits for dead endpoints, what a live one is told goes before it', async (t, engine) => {
  const { config, db, endpoint, deliver, deliveries, now, queue, tenant } = await webhookWorld(t, { engine });
  for (let dead = 0; dead < 3; dead += 1) await endpoint(url);
  await deliver(60);
  const { id: own } = await endpoint(url);
  await deliver();
  const other = { ...tenant, org_id: newId('org') };
  await createEndpoint(db, config, other, { url }, now());
  const [foreign] = await insertDeliveries(db, other, alerts(1), now());
  if (!foreign) return t.fail();
  await queue.add('webhook', [foreign]);
  const live = [foreign.delivery_id, (await deliveries()).find(({ endpoint_id }) => endpoint_id === own)?.id ?? ''];
  const order: string[] = [];
  const worker = queue.work('webhook', async ({ delivery_id }) => void order.push(delivery_id));
  t.teardown(() => worker.close());
  await until(() => live.every(id => order.includes(id)));
  for (const id of live)
    t.true(order.indexOf(id) < 5, `after one of each dead endpoint, not as number ${order.indexOf(id)}`);
});

test('of a dead endpoint ten deliveries are under way, which are tried to their end before others begin', async t => {
  const { db, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint(url);
  const at = now();
  const begun = (await insert(alerts(50))).map(({ delivery_id }) => delivery_id);
  t.is(begun.length, 10);
  t.deepEqual(await claimOverdue(db, at), [], 'the rest waits');
  const failed = {
    outcome: 'failed' as const,
    status: null,
    error: 'refused',
    response: null,
    ms: 1,
    at,
    generation: 0,
  };
  const tried = begun.slice(0, 4);
  for (const delivery_id of tried) await recordAttempt(db, { ...tenant, delivery_id }, { ...failed, number: 1 }, at);
  const ended = begun.slice(4);
  for (const delivery_id of ended)
    await recordAttempt(db, { ...tenant, delivery_id }, { ...failed, outcome: 'refused', number: 1 }, at);
  const refilled = await claimOverdue(db, at + SECOND);
  t.is(refilled.length, 6, 'as many begin as have ended');
  t.true(refilled.every(({ attempts_made }) => attempts_made === 0));
  const due = await claimForEndpoint(db, tenant, { endpoint_id, except: [] }, 4, at + SECOND);
  t.deepEqual(due.map(({ delivery_id }) => delivery_id).toSorted(), tried);
  const lost = await claimOverdue(db, at + MINUTE);
  t.is(lost.length, 10);
  t.is(lost.filter(({ attempts_made }) => attempts_made === 1).length, 4, 'though others are due longer');
});

test('beside deliveries that are tried again, others begin at once', async t => {
  const { db, endpoint, insert, now, tenant } = await webhookWorld(t);
  await endpoint(url);
  const failed = {
    outcome: 'failed' as const,
    status: 500,
    error: null,
    response: '',
    ms: 1,
    generation: 0,
    number: 1,
  };
  for (let round = 0; round < 3; round += 1) {
    const begun = await insert(alerts(10));
    t.is(begun.length, 10);
    t.deepEqual(await insert(alerts(1)), [], 'ten at a time');
    await db.query(sql.unsafe`delete from webhook_deliveries where next_at <= not_before`);
    for (const { delivery_id } of begun)
      await recordAttempt(db, { ...tenant, delivery_id }, { ...failed, at: now() }, now());
  }
  const [last] = await insert(alerts(1));
  t.is(last?.behind, 30, 'behind what other endpoints are told');
});

test('what an endpoint refuses for good it refuses whole, without waiting for reconcile', async t => {
  const { url: refusing, received } = await receiver(t, () => 410);
  const { deliver, endpoint, states, work } = await webhookWorld(t);
  await endpoint(refusing);
  work();
  await deliver(60);
  await until(async () => (await states())['refused'] === 60);
  t.is(received.length, 60);
});
