import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint, disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { operatorWorld } from '#test/helpers/operator.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { alerts } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';
import { startWorkers } from '#workers/run.ts';

async function missed(t: Parameters<typeof operatorWorld>[0], settings: Record<string, string> = {}) {
  const { url, received } = await receiver(t);
  const w = await operatorWorld(t, { settings });
  const { id } = await createEndpoint(w.db, w.config, w.tenant, { url }, w.services.now());
  await insertDeliveries(w.db, w.tenant, alerts(3), w.services.now());
  await w.db.query(sql.unsafe`update webhook_deliveries set state = 'failed', attempt_count = 5, finished_at = now()`);
  return { ...w, url, received, endpoint_id: id, path: `/ops/replay/${w.tenant.org_id}/${id}` };
}

test('a button sends again what an endpoint missed, and the record says who pressed it', async t => {
  const { acts, ask, change, endpoint_id, path, person, received, services, url } = await missed(t);
  const { body } = await ask('/ops');
  t.true(body.includes(`href="${path}"`));
  t.true(body.includes(`Resend failed webhooks to ${endpoint_id}`));
  const preview = (await ask(path)).body;
  t.is(preview.match(/<code>alert.created<\/code>/g)?.length, 3, 'what will be sent is shown before');
  t.true(preview.includes(`<form method="post" action="${path}">`));
  t.false(body.includes(url), 'the address of an endpoint may hold a secret');
  const workers = await startWorkers(services, ['webhook']);
  t.teardown(workers.stop);
  const pressed = await change('POST', path);
  t.deepEqual([pressed.status, pressed.headers.get('location')], [303, '/ops']);
  await until(() => received.length === 3);
  await until(async () => !(await ask('/ops')).body.includes(path));
  const by = { operator: 'operator', act: 'replay failed', queue: 'webhook', ip: '127.0.0.1' };
  t.deepEqual(await acts(), [{ ...by, job_ids: [endpoint_id], status: 303 }]);
  const log = await (await person('owner')).get('/v1/audit-log?action=webhook_endpoint.replayed');
  t.like(log.body.data, [{ target_id: endpoint_id, actor_id: null, after: { replayed: 3, failed: true } }]);
  t.regex(log.body.data[0].request_id, /^req_/);
});

test('the button is for operators of this site who may change something', async t => {
  const only = await missed(t, { OPS_READ_ONLY: 'true' });
  t.is((await only.change('POST', only.path)).status, 403);
  const looked = (await only.ask('/ops')).body;
  t.true(looked.includes(only.endpoint_id));
  t.false(looked.includes(only.path));
  t.false((await only.ask(only.path)).body.includes('<form'));
  const { acts, ask, change, config, db, endpoint_id, path, tenant, services } = await missed(t);
  t.is((await ask(path, { method: 'POST', headers: { origin: 'https://evil.example' } })).status, 403);
  t.is((await ask(path, { method: 'POST', credential: 'operator:wrong' })).status, 401);
  t.is((await ask(path, { method: 'DELETE' })).status, 405);
  t.deepEqual(await acts(), []);
  const stranger = `/ops/replay/${newId('org')}/${endpoint_id}`;
  for (const unknown of [stranger, `/ops/replay/${tenant.org_id}/${newId('whe')}`])
    t.is((await change('POST', unknown)).status, 404, unknown);
  for (const odd of ['/ops/replay', '/ops/replay/x/y', `${path}/z`]) t.is((await change('POST', odd)).status, 404, odd);
  await disableEndpoint(db, tenant, endpoint_id, services.now());
  t.is((await change('POST', path)).status, 409);
  t.is(config.environment, 'sandbox');
});
