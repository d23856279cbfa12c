import test from 'ava';
import { SECOND } from '#shared/values/time.ts';
import { claimBacklog, releaseBacklog } from '#shared/webhooks/webhook_backlog.ts';
import { claimOverdue } from '#shared/webhooks/webhook_claims.ts';
import { disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { alerts, until, webhookWorld } from '#test/helpers/webhooks.ts';

test('of a backlog each delivery is sent once, what fails is tried again after its wait, and what is refused is a failed job', async t => {
  const tries = new Map<string, number[]>();
  const order = new Map<string, number>();
  const { url } = await receiver(t, ({ at, headers }) => {
    const id = String(headers['webhook-id']);
    tries.set(id, [...(tries.get(id) ?? []), at]);
    const place = order.get(id) ?? order.size;
    order.set(id, place);
    if (place === 150) return 410;
    return place === 120 && tries.get(id)?.length === 1 ? 500 : 200;
  });
  const { deliver, deliveries, endpoint, queue, states, work } = await webhookWorld(t);
  await endpoint(url);
  work();
  await deliver(200);
  await until(async () => (await states())['delivered'] === 199);
  t.is((await states())['refused'], 1);
  await until(async () => (await queue.counts('webhook'))['failed'] === 1);
  const [failed] = await queue.failed('webhook', 1);
  t.is(failed?.error, 'Not delivered, refused at attempt 1: the endpoint answered 410.');
  const retried = [...tries].filter(([, times]) => times.length > 1);
  t.is(retried.length, 1);
  const [[id, [first = 0, second = 0]] = ['', []]] = retried;
  t.true(second - first >= 480, `${second - first} ms`);
  for (const { attempts, id: each, state } of await deliveries()) {
    t.is(attempts.length, each === id ? 2 : 1);
    t.like(attempts.at(-1), { outcome: state, number: attempts.length });
  }
});

test('what a killed process had claimed is left to it for 25 s, and is found then', async t => {
  const { db, endpoint, insert, now, tenant } = await webhookWorld(t);
  const { id: endpoint_id } = await endpoint('http://127.0.0.1:9/');
  await insert(alerts(130));
  const at = now() + SECOND;
  const claim = (turned_away: string[], time: number) =>
    claimBacklog(db, tenant, { endpoint_id, turned_away }, 1_000, time);
  const claimed = await claim([], at);
  t.is(claimed.length, 30, 'the others have jobs on their way');
  t.deepEqual(await claim([], at), []);
  const late = await claimOverdue(db, at + 24 * SECOND);
  const ids = claimed.map(({ delivery_id }) => delivery_id);
  t.true(late.every(({ delivery_id }) => !ids.includes(delivery_id)));
  const [one = '', ...rest] = ids;
  t.is((await releaseBacklog(db, tenant, [one], at)).length, 1);
  t.deepEqual(await claim([], at), []);
  t.is((await claim([one], at)).length, 1, 'its job was turned away');
  const found = [await claimOverdue(db, at + 26 * SECOND), await claimOverdue(db, at + 26 * SECOND)].flat();
  t.true(found.some(({ delivery_id }) => rest.includes(delivery_id)));
  await disableEndpoint(db, tenant, endpoint_id, at);
  t.deepEqual(await claim(ids, at + 60 * SECOND), []);
});
