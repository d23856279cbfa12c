import type { JobKind, Jobs } from '#shared/platform/jobs.ts';
import { jobKindNames } from '#shared/running/work/kinds/index.ts';
import { operatorWorld } from '#test/helpers/operator.ts';
import { engineTest } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';

engineTest('a job that failed or was removed keeps no row from being queued again, of any kind', async (t, engine) => {
  const { services, tenant, change } = await operatorWorld(t, { engine });
  const { queue } = services;
  const jobs: { [K in JobKind]: Jobs[K] } = {
    detect: tenant,
    recheck: tenant,
    chain: { ...tenant, chain_seq: 1 },
    webhook: { ...tenant, delivery_id: 'whd_1', generation: 0, attempts_made: 4, behind: 0 },
    backtest: { ...tenant, backtest_id: 'bkt_1' },
    screen: tenant,
    list_fetch: { name: 'ofac' },
    checkpoint: tenant,
    rate_fetch: { id: 'rates' },
    reprice: tenant,
    pack: { ...tenant, pack_id: 'pck_1' },
    notify: { ...tenant, user_id: 'usr_1' },
    export: { ...tenant, export_id: 'exp_1' },
    export_hour: { ...tenant, kind: 'events' },
    erasure: { ...tenant, erasure_id: 'ers_1' },
  };
  for (const kind of jobKindNames) {
    const add = () => queue.add(kind, [jobs[kind]]);
    const waiting = async () => (await queue.ids(kind, ['waiting'], 10)).length;
    let runs = 0;
    const worker = queue.work(kind, () => Promise.reject(new Error(`away ${(runs += 1)}`)));
    await add();
    await until(async () => runs === 1 && (await queue.counts(kind))['active'] === 0);
    await worker.close();
    await add();
    t.is(await waiting(), 1, `${kind} after a failure`);
    await change('PUT', `/ops/queues/api/queues/${kind}/empty`);
    t.is(await waiting(), 0);
    await add();
    t.is(await waiting(), 1, `${kind} after its queue was emptied`);
  }
});
