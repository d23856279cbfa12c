import { createHmac } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import { MINUTE } from '#shared/values/time.ts';
import { adyenItem, byAcme, byAdyen, byStripe, stripe, stripeEvent } from '#test/helpers/psp.ts';
import { hex, ofAcme, ofAdyen, ofStripe, secret, signing, withSource } from '#test/helpers/psp_source.ts';
import { world } from '#test/helpers/world.ts';

test('what Stripe sends becomes an event of its source, with the webhook as evidence that is verified', async t => {
  const { as, send, events, source, analyze } = await withSource(t, ofStripe);
  const { status, body } = await send(byStripe(secret, stripeEvent('payment_intent.succeeded', stripe.intent())));
  t.deepEqual([status, body], [202, { received: true }]);
  await analyze();
  const [event, ...more] = await events();
  t.deepEqual(more, []);
  t.like(event, {
    type: 'payment.settled',
    source_id: source.id,
    verification: { result: 'verified', kind: 'psp_webhook' },
  });
  t.like(event.payment, { status: 'settled', amount: { value: '2000', unit: 'minor', currency: 'USD' } });
  const read = (await as.get(`/v1/events/${event.id}`)).body;
  t.is(read.evidence[0].kind, 'psp.webhook');
  const checks: { result: string }[] = read.verification_runs?.[0]?.checks ?? read.verification.runs?.[0]?.checks ?? [];
  t.false(
    checks.some(({ result }) => result === 'fail'),
    JSON.stringify(checks),
  );
});

test('what a gateway passes on in one body becomes an event each, which its signature of the whole body bears out', async t => {
  const gateway = { ...signing, signed_string: '{id}.{body}', id_header: 'X-Acme-Id' };
  const { send, events, analyze } = await withSource(t, { ...ofAcme, psp_config: gateway });
  const { body } = byAdyen(
    hex,
    adyenItem(),
    adyenItem({ pspReference: 'BBBBBBBBBBBBBBBB' }),
    adyenItem({ pspReference: 'CCCCCCCCCCCCCCCC', originalReference: '7914073381342284', eventCode: 'REFUND' }),
  );
  const signature = createHmac('sha256', secret).update(`msg_1.${body}`).digest('hex');
  t.is((await send({ body, headers: { 'x-acme-signature': signature, 'x-acme-id': 'msg_1' } })).status, 202);
  await analyze();
  const told = (await events()).map(
    (event: { type: string; payment: { payment_id: string }; verification: { result: string } }) =>
      `${event.type} ${event.payment.payment_id} ${event.verification.result}`,
  );
  t.deepEqual(told.toSorted(), [
    'payment.authorized 7914073381342284 verified',
    'payment.authorized BBBBBBBBBBBBBBBB verified',
    'payment.refunded 7914073381342284 verified',
  ]);
});

test('a webhook that is sent again, signed anew, changes nothing', async t => {
  const { send, events } = await withSource(t, ofStripe);
  const event = stripeEvent('issuing_authorization.created', stripe.authorization());
  for (const [minutes, pending_webhooks] of [
    [-4, 2],
    [0, 1],
    [0, 1],
  ] as const)
    t.is((await send(byStripe(secret, { ...event, pending_webhooks }, Date.now() + minutes * MINUTE))).status, 202);
  t.is((await events()).length, 1);
  await Promise.all(Array.from({ length: 5 }, () => send(byStripe(secret, event))));
  t.is((await events()).length, 1);
});

/** Stripe's notices of two refunds of one charge, each told by itself, and with its charge, at another second and without its id. */
function refundNotices() {
  const at = Math.floor(Date.now() / 1_000) - 60;
  const [first, second] = [
    stripe.refund({ created: at }),
    stripe.refund({ id: 're_2', amount: 300, created: at + 10 }),
  ];
  const told = (amount_refunded: number, before: number, created: number) => {
    const event = stripeEvent('charge.refunded', stripe.charge({ amount_refunded }), { created });
    return { ...event, data: { ...event.data, previous_attributes: { amount_refunded: before } } };
  };
  return {
    refunds: [stripeEvent('refund.created', first), stripeEvent('refund.updated', second)],
    charges: [told(500, 0, at + 2), told(800, 500, at + 13)],
  };
}

