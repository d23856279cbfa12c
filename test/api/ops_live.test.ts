import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { createSamples, listSamples } from '#shared/running/work/samples.ts';
import { measureOldest } from '#shared/running/work/oldest_pending.ts';
import { pruneTable } from '#shared/running/work/prune.ts';
import { announcePresence } from '#shared/running/worker_presence.ts';
import { shownAddress } from '#api/ops/tables.ts';
import { HOUR } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { operatorWorld } from '#test/helpers/operator.ts';
import { engineTest } from '#test/helpers/webhooks.ts';
import { alert } from '#test/helpers/alert.ts';
import { world } from '#test/helpers/world.ts';

test('what processes add up by the minute is one row a kind, drawn with its numbers, and kept for three hours', async t => {
  const { ask, services, db } = await operatorWorld(t);
  const now = Date.now() - 60_000;
  const [one, other] = [createSamples({ ...services, now: () => now }), createSamples({ ...services, now: () => now })];
  for (const samples of [one, other]) {
    samples.note('webhook', { waited_ms: 500, ran_ms: 1_500, failed: false });
    samples.note('webhook', { waited_ms: 500, ran_ms: 1_500, failed: true });
  }
  await Promise.all([one.stop(), other.stop()]);
  await measureOldest(services);
  const rows = await listSamples(db, now - HOUR);
  const webhook = rows.filter(({ kind, jobs }) => kind === 'webhook' && jobs > 0);
  t.is(webhook.length, 1);
  t.like(webhook[0], { jobs: 4, failed: 2, waited_ms: 2_000, ran_ms: 6_000 });
  t.true(
    rows.some(({ kind }) => kind === 'detect'),
    'every kind is measured',
  );
  const { body } = await ask('/ops');
  t.true(body.includes('aria-label="webhook: 4 jobs in the last full minute, 4 at most"'));
  t.true(body.includes('aria-label="webhook: 2 failures"'));
  t.regex(body, /aria-label="webhook: latency 2(\.0)? s/);
  await pruneTable(db, 'work_samples', now + 2 * HOUR);
  t.is((await listSamples(db, now - HOUR)).length, rows.length);
  await pruneTable(db, 'work_samples', now + 4 * HOUR);
  t.deepEqual(await listSamples(db, now - HOUR), []);
});

test('an operator sees who is behind, which storms there are, and which processes left', async t => {
  const { ask, as, services, db, tenant } = await operatorWorld(t);
  await as.post('/v1/events', { events: [event(), event()] });
  const incident_id = newId('inc');
  await alert(db, tenant, { incident_id, title: 'Many agents pay <nobody>' });
  await db.query(sql.unsafe`update incidents set agent_id = null, agent_count = 12 where id = ${incident_id}`);
  const presence = announcePresence(services, ['pack']);
  await presence.stop();
  const { body } = await ask('/ops');
  t.regex(body, /<td>Acme<\/td><td><code>org_\w+<\/code><\/td><td class="number">2<\/td>/);
  t.regex(body, /Many agents pay &lt;nobody>.*?<td class="number">12<\/td>/);
  t.regex(body, /Left in the last hour.*?<code>pack<\/code>.*?stopped/s);
});

engineTest('a queue is paused and resumed by a button, and the record says who pressed it', async (t, engine) => {
  const { ask, change, acts, services } = await operatorWorld(t, { engine });
  t.is((await change('POST', '/ops/pause/recheck')).status, 303);
  t.true(await services.queue.isPaused('recheck'));
  t.true((await ask('/ops')).body.includes('aria-label="Resume recheck"'));
  t.is((await change('POST', '/ops/resume/recheck')).status, 303);
  t.false(await services.queue.isPaused('recheck'));
  t.deepEqual(
    (await acts()).map(({ act, queue, status }) => [act, queue, status]),
    [
      ['pause', 'recheck', 303],
      ['resume', 'recheck', 303],
    ],
  );
  t.is((await change('POST', '/ops/pause/nothing')).status, 404);
  t.is((await ask('/ops/pause/recheck')).status, 405);
  const only = await operatorWorld(t, { settings: { OPS_READ_ONLY: 'true' } });
  t.is((await only.change('POST', '/ops/pause/recheck')).status, 403);
});

test('before a retry the operator reads what each job is for', async t => {
  const { ask, failJob, tenant } = await operatorWorld(t);
  const id = await failJob('recheck', tenant, 'the <b>database</b> was away');
  for (const path of [`/ops/retry/recheck/${id}`, '/ops/retry/recheck']) {
    const { status, body } = await ask(path);
    t.is(status, 200);
    t.true(body.includes('the &lt;b>database&lt;/b> was away') && body.includes(tenant.org_id));
    t.true(body.includes(`action="${path}"`));
  }
  t.is((await ask('/ops/retry/recheck/nothing')).status, 404);
  t.is((await ask('/ops/retry/nothing')).status, 404);
  t.is((await ask(`/ops/replay/${tenant.org_id}/${newId('whe')}`)).status, 404);
});

test('of an address that may hold a secret, operators see the host alone', t => {
  t.is(shownAddress('https://hooks.example.com/oversight/events'), 'hooks.example.com/oversight/events');
  t.is(shownAddress('https://hooks.example.com:8443/'), 'hooks.example.com:8443');
  for (const url of [
    'https://hooks.example.com/services/T024BE7LD/B3',
    'https://hooks.example.com/in?key=1',
    'https://ada:pw@hooks.example.com/in',
    `https://hooks.example.com/${'x'.repeat(30)}`,
  ])
    t.is(shownAddress(url), 'hooks.example.com', url);
});

test('the script that refreshes the page is served to operators alone', async t => {
  const { ask } = await operatorWorld(t);
  const { status, headers } = await ask('/ops/live.js');
  t.is(status, 200);
  t.regex(headers.get('content-type') ?? '', /javascript/);
  const { client } = await world(t);
  t.is((await client().get('/ops/live.js')).status, 404);
});
