import test from 'ava';
import { retryPreview } from '#api/ops/preview.ts';
import { newId } from '#shared/interface/ids.ts';
import { pageRequest } from '#shared/interface/page.ts';
import { insertDeliveries, listDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { createEndpoint, disableEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { operatorWorld } from '#test/helpers/operator.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { alerts, engineTest } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';
import { startWorkers } from '#workers/run.ts';

engineTest(
  'a delivery that ended without being taken is among the failed jobs, and a retry sends it again',
  async (t, engine) => {
    let answer = 410;
    const { url, received } = await receiver(t, () => answer);
    const { ask, change, acts, services, tenant, db, config, person } = await operatorWorld(t, { engine });
    const { queue, now } = services;
    const { id: endpoint_id } = await createEndpoint(db, config, tenant, { url }, now());
    const workers = await startWorkers(services, ['webhook']);
    t.teardown(workers.stop);
    await queue.add('webhook', await insertDeliveries(db, tenant, alerts(3), now()));
    const failed = () => queue.ids('webhook', ['failed'], 10);
    await until(async () => (await failed()).length === 3);
    const { body } = await ask('/ops');
    t.true(body.includes('Not delivered, refused at attempt 1: the endpoint answered 410.'));
    t.false(body.includes(url), 'the address of an endpoint may hold a secret');

    answer = 200;
    const [first = ''] = await failed();
    t.is((await change('POST', `/ops/retry/webhook/${first}`)).status, 303);
    const page = pageRequest(config.secret_key, 'deliveries', tenant, { limit: 10 });
    const delivered = async () => (await listDeliveries(db, tenant, { state: 'delivered' }, page)).data;
    await until(async () => (await delivered()).length === 1);
    const [sent] = await delivered();
    t.is(first, `${sent?.id}-0`);
    t.like(sent?.attempts.at(-1), { generation: 1, outcome: 'delivered' });
    const log = await (await person('owner')).get('/v1/audit-log?action=webhook_delivery.replayed');
    t.like(log.body.data, [{ target_id: sent?.id, actor_id: null }]);

    const all = JSON.parse((await change('PUT', '/ops/queues/api/queues/webhook/retry/failed')).body);
    t.deepEqual(all, { retried: 2, skipped: 0 });
    await until(async () => (await delivered()).length === 3);
    t.is(received.length, 6);
    t.deepEqual(await failed(), []);
    t.deepEqual(
      (await acts()).map(({ act, job_ids }) => [act, job_ids.length]),
      [
        ['retry failed', 1],
        ['retry failed', 2],
      ],
    );

    answer = 410;
    await queue.add('webhook', await insertDeliveries(db, tenant, alerts(1), now()));
    await until(async () => (await failed()).length === 1);
    await disableEndpoint(db, tenant, endpoint_id, now());
    t.is((await change('POST', `/ops/retry/webhook/${(await failed())[0]}`)).status, 409);
  },
);

engineTest(
  'a webhook job that failed for want of something else is not kept: its delivery is queued again',
  async (t, engine) => {
    const { services, tenant } = await operatorWorld(t, { engine });
    const { queue } = services;
    let runs = 0;
    const worker = queue.work('webhook', () => Promise.reject(new Error(`away ${(runs += 1)}`)));
    t.teardown(() => worker.close());
    const job = { ...tenant, delivery_id: newId('whd'), generation: 0, attempts_made: 4, behind: 0 };
    await queue.add('webhook', [job]);
    await until(async () => runs === 1 && Object.values(await queue.counts('webhook')).every(count => count === 0));
    await queue.add('webhook', [job]);
    await until(() => runs === 2);
    t.pass();
  },
);

test('the page before a retry shows what is sent for the organization of the job alone', async t => {
  const { services, tenant, db, config, organization } = await world(t);
  await createEndpoint(db, config, tenant, { url: 'https://hooks.example.com' }, services.now());
  const [job] = await insertDeliveries(db, tenant, alerts(1), services.now());
  const isShown = async (org_id: string) => {
    const failed = async () => [{ id: 'job_1', data: { ...job, org_id }, error: 'refused', failed_at: 0 }];
    const page = await retryPreview('webhook', undefined, { ...services, queue: { failed } } as never);
    return page.includes('<details>');
  };
  t.true(await isShown(tenant.org_id));
  t.false(await isShown((await organization('Rival')).id));
});
