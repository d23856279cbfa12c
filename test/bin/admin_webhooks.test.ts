import { createHmac } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { SECOND } from '#shared/values/time.ts';
import { recordAttempt } from '#shared/webhooks/webhook_attempts.ts';
import { insertDeliveries } from '#shared/webhooks/webhook_deliveries.ts';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { receiver, type Received, serviceSignature } from '#test/helpers/receiver.ts';
import { alerts } from '#test/helpers/webhooks.ts';
import { world } from '#test/helpers/world.ts';

/** The tool on the database of a running service, and an endpoint that it made. */
async function operator(t: ExecutionContext, { url = 'https://example.com/hook', allow_private = true } = {}) {
  const here = await world(t, { own_database: true });
  const { person } = here;
  const settings = { ...settingsOf(here), WEBHOOK_ALLOW_PRIVATE: String(allow_private) };
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
  const { admin, command, db, made, tenant } = await operator(t);
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
  const answer = { error: null, response: 'not for the operator', ms: 12, generation: 0 };
  for (let index = 0; index < 12; index += 1) {
    const [job] = await insertDeliveries(db, tenant, alerts(1), began);
    if (!job) return t.fail();
    const at = began + index * SECOND;
    const attempt = { ...answer, outcome: 'delivered' as const, status: 200 + index, number: 1, at };
    await recordAttempt(db, job, attempt, at + 12);
  }
  const [retried, , failing] = await insertDeliveries(db, tenant, alerts(3), began);
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
  const { stdout } = await admin.type('webhook-endpoint', 'show', '--org', 'Acme', '--id', made.id);
  const lines = stdout.slice(stdout.indexOf('last_answers')).trim().split('\n');
  t.is(lines.length, 12);
  t.regex(lines[7] ?? '', new RegExp(`^${last_answers[5].at} +failed +503 +– +12 +${retried.delivery_id}$`));
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

test('a sample shows the exact texts that are signed, and sends nothing', async t => {
  const { url, received } = await receiver(t);
  const { command, made, owner, refused } = await operator(t, { url });
  for (const type of ['alert.created', 'screening.potential_match', 'pack.ready']) {
    const { body, headers, signed, sent } = await command('sign-sample', '--type', type);
    t.is(JSON.parse(body).type, type);
    t.is(signed['Service-Signature'], `${headers['Service-Timestamp']}.${body}`);
    t.is(signed['webhook-signature'], `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    t.is(headers['Service-Signature'], `v1=${hmac(made.secret, signed['Service-Signature']).toString('hex')}`);
    const key = Buffer.from(made.secret.replace('whsec_', ''), 'base64');
    t.is(headers['webhook-signature'], `v1,${hmac(key, signed['webhook-signature']).toString('base64')}`);
    t.is(sent, null);
  }
  t.like(await refused('sign-sample', '--type', 'alert.closed'), { exit: 1, details: [{ path: '/type' }] });
  t.is(received.length, 0);
  t.deepEqual((await owner.get('/v1/audit-log?action=webhook_endpoint.sample_sent')).body.data, []);
});

test('a sample is sent once, as deliveries are, to public addresses only, and the audit log says so', async t => {
  let answer = 204;
  const { url, received } = await receiver(t, () => answer);
  const { admin, command, db, made, owner, refused } = await operator(t, { url });
  const { headers, sent } = await command('sign-sample', '--send');
  t.like(sent, { outcome: 'delivered', status: 204 });
  const [request] = received as [Received];
  t.is(request.headers['service-signature'], serviceSignature(made.secret, request));
  t.is(request.headers['service-delivery-id'], headers['Service-Delivery-Id']);
  t.is(await db.oneFirst(sql.type(z.object({ count: z.int() }))`select count(*) from webhook_deliveries`), 0);
  answer = 500;
  const words = ['webhook-endpoint', 'sign-sample', '--org', 'Acme', '--id', made.id, '--send', '--json'];
  const failed = await admin.type(...words);
  t.is(failed.code, 1, 'the endpoint did not take it');
  t.like(JSON.parse(failed.stdout).sent, { outcome: 'failed', status: 500 });
  t.is(received.length, 2, 'once');
  await command('disable');
  t.like(await refused('sign-sample', '--send'), { code: 'conflict' });
  t.is(received.length, 2);
  const { data } = (await owner.get('/v1/audit-log?action=webhook_endpoint.sample_sent')).body;
  t.like(data, [{ after: { status: 500 } }, { target_id: made.id, after: { outcome: 'delivered', status: 204 } }]);

  const guarded = await operator(t, { url, allow_private: false });
  const { code, stdout } = await guarded.admin.type(...words.map(word => (word === made.id ? guarded.made.id : word)));
  t.is(code, 1);
  t.like(JSON.parse(stdout).sent, { outcome: 'blocked', error: '127.0.0.1 is not a public address' });
  t.is(received.length, 2);
});

test('what an endpoint missed is put in line by the tool, which says how many', async t => {
  const { admin, db, made, owner, tenant } = await operator(t);
  await insertDeliveries(db, tenant, alerts(4), Date.now());
  const replay = ['deliveries', 'replay', '--endpoint', made.id, '--failed'];
  t.deepEqual(await admin.json(...replay), { replayed: 0 });
  await db.query(sql.unsafe`update webhook_deliveries set state = 'failed', attempt_count = 5, finished_at = now()`);
  t.deepEqual(await admin.json(...replay), { replayed: 4 });
  const { data } = (await owner.get('/v1/audit-log?action=webhook_endpoint.replayed')).body;
  t.like(data[0], { target_id: made.id, actor_id: null, after: { replayed: 4, failed: true } });
  for (const wrong of [[...replay, '--since', '2020-01-01T00:00:00Z'], replay.slice(0, 4)])
    t.like(await admin.error(...wrong), { exit: 1, code: 'invalid_request' });
  const unknown = await admin.error('deliveries', 'replay', '--endpoint', newId('whe'), '--failed');
  t.like(unknown, { exit: 1, code: 'not_found' });
});

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
