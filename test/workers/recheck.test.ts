import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { newId } from '#shared/interface/ids.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { stripeEvent, stripeSecret, stripeWebhook } from '#test/helpers/proofs/http.ts';
import { newKey, signDetached, type TestKey } from '#test/helpers/proofs/jwt.ts';
import { budget, type Flow, flow, noon } from '#test/shared/assessment/flow.ts';

/** A payment that its reporter signed; `altered` after that. */
async function signed(w: Flow, key: TestKey, altered = false) {
  const event = w.pay();
  const signature = await signDetached(key, canonicalJson(event));
  return { ...event, ...(altered && { description: 'something else' }), signature };
}

/** A payment with the webhook by which Stripe told of it. */
function notified(w: Flow) {
  const made = w.pay({ payment_id: 'pi_3Oversight' });
  const webhook = stripeWebhook(stripeEvent({}, { created: noon / SECOND }), { timestamp: noon / SECOND });
  return {
    ...made,
    payment: { ...(made['payment'] as object), payee: { key: 'merchant:stripe:acct_1Shop' } },
    evidence: [{ kind: 'psp.webhook', value: webhook }],
  };
}

const resultsOf = (w: Flow, events: readonly { id: string }[]) =>
  Promise.all(events.map(async ({ id }) => (await w.detail(id)).verification?.result ?? null));

test('a key that is trusted later verifies what was signed with it, and finds what was altered', async t => {
  const w = await flow(t);
  const key = await newKey();
  const events = [await signed(w, key), await signed(w, key, true), await signed(w, await newKey())];
  await w.send(events);
  await w.analyze();
  t.deepEqual(await resultsOf(w, events), ['inconclusive', 'inconclusive', 'inconclusive']);
  t.is((await w.admin.post('/v1/trusted-keys', { use: 'source', jwk: key.jwk })).status, 201);
  await w.recheck();
  t.deepEqual(await resultsOf(w, events), ['verified', 'failed', 'inconclusive']);
  const alerts = await w.alerts('detector=verification_failed');
  t.deepEqual(
    alerts.map(({ event_ids, score }: Record<string, unknown>) => [event_ids, score]),
    [[[events[1]?.id], 90]],
  );
  const [run] = (await w.detail(events[0]?.id ?? '')).verification_runs;
  t.like(run, { kind: 'source_signature', evidence_id: null, result: 'verified' });
  t.is(await w.count('verification_runs'), 5, 'what stays inconclusive gets no further run');
});

test('evidence and payments from before there were verdicts are judged as if they came now', async t => {
  const w = await flow(t);
  const key = await newKey();
  t.is((await w.admin.post('/v1/trusted-keys', { use: 'source', jwk: key.jwk })).status, 201);
  const { id: mandate_id } = await w.mandate([budget(20)]);
  const before = [await signed(w, key), await signed(w, key, true), w.pay({ at: SECOND, more: { mandate_id } })];
  await w.send(before);
  // As a version that knew neither went through them.
  await w.analyzePast();
  await w.asOwner(`
    insert into rechecks (org_id, environment, id, kind, mandate_id, from_at, to_seq, next_at)
    select org_id, environment, 'rck_0', 'evidence', null, null::timestamptz, size, now() from event_logs
    union all select org_id, environment, 'rck_1', 'mandate', '${mandate_id}', timestamptz '2026-11-20T00:00:00Z', size, now()
    from event_logs`);
  await w.recheck();
  t.deepEqual(await resultsOf(w, before), ['verified', 'failed', null]);
  t.deepEqual(await w.results(before), ['compliant', 'breach budget_exceeded', 'breach budget_exceeded']);
});

test('a key that the operator adds at the command line counts for what came before', async t => {
  const w = await flow(t, { own_database: true });
  const key = await newKey('EdDSA');
  const event = await signed(w, key);
  await w.send([event]);
  await w.analyze();
  const file = join(w.config.data_dir, 'key.json');
  await writeFile(file, JSON.stringify(key.jwk));
  const admin = adminOf(t, { ...settingsOf(w), DATA_DIR: w.config.data_dir });
  await admin.json('trusted-key', 'add', '--org', 'Acme', '--use', 'source', file);
  await w.recheck();
  t.deepEqual(await resultsOf(w, [event]), ['verified']);
});

test('the key of a source verifies what it signed before it was registered', async t => {
  const w = await flow(t);
  const key = await newKey();
  const event = await signed(w, key);
  await w.send([event]);
  await w.analyze();
  const { source_id } = await w.detail(event.id);
  t.is((await w.admin.patch(`/v1/sources/${source_id}`, { public_key: key.jwk })).status, 200);
  await w.recheck();
  t.deepEqual(await resultsOf(w, [event]), ['verified']);
});