for (const [order, notices] of [
  ['by itself first', ({ refunds, charges }: ReturnType<typeof refundNotices>) => [...refunds, ...charges]],
  ['with its charge first', ({ refunds, charges }: ReturnType<typeof refundNotices>) => [...charges, ...refunds]],
  ['by itself alone', ({ refunds }: ReturnType<typeof refundNotices>) => refunds],
  ['with its charge alone', ({ charges }: ReturnType<typeof refundNotices>) => charges.toReversed()],
] as const)
  test(`a refund that Stripe tells of ${order} counts once, though the notices name different seconds`, async t => {
    const { as, send, events, analyze } = await withSource(t, ofStripe);
    await send(byStripe(secret, stripeEvent('payment_intent.succeeded', stripe.intent())));
    const sent = notices(refundNotices());
    for (const event of [...sent, ...sent]) t.is((await send(byStripe(secret, event))).status, 202);
    await analyze();
    const refunds = (await events()).filter(({ type }: { type: string }) => type === 'payment.refunded');
    t.deepEqual(
      refunds.map(({ payment }: { payment: { amount: { value: string } } }) => payment.amount.value).toSorted(),
      ['300', '500'],
    );
    for (const { verification } of refunds) t.is(verification.result, 'verified');
    t.is((await as.get('/v1/agents')).body.data[0].spend_usd_minor_30d, '1200');
  });

test('notices of one refund that come at the same time are one event', async t => {
  const { send, events } = await withSource(t, ofStripe);
  const { refunds, charges } = refundNotices();
  const sent = [refunds[0], charges[0]];
  await Promise.all([...sent, ...sent].map(event => send(byStripe(secret, event))));
  t.is((await events()).length, 1);
});

test('of a refund the log did not take, another notice makes the event', async t => {
  const { send, events, unread } = await withSource(t, ofStripe);
  const { refunds, charges } = refundNotices();
  const tooOld = { ...stripe.refund(), created: 1_000_000_000 };
  await send(byStripe(secret, stripeEvent('refund.created', tooOld)));
  t.is((await unread()).length, 1);
  await send(byStripe(secret, charges[0]));
  await send(byStripe(secret, refunds[0]));
  t.is((await events()).length, 1);
});

