import test, { type ExecutionContext } from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { SECOND } from '#shared/values/time.ts';
import { recordAttempt } from '#shared/webhooks/webhook_attempts.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { adminOf } from '#test/helpers/admin.ts';
import { alerts } from '#test/helpers/webhooks.ts';
import { world } from '#test/helpers/world.ts';

/** The tool on the database of a running service, and an endpoint that it made. */
async function operator(t: ExecutionContext, url = 'https://example.com/hook') {
  const here = await world(t, { own_database: true });
  const { database, config, person } = here;
  const settings = {
    DATABASE_URL: database.owner_url,
    SECRET_KEY: config.secret_key.toString('base64'),
  };
  const admin = adminOf(t, settings);
  const made = await admin.json('webhook-endpoint', 'create', '--org', 'Acme', '--url', url);
  const words = (verb: string, more: string[]) => ['webhook-endpoint', verb, '--org', 'Acme', '--id', made.id, ...more];
  return {
    ...here,
    admin,
    made,
    command: (verb: string, ...more: string[]) => admin.json(...words(verb, more)),
    refused: (verb: string, ...more: string[]) => admin.error(...words(verb, more)),
    owner: await person('owner'),
  };
}

test('an endpoint is shown with its last answers and what is pending and failed, and without its secret', async t => {
  const { command, db, made, tenant } = await operator(t);
  t.deepEqual(await command('show'), {
    id: made.id,
    url: made.url,
    state: 'active',
    created_at: (await command('show')).created_at,
    old_secret_until: null,
    pending: 0,
    failed: 0,
    last_answers: [],
  });
  const began = Date.now();
  const jobs = await insertDeliveries(db, tenant, alerts(15), began);
  const answer = { error: null, response: 'not for the operator', ms: 12, generation: 0 };
  for (const [index, job] of jobs.slice(0, 12).entries()) {
    const at = began + index * SECOND;
    const attempt = { ...answer, outcome: 'delivered' as const, status: 200 + index, number: 1, at };
    await recordAttempt(db, job, attempt, at + 12);
  }
  const [retried, , failing] = jobs.slice(12);
  if (!retried || !failing) return t.fail();
  const fail = (job: typeof retried, number: number, at: number) =>
    recordAttempt(db, job, { ...answer, outcome: 'failed', status: 503, number, at }, at + 12);
  await fail(retried, 1, began + 20 * SECOND);
  for (const number of [1, 2, 3, 4, 5]) await fail(failing, number, began + (20 + number) * SECOND);
  const { secret } = await command('rotate-secret');
  const shown = await command('show');
  t.like(shown, { pending: 2, failed: 1 });
  t.true(Date.parse(shown.old_secret_until) > Date.now() + 86_000_000);
  const { last_answers } = shown;
  t.deepEqual(
    last_answers.map(({ status }: { status: number }) => status),
    [503, 503, 503, 503, 503, 503, 211, 210, 209, 208],
  );
  t.deepEqual(last_answers[5], {
    delivery_id: retried.delivery_id,
    at: new Date(began + 20 * SECOND).toISOString(),
    outcome: 'failed',
    status: 503,
    error: null,
    ms: 12,
  });
  for (const text of [secret, made.secret, answer.response]) t.false(JSON.stringify(shown).includes(text));
});

test('the URL of an endpoint is set by the rules it was made by, and an endpoint is turned off and on', async t => {
  const { admin, command, db, made, owner, refused, tenant } = await operator(t);
  t.like(await command('set-url', '--url', 'https://example.com/new'), { id: made.id, url: 'https://example.com/new' });
  for (const url of ['ftp://example.com', 'https://u:p@example.com/', '/hooks', ' '])
    t.like(await refused('set-url', '--url', url), { exit: 1, code: 'invalid_request', details: [{ path: '/url' }] });
  t.is((await command('show')).url, 'https://example.com/new');
  t.like(await command('disable'), { state: 'disabled' });
  t.deepEqual(await insertDeliveries(db, tenant, alerts(1), Date.now()), []);
  t.like(await command('enable'), { state: 'active' });
  t.like(await command('enable'), { state: 'active' }, 'again changes nothing');
  t.is((await insertDeliveries(db, tenant, alerts(1), Date.now())).length, 1);
  const stranger = ['--org', 'Acme', '--id', newId('whe')];
  for (const verb of ['show', 'enable', 'rotate-secret'])
    t.like(await admin.error('webhook-endpoint', verb, ...stranger), { exit: 1, code: 'not_found' });
  const { data } = (await owner.get('/v1/audit-log')).body;
  const urlOf = (state: unknown) => (state as { url: string }).url;
  const rows = data.map(({ action }: { action: string }) => action.replace('webhook_endpoint.', ''));
  t.deepEqual(rows, ['enabled', 'enabled', 'disabled', 'url_set', 'created']);
  t.deepEqual([urlOf(data[3].before), urlOf(data[3].after)], [made.url, 'https://example.com/new']);
});

test('a rotation is activated by the tool, which never shows the old secret nor writes one into the audit log', async t => {
  const { command, made, owner, refused } = await operator(t);
  t.like(await refused('rotate-secret', '--activate'), { exit: 1, code: 'conflict' });
  const { secret, ...rotated } = await command('rotate-secret', '--secret', 'x'.repeat(32));
  t.is(secret, 'x'.repeat(32));
  t.like(await refused('rotate-secret', '--activate', '--secret', 'y'.repeat(32)), { code: 'invalid_request' });
  t.deepEqual(await command('rotate-secret', '--activate'), rotated);
  t.is((await command('show')).old_secret_until, null);
  const { data } = (await owner.get('/v1/audit-log')).body;
  t.is(data[0].action, 'webhook_endpoint.secret_activated');
  for (const text of [secret, made.secret]) t.false(JSON.stringify(data).includes(text));
});
