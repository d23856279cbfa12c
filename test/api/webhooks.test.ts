import test, { type ExecutionContext } from 'ava';
import { recordAttempt } from '#shared/webhooks/webhook_attempts.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint, disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { world } from '#test/helpers/world.ts';
import { alerts } from '#test/helpers/webhooks.ts';

async function told(t: ExecutionContext) {
  const w = await world(t);
  const endpoint = (url: string) => createEndpoint(w.db, w.config, w.tenant, { url }, Date.now());
  const endpoints = [await endpoint('http://127.0.0.1:9/a'), await endpoint('http://127.0.0.1:9/b')] as const;
  await insertDeliveries(w.db, w.tenant, alerts(2), Date.now());
  return { ...w, endpoints, reader: await w.person('developer') };
}

test('people read the endpoints without their secrets, newest first', async t => {
  const { reader, endpoints, db, tenant } = await told(t);
  const read = async () => (await reader.get('/v1/webhook-endpoints')).body;
  const shown = endpoints.map(({ id, url, state, created_at }) => ({ id, url, state, created_at })).toReversed();
  t.deepEqual(await read(), { data: shown, next_cursor: null });
  t.false(JSON.stringify(await read()).includes('secret'));
  await disableEndpoint(db, tenant, endpoints[0].id, Date.now());
  t.is((await read()).data[1].state, 'disabled');
});

test('people read the deliveries with their attempts, by state, type and endpoint', async t => {
  const { reader, endpoints, db, tenant } = await told(t);
  const read = async (query = '') => (await reader.get(`/v1/webhook-deliveries${query}`)).body.data;
  const all = await read();
  t.is(all.length, 4);
  const [{ id, endpoint_id }] = all;
  const attempt = { outcome: 'delivered', status: 204, error: null, response: '', ms: 12 } as const;
  const delivery = { ...tenant, delivery_id: id };
  await recordAttempt(db, delivery, { ...attempt, generation: 0, number: 1, at: Date.now() }, Date.now());
  const [delivered, ...others] = await read('?state=delivered');
  t.deepEqual(others, []);
  t.like(delivered, { id, endpoint_id, type: 'alert.created', attempt_count: 1 });
  t.like(delivered.attempts[0], { number: 1, generation: 0, outcome: 'delivered', status: 204, ms: 12 });
  t.is((await read('?state=pending')).length, 3);
  t.is((await read(`?endpoint_id=${endpoints[0].id}`)).length, 2);
  t.is((await read('?type=alert.created')).length, 4);
  t.deepEqual(await read('?type=pack.ready'), []);
  const first = (await reader.get('/v1/webhook-deliveries?limit=3')).body;
  t.is((await read(`?limit=3&cursor=${first.next_cursor}`)).length, 1);
  for (const query of ['state=lost', 'type=alert', 'endpoint_id=whd_1', 'since=1'])
    t.is((await reader.get(`/v1/webhook-deliveries?${query}`)).status, 400, query);
});

test('webhooks are read in their own organization only', async t => {
  const { as, organization, person } = await told(t);
  const stranger = await person('owner', { of: (await organization('Rival')).id });
  for (const path of ['/v1/webhook-endpoints', '/v1/webhook-deliveries']) {
    t.true((await as.get(path)).body.data.length > 0, path);
    t.deepEqual((await stranger.get(path)).body.data, [], path);
  }
});