test('the secret of a payment service verifies webhooks that were reported before it was known', async t => {
  const w = await flow(t);
  const event = notified(w);
  await w.send([event]);
  await w.analyze();
  t.deepEqual(await resultsOf(w, [event]), ['inconclusive']);
  const { source_id } = await w.detail(event.id);
  const secret = { psp_scheme: 'stripe', signing_secret: stripeSecret.secret };
  t.is((await w.admin.patch(`/v1/sources/${source_id}`, secret)).status, 200);
  await w.recheck();
  t.deepEqual(await resultsOf(w, [event]), ['verified']);
});

test('a secret that was sealed with another key verifies nothing, and stops nothing', async t => {
  const w = await flow(t);
  const event = notified(w);
  await w.send([event]);
  const { source_id } = await w.detail(event.id);
  await w.admin.patch(`/v1/sources/${source_id}`, { psp_scheme: 'stripe', signing_secret: stripeSecret.secret });
  await w.asOwner(`update sources set sealed_secret = set_byte(sealed_secret, 20, 255 - get_byte(sealed_secret, 20))`);
  await w.analyze();
  t.deepEqual(await resultsOf(w, [event]), ['inconclusive']);
  t.truthy((await w.detail(event.id)).analyzed_at);
});

test('many events that wait for a key are taken in parts, and a worker that stops in between loses nothing', async t => {
  const w = await flow(t);
  const key = await newKey();
  const events = await Promise.all(Array.from({ length: 250 }, () => signed(w, key)));
  await w.send(events);
  await w.analyze();
  await w.admin.post('/v1/trusted-keys', { use: 'source', jwk: key.jwk });
  const verified = async () => (await resultsOf(w, events)).filter(result => result === 'verified').length;
  const counts: number[] = [];
  while ((await w.count('rechecks')) > 0) {
    await w.recheckOnce();
    counts.push(await verified());
  }
  t.deepEqual(counts, [100, 200, 250]);
});

test('a mandate that began in the past judges what was paid since then, once', async t => {
  const w = await flow(t);
  const before = w.pay({ at: -HOUR, cents: '1000' });
  const payments = [0, 1, 2].map(minute => w.pay({ at: minute * MINUTE, cents: '1000' }));
  const other = w.pay({ more: { agent_id: newId('agt') } });
  await w.send([payments[2] ?? other, before, ...payments.slice(0, 2), other]);
  await w.analyze();
  await w.mandate([budget(20)], { valid_from: new Date(noon).toISOString() });
  await w.recheck();
  const all = [before, ...payments, other];
  const expected = [null, 'compliant', 'compliant', 'breach budget_exceeded', null];
  t.deepEqual(await w.results(all), expected);
  t.is((await w.alerts('detector=mandate_breach')).length, 1);
  const evaluations = await w.count('mandate_evaluations');
  const next = w.pay({ at: 3 * MINUTE, cents: '1' });
  await w.send([next]);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await w.results([...all, next]), [...expected, 'breach budget_exceeded']);
  t.is(await w.count('mandate_evaluations'), evaluations + 1);
});

test('a payment that was authorized before its mandate began and settled since is judged as when it was reported live', async t => {
  const straddling = (w: Flow) => [
    w.pay({ at: -HOUR, payment_id: 'p-1', type: 'payment.authorized' }),
    w.pay({ at: HOUR, payment_id: 'p-1' }),
  ];
  const valid_from = new Date(noon).toISOString();
  const [live, late] = [await flow(t), await flow(t)];
  await live.mandate([budget(2_000)], { valid_from });
  for (const w of [live, late]) {
    const events = straddling(w);
    await w.send(events);
    await w.analyze();
    if (w === late) await late.mandate([budget(2_000)], { valid_from });
    await w.recheck();
    t.deepEqual(await w.results(events), [null, 'compliant']);
    t.deepEqual(await w.alerts('detector=mandate_breach'), []);
  }
});

test('what is to be looked at again is queued at once, and again when its job is lost', async t => {
  const w = await flow(t, { own_database: true });
  await w.send([w.pay()]);
  await w.analyze();
  await w.admin.post('/v1/trusted-keys', { use: 'source', jwk: (await newKey()).jwk });
  const jobs: unknown[] = [];
  const queue = {
    ...w.services.queue,
    add: async (kind: string, added: unknown[]) => void jobs.push([kind, ...added]),
  };
  const look = () => reconcileKind('recheck', { ...w.services, queue });
  t.is(await look(), 1);
  t.is(await look(), 0, 'somebody is at it');
  w.moveTo(noon + 7 * HOUR);
  t.is(await look(), 1);
  t.deepEqual(jobs, [
    ['recheck', w.tenant],
    ['recheck', w.tenant],
  ]);
});