test('whoever is not the source is told the same, whatever is wrong', async t => {
  const { as, send, path, events, source } = await withSource(t, ofStripe);
  const event = stripeEvent('charge.succeeded', stripe.charge());
  const good = byStripe(secret, event);
  const other = (await as.post('/v1/sources', { name: 'bare', kind: 'psp_webhook', psp_scheme: 'stripe' })).body;
  const sdk = (await as.post('/v1/sources', { name: 'sdk', kind: 'sdk', signing_secret: secret })).body;
  const strangers = [
    await send(byStripe('whsec_wrong', event)),
    await send({ ...good, body: good.body.replace('2000', '2001') }),
    await send({ body: good.body, headers: {} }),
    await send(byStripe(secret, event, Date.now() - 6 * MINUTE)),
    await send(byStripe(secret, event, Date.now() + 6 * MINUTE)),
    await send(good, '/v1/sources/src_01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    await send(good, `/v1/sources/${other.id}`),
    await send(good, `/v1/sources/${sdk.id}`),
    await send({ body: '{"a":', headers: good.headers }),
  ];
  await as.patch(path, { state: 'disabled' });
  strangers.push(await send(good));
  t.is(new Set(strangers.map(({ status, body }) => `${status} ${JSON.stringify(body.error)}`)).size, 1);
  t.like(strangers[0], { status: 401, body: { error: { code: 'unauthorized' } } });
  t.deepEqual(await events(), []);
  await as.patch(path, { state: 'active' });
  t.is((await send(good)).status, 202, source.id);
});

test('any content type is taken, up to a megabyte', async t => {
  const { as, send, events } = await withSource(t, ofStripe);
  for (const [index, type] of [
    'text/plain',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
  ].entries()) {
    const { body, headers } = byStripe(
      secret,
      stripeEvent('charge.succeeded', stripe.charge({ payment_intent: `pi_${index}` })),
    );
    t.is((await send({ body, headers: { ...headers, 'content-type': type } })).status, 202, type);
  }
  t.is((await events()).length, 3);
  const description = 'x'.repeat(1_048_576);
  t.is((await send(byStripe(secret, stripeEvent('charge.succeeded', stripe.charge({ description }))))).status, 413);
  const large = stripe.charge({ payment_intent: 'pi_large', description: 'x'.repeat(100_000) });
  t.is((await send(byStripe(secret, stripeEvent('charge.succeeded', large)))).status, 202);
  const [event] = await events();
  t.like(event, { evidence_count: 0, payment: { payment_id: 'pi_large' } });
  t.regex((await as.get(`/v1/events/${event.id}`)).body.metadata.webhook_sha256, /^[0-9a-f]{64}$/);
});

test('each notification of Adyen is proven by its own signature', async t => {
  const { send, events, analyze } = await withSource(t, ofAdyen);
  const refund = adyenItem({
    pspReference: 'CCCCCCCCCCCCCCCC',
    originalReference: '7914073381342284',
    eventCode: 'REFUND',
    amount: { value: 100, currency: 'EUR' },
  });
  await send(byAdyen(hex, adyenItem(), refund));
  await analyze();
  const found = (await events()).map((event: { type: string; verification: object }) => [
    event.type,
    event.verification,
  ]);
  const verified = { result: 'verified', kind: 'psp_webhook' };
  t.deepEqual(found, [
    ['payment.refunded', verified],
    ['payment.authorized', verified],
  ]);
});

test('what says nothing of a payment is received and not kept', async t => {
  const { send, events, unread } = await withSource(t, ofStripe);
  const customer = { id: 'cus_1', object: 'customer', metadata: {} };
  t.is((await send(byStripe(secret, stripeEvent('customer.created', customer)))).status, 202);
  t.deepEqual([await events(), await unread()], [[], []]);
});

test('a source of another organization reads its own webhooks, with ids of its own', async t => {
  const { client, key, organization, send, events } = await withSource(t, ofStripe);
  const them = client((await key((await organization('Rival')).id)).key);
  const theirs = (await them.post('/v1/sources', { name: 'till', kind: 'psp_webhook', ...ofStripe })).body;
  const event = stripeEvent('charge.succeeded', stripe.charge());
  await send(byStripe(secret, event));
  await send(byStripe(secret, event), `/v1/sources/${theirs.id}`);
  const [ours, others] = [await events(), (await them.get('/v1/events')).body.data];
  t.deepEqual([ours.length, others.length], [1, 1]);
  t.not(ours[0].id, others[0].id);
});

test('strangers are counted by their address, and a source by itself', async t => {
  const limited = { settings: { RATE_LIMITS: 'write=3/min' } };
  const { send, path, as } = await withSource(t, ofStripe, limited);
  const event = (index: number) =>
    byStripe(secret, stripeEvent('charge.succeeded', stripe.charge({ payment_intent: `pi_${index}` })));
  const statuses: number[] = [];
  for (const index of [1, 2, 3, 4]) statuses.push((await send(event(index))).status);
  t.deepEqual(statuses, [202, 202, 202, 429]);
  for (const _ of [1, 2, 3]) t.is((await send(byStripe('whsec_wrong', {}))).status, 401);
  const { status, headers } = await send(byStripe('whsec_wrong', {}));
  t.deepEqual([status, headers.get('retry-after')], [429, '1']);
  t.is((await as.get(path)).status, 200);
  const { body: other } = await as.post('/v1/sources', { name: 'other', kind: 'psp_webhook', ...ofStripe });
  t.is((await send(event(5), `/v1/sources/${other.id}`)).status, 202, 'from the address of the stranger');
});

test('how a source signs is given whole or not at all, and its mapping is shown again', async t => {
  const { as } = await world(t);
  const { header, ...others } = signing;
  const of = (psp_config: object) =>
    as.post('/v1/sources', { name: 'x', kind: 'psp_webhook', psp_scheme: 'generic', psp_config });
  t.is((await of(others)).body.error.details[0].path, '/psp_config/header');
  t.is((await of({ header })).status, 400);
  t.is((await of({ mapping: { agent: 'metadata.agent' } })).status, 400);
  t.is((await of({ mapping: { type: { pointer: '/t', values: { paid: 'payment.paid' } } } })).status, 400);
  const psp_config = {
    ...signing,
    mapping: { agent: '/a', type: { pointer: '/t', values: { paid: 'payment.settled' } } },
  };
  t.deepEqual((await of(psp_config)).body.psp_config, psp_config);
});

test('whatever a source signs, the service answers', async t => {
  const { send } = await withSource(t, {
    ...ofAcme,
    psp_config: { ...signing, default_agent: 'a', default_owner: 'o' },
  });
  const { send: sendStripe } = await withSource(t, ofStripe);
  const { send: sendAdyen } = await withSource(t, ofAdyen);
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.constantFrom('payment', 'USD', '12.5', 5, -1, 1e300, null, '\0', '\ud800'),
  );
  const object = (names: string[]) => fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value);
  const common = object(['id', 'amount', 'currency', 'type', 'status', 'metadata', 'payment_id', 'data', 'timestamp']);
  const ofStripeKind = fc.record({
    object: fc.constantFrom('charge', 'refund', 'payment_intent', 'issuing.authorization'),
  });
  const members = object([
    'id',
    'amount',
    'currency',
    'metadata',
    'merchant_data',
    'card',
    'payment_intent',
    'refunds',
    'created',
  ]);
  await fc.assert(
    fc.asyncProperty(
      common,
      fc.tuple(ofStripeKind, members),
      members,
      fc.string(),
      async (any, [kind, more], item, text) => {
        const replies = [
          await send(byAcme(secret, any)),
          await send(byAcme(secret, text || ' ')),
          await sendStripe(byStripe(secret, stripeEvent('charge.refunded', { ...stripe.charge(), ...more, ...kind }))),
          await sendAdyen(byAdyen(hex, { ...adyenItem(item), amount: { value: 5, currency: 'EUR' } })),
        ];
        for (const { status } of replies) if (![202, 401].includes(status)) throw new Error(`${status}`);
      },
    ),
    { seed: 20_261_123, numRuns: 20 },
  );
  t.pass();
});
