import test from 'ava';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { readConfig } from '#shared/settings/config.ts';
import { sql } from '#shared/platform/db.ts';
import { HOUR } from '#shared/values/time.ts';
import { announcePresence } from '#shared/running/worker_presence.ts';
import { event } from '#test/helpers/make.ts';
import { operatorWorld } from '#test/helpers/operator.ts';
import { engineTest } from '#test/helpers/webhooks.ts';
import { until } from '#test/helpers/until.ts';
import { world } from '#test/helpers/world.ts';

const html = { accept: 'text/html' };

test('without OPS_CREDENTIAL there is no /ops', async t => {
  const { client } = await world(t, { own_database: true });
  for (const path of ['/ops', '/ops/', '/ops/style.css', '/ops/queues', '/ops/queues/api/queues', '/ops/retry/pack'])
    t.is((await client().get(path, { authorization: `Basic ${btoa(':')}` })).status, 404, path);
});

test('OPS_CREDENTIAL needs a name and twelve characters, and is never quoted', t => {
  for (const OPS_CREDENTIAL of ['operator', 'operator:too short', ':long enough to do', 'a b:long enough to do']) {
    const error = t.throws(() => readConfig({ OPS_CREDENTIAL }));
    t.regex(error.message, /OPS_CREDENTIAL: It must be user:password/);
    t.false(error.message.includes(OPS_CREDENTIAL));
  }
  const { ops_credential, ops_read_only } = readConfig({ OPS_CREDENTIAL: 'operator:a:b:c d e f g' });
  t.deepEqual(ops_credential, { user: 'operator', password: 'a:b:c d e f g' });
  t.true(ops_read_only);
});

test('only the credential of the operators opens it: no key, no session, nothing like it', async t => {
  const { ask, full, person, api } = await operatorWorld(t);
  const owner = await person('owner');
  for (const path of ['/ops', '/ops/style.css', '/ops/queues', '/ops/queues/api/queues']) {
    t.is((await ask(path)).status, 200, path);
    const strangers: HeadersInit[] = [{}, { authorization: `Bearer ${full.key}` }, { cookie: owner.cookie }];
    for (const headers of strangers) {
      const { status, headers: answered } = await fetch(api.address + path, { headers });
      t.is(status, 401, path);
      t.regex(answered.get('www-authenticate') ?? '', /^Basic realm="Operators"/);
    }
  }
  t.is((await ask('/ops', { credential: 'operator:correct horse batterz' })).status, 401);
  t.is((await ask('/ops', { credential: 'Operator:correct horse battery' })).status, 401);
});

test('after five wrong guesses a network is refused, also with the right one; nobody else is', async t => {
  const { ask } = await operatorWorld(t, { settings: { TRUSTED_PROXIES: '1' } });
  const from = (ip: string) => ({ 'x-forwarded-for': ip });
  for (let count = 0; count < 5; count += 1)
    t.is((await ask('/ops', { credential: 'operator:guess', headers: from('203.0.113.7') })).status, 401);
  const refused = await ask('/ops', { headers: from('203.0.113.7') });
  t.is(refused.status, 429);
  t.truthy(refused.headers.get('retry-after'));
  for (let count = 0; count < 10; count += 1) t.is((await ask('/ops', { headers: from('203.0.113.8') })).status, 200);
});

