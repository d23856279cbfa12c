import test from 'ava';
import { measureOldest } from '#shared/running/work/oldest_pending.ts';
import { reconcile } from '#shared/running/work/reconcile.ts';
import { jobKindNames } from '#shared/running/work/kinds/index.ts';
import { sql } from '#shared/platform/db.ts';
import { event } from '#test/helpers/make.ts';
import { engineTest } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';
import { operatorWorld } from '#test/helpers/operator.ts';
import { startWorkers } from '#workers/run.ts';
import { startSchedule } from '#workers/schedule.ts';
import { world } from '#test/helpers/world.ts';

engineTest('it is measured who works, how long jobs wait and take, and how they end', async (t, engine) => {
  const { as, services } = await operatorWorld(t, { engine });
  const { metrics } = services;
  const workers = await startWorkers(services, ['detect']);
  t.teardown(workers.stop);
  await as.post('/v1/events', event());
  const said = async (line: RegExp) => line.test(await metrics.registry.metrics());
  await until(() => said(/^job_duration_seconds_count\{kind="detect",outcome="done"\} [1-9]/m));
  t.true(await said(/^job_wait_seconds_count\{kind="detect"\} [1-9]/m));
  t.true(await said(/^job_duration_seconds_count\{kind="detect",outcome="failed"\} 0$/m));
  t.true(await said(/^database_connections\{state="waiting"\} 0$/m));
  t.true(await said(/^database_connections_max 6$/m));
  const schedule = startSchedule(services);
  t.teardown(schedule.stop);
  await until(() => said(/^workers_present\{kind="detect"\} 1$/m));
  t.true(await said(/^workers_present\{kind="webhook"\} 0$/m));
  t.true(await said(/^webhook_endpoints\{state="active"\} 0$/m));
});

test('the age of the oldest row is measured of every kind of work', async t => {
  const { services, db, as, tenant } = await world(t, { own_database: true });
  await as.post('/v1/events', event());
  const { org_id, environment } = tenant;
  const hour_ago = sql.fragment`now() - interval '1 hour'`;
  const at = sql.fragment`${org_id}, ${environment}`;
  for (const statement of [
    sql.unsafe`insert into rechecks (org_id, environment, id, kind, to_seq, next_at, requested_at) values (${at}, 'rck_1', 'keys', 1, now(), ${hour_ago})`,
    sql.unsafe`insert into chain_lookups (org_id, environment, chain_seq, network, hash, created_at, next_at) values (${at}, 1, 'eip155:1', '0x', ${hour_ago}, now())`,
    sql.unsafe`insert into backtests (org_id, environment, id, detector, from_at, to_at, params, cooldown_s, created_at, next_at)
      values (${at}, 'bkt_1', 'velocity_count', now(), now(), '{}', 0, ${hour_ago}, now())`,
    sql.unsafe`insert into packs (org_id, environment, id, kind, scope, redact, event_count, log_size, created_at, next_at)
      values (${at}, 'pck_1', 'evidence_pack', '{}', '{}', 0, 1, ${hour_ago}, now())`,
  ])
    await db.query(statement);
  const ages = async () => {
    await reconcile(services);
    await measureOldest(services);
    const { values } = await services.metrics.oldestPending.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.kind, value]));
  };
  const measured = await ages();
  t.deepEqual(Object.keys(measured).toSorted(), jobKindNames.toSorted());
  for (const kind of ['recheck', 'chain', 'backtest', 'pack']) t.true((measured[kind] ?? 0) >= 3_600, kind);
  for (const kind of ['detect', 'checkpoint']) t.true((measured[kind] ?? 0) > 0 && (measured[kind] ?? 0) < 3_600, kind);
  t.true(((await ages())['recheck'] ?? 0) >= 3_600, 'a claim makes nothing younger');
});
