import test from 'ava';
import { jobKindNames } from '#shared/running/work/kinds/index.ts';
import { announcePresence, listPresent } from '#shared/running/worker_presence.ts';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { event } from '#test/helpers/make.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

test('the state of the queues is shown, what waits in the tables, and which processes are there', async t => {
  const here = await world(t, { own_database: true });
  const { as, services } = here;
  const admin = adminOf(t, settingsOf(here));
  await as.post('/v1/events', { events: [event(), event()] });
  t.regex((await admin.type('queues', 'status')).stdout, /^workers +none$/m);
  const { stop } = announcePresence(services, ['detect']);
  await until(async () => (await listPresent(services.db)).length > 0);
  const { stdout } = await admin.type('queues', 'status');
  for (const line of [
    /^detect +waiting \d+, active 0, delayed 0, failed 0$/m,
    /^events_behind +2$/m,
    /^workers +detect \(.+, \d+\)$/m,
  ])
    t.regex(stdout, line);
  await stop();
  const { queues, rows } = await admin.json('queues', 'status');
  t.deepEqual(Object.keys(queues).toSorted(), [...jobKindNames].toSorted());
  t.is(queues.detect.failed, 0);
  t.deepEqual(rows, {
    logs_behind: 1,
    events_behind: 2,
    rechecks_pending: 0,
    chain_lookups_pending: 0,
    deliveries_pending: 0,
    backtests_unfinished: 0,
    payees_to_screen: 1,
    rescreens_unfinished: 0,
  });
});