test('one look shows what waits and for how long, who is there, and what failed with its payload', async t => {
  const { ask, as, failJob, services, tenant, db } = await operatorWorld(t);
  await as.post('/v1/events', event());
  await db.query(sql.unsafe`update detection_cursors set moved_at = now() - interval '1 hour'`);
  // The clocks of machines may differ.
  const presence = announcePresence({ ...services, now: () => Date.now() - HOUR }, ['detect']);
  t.teardown(() => presence.stop());
  const nobody = 'No <code>detect</code> process is running';
  await until(async () => !(await ask('/ops')).body.includes(nobody));
  const id = await failJob('recheck', tenant, 'the <b>database</b> was away');
  const { body } = await ask('/ops', { headers: html });
  const row = (kind: string) =>
    new RegExp(`<tr><td><a href="/ops/queues/queue/${kind}">.*?</tr>`).exec(body)?.[0] ?? '';
  t.regex(row('detect'), /<td class="number">1<\/td><td class="number"><span title="20[^"]+">[\d.]+ s<\/span>/);
  t.regex(row('webhook'), /none<\/strong><\/td><td class="number">None<\/td>/);
  t.regex(body, /No <code>webhook<\/code> process is running/);
  t.regex(row('recheck'), />1<\/a><\/td>/);
  t.true(body.includes(`/ops/queues/queue/recheck/${id}`));
  t.true(body.includes('the &lt;b>database&lt;/b> was away'));
  t.true(body.includes(tenant.org_id));
  t.notRegex(body, /https?:\/\/|style="/);
  t.deepEqual(body.match(/<script[^>]*>/g), ['<script src="/ops/live.js" defer>']);
  await presence.stop();
  t.true((await ask('/ops')).body.includes(nobody), 'who stops says so');
});

test('no page of it loads anything from elsewhere, is kept, or is found', async t => {
  const { ask } = await operatorWorld(t);
  for (const path of ['/ops', '/ops/queues', '/ops/queues/queue/webhook?status=failed']) {
    const { status, body, headers } = await ask(path, { headers: html });
    t.is(status, 200);
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('x-robots-tag'), 'noindex');
    t.is(headers.get('x-frame-options'), 'DENY');
    t.regex(headers.get('content-security-policy') ?? '', /^default-src 'none';/);
    t.notRegex(headers.get('content-security-policy') ?? '', /script-src[^;]*unsafe|https?:/);
    t.notRegex(body, /(?:href|src)="(?:https?:)?\/\//);
    for (const [, asset = ''] of body.matchAll(/(?:href|src)="((?:\/ops\/queues\/)?static\/[^"]+)"/g))
      t.is((await ask(`/ops/queues/${asset}`)).status, 200, asset);
  }
});

test('operators look only, unless OPS_READ_ONLY=false; and then no other site can make their browser act', async t => {
  const only = await operatorWorld(t, { settings: { OPS_READ_ONLY: 'true' } });
  const id = await only.failJob('recheck', only.tenant);
  const changes = [
    ['POST', '/ops/retry/recheck'],
    ['POST', `/ops/retry/recheck/${id}`],
    ['PUT', '/ops/queues/api/queues/recheck/retry/failed'],
    ['PUT', `/ops/queues/api/queues/recheck/${id}/clean`],
    ['PUT', '/ops/queues/api/queues/pause'],
  ] as const;
  for (const [method, path] of changes) t.is((await only.change(method, path)).status, 403, path);
  for (const path of ['/ops', `/ops/retry/recheck/${id}`]) t.false((await only.ask(path)).body.includes('<form'), path);
  t.notRegex((await only.ask('/ops')).body, /href="\/ops\/retry/);
  t.deepEqual(await only.acts(), []);
  const allowed = await operatorWorld(t);
  for (const [name, value] of [
    ['origin', 'https://evil.example'],
    ['origin', ''],
    ['sec-fetch-site', 'cross-site'],
  ] as const)
    for (const [method, path] of changes)
      t.is((await allowed.ask(path, { method, headers: { [name]: value } })).status, 403, path);
  for (const path of ['retry/completed', '1/update-data', 'add', 'obliterate', 'concurrency', 'retry/failed/more'])
    t.is((await allowed.change('PUT', `/ops/queues/api/queues/recheck/${path}`)).status, 403, path);
  t.deepEqual(await allowed.acts(), []);
});

engineTest('a failed job is retried, one or all, and the record says who did it to which', async (t, engine) => {
  const { ask, change, failJob, acts, services, tenant } = await operatorWorld(t, { engine });
  const { queue } = services;
  const ids: string[] = [];
  for (const pack_id of ['pck_1', 'pck_2', 'pck_3', 'pck_4']) ids.push(await failJob('pack', { ...tenant, pack_id }));
  const [first = '', second = '', third = '', fourth = ''] = ids;
  const failed = async () => (await queue.ids('pack', ['failed'], 10)).toSorted();
  const shown = JSON.parse((await ask('/ops/queues/api/queues?activeQueue=pack&status=failed&page=1')).body);
  const board = shown.queues.find((each: { name: string }) => each.name === 'pack');
  t.is(board.counts.failed, 4);
  t.like(board.jobs[0], { id: fourth, failedReason: 'it went wrong', data: { pack_id: 'pck_4' } });
  t.is((await change('POST', `/ops/retry/pack/${first}`)).status, 303);
  t.deepEqual(await failed(), [second, third, fourth].toSorted());
  t.is((await change('PUT', `/ops/queues/api/queues/pack/${second}/retry`)).status, 204);
  t.is((await change('PUT', `/ops/queues/api/queues/pack/${third}/clean`)).status, 204);
  t.deepEqual(await failed(), [fourth]);
  t.is((await change('POST', `/ops/retry/pack/${third}`)).status, 404, 'it is gone');
  t.is((await change('POST', '/ops/retry/pack')).status, 303);
  t.deepEqual(await failed(), []);
  t.is((await queue.counts('pack'))['waiting'], 3);
  const by = { operator: 'operator', queue: 'pack', ip: '127.0.0.1' };
  t.deepEqual(await acts(), [
    { ...by, act: 'retry failed', job_ids: [first], status: 200 },
    { ...by, act: 'retry failed', job_ids: [second], status: 200 },
    { ...by, act: 'clean', job_ids: [third], status: 204 },
    { ...by, act: 'retry failed', job_ids: [third], status: 404 },
    { ...by, act: 'retry failed', job_ids: [fourth], status: 200 },
  ]);
  t.true((await ask('/ops')).body.includes(fourth), 'and the page shows it');
});

engineTest('nothing that is asked of the board is taken for a fault of ours', async (t, engine) => {
  const { ask, change, acts, tenant, failJob } = await operatorWorld(t, { engine });
  const id = await failJob('recheck', tenant);
  const queues = '/ops/queues/api/queues';
  const none = [`${queues}/recheck/%00`, `${queues}/recheck/%ff`, `${queues}/nothing/1`, '/ops/queues/static/%'];
  for (const path of none) t.true((await ask(path)).status < 500, path);
  for (const job of ['%00', '%ff', 'a%2fb', 'x'.repeat(201)])
    for (const act of ['clean', 'retry', 'promote'])
      t.regex(String((await change('PUT', `${queues}/recheck/${job}/${act}`)).status), /40[34]/, `${job}/${act}`);
  t.is((await change('PUT', `${queues}/recheck/${id}/promote`)).status, 409);
  t.is((await change('PUT', `${queues}/recheck/nothing/promote`)).status, 404);
  t.deepEqual(await acts(), []);
  const headers = { 'content-type': 'application/json' };
  t.is((await ask(`${queues}/recheck/pause`, { method: 'PUT', headers, body: '{' })).status, 200);
  t.true((await ask('/ops')).body.includes('The queue <code>recheck</code> is paused'));
});

test('what cannot be written down is not done, and what is written down cannot be changed', async t => {
  const { change, failJob, acts, db, database, tenant, services } = await operatorWorld(t);
  const id = await failJob('recheck', tenant);
  t.is((await change('POST', `/ops/retry/recheck/${id}`)).status, 303);
  for (const statement of [
    sql.unsafe`update operator_acts set operator = 'x'`,
    sql.unsafe`delete from operator_acts`,
    sql.unsafe`update operator_act_outcomes set status = 200`,
    sql.unsafe`truncate operator_act_outcomes`,
  ])
    await t.throwsAsync(db.query(statement), { message: /permission denied/ });
  const again = await failJob('recheck', tenant);
  await asOwnerOf(database, 'revoke insert on operator_acts from oversight_service');
  t.is((await change('POST', `/ops/retry/recheck/${again}`)).status, 500);
  t.true((await services.queue.ids('recheck', ['failed'], 10)).includes(again));
  t.is((await acts()).length, 1);
});
