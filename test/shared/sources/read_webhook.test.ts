import { createHmac } from 'node:crypto';
import test from 'ava';
import { adyenItem, byAcme, byAdyen, byStripe, stripe, stripeEvent } from '#test/helpers/psp.ts';
import { eventOf, eventsOf, read, secret } from '#test/helpers/psp_read.ts';

const intent = 'pi_3MtwBwLkdIwHu7ix28a3tqPa';
const party = { agent_id: 'a', owner_id: 'o' };
const card = 'iauth_1JVXl82eZvKYlo2CPIiWlzrn';

const ofStripe: [string, object, string, Record<string, unknown>?][] = [
  [
    'payment_intent.created',
    stripe.intent({ status: 'requires_payment_method', amount_received: 0 }),
    `payment.requested pending ${intent} 2000 USD`,
  ],
  [
    'payment_intent.processing',
    stripe.intent({ status: 'processing' }),
    `payment.requested pending ${intent} 2000 USD`,
  ],
  [
    'payment_intent.amount_capturable_updated',
    stripe.intent({ status: 'requires_capture', amount_capturable: 1_900 }),
    `payment.authorized authorized ${intent} 1900 USD`,
  ],
  ['payment_intent.succeeded', stripe.intent(), `payment.settled settled ${intent} 2000 USD`],
  ['payment_intent.succeeded', stripe.intent({ currency: 'jpy' }), `payment.settled settled ${intent} 2000 JPY`],
  [
    'payment_intent.payment_failed',
    stripe.intent({ status: 'requires_payment_method' }),
    `payment.failed failed ${intent} 2000 USD`,
  ],
  ['payment_intent.canceled', stripe.intent({ status: 'canceled' }), `payment.canceled canceled ${intent} 2000 USD`],
  ['charge.succeeded', stripe.charge(), `payment.settled settled ${intent} 2000 USD`],
  [
    'charge.succeeded',
    stripe.charge({ captured: false, amount_captured: 0 }),
    `payment.authorized authorized ${intent} 2000 USD`,
  ],
  [
    'charge.failed',
    stripe.charge({ payment_intent: null, status: 'failed', captured: false }),
    'payment.failed failed ch_3MtwBwLkdIwHu7ix0snN0B15 2000 USD',
  ],
  [
    'charge.refunded',
    stripe.charge({ refunded: true, amount_refunded: 2_000 }),
    `payment.refunded refunded ${intent} 2000 USD`,
  ],
  [
    'charge.refunded',
    stripe.charge({ amount_refunded: 700 }),
    `payment.refunded partially_refunded ${intent} 500 USD`,
    { previous_attributes: { amount_refunded: 200 } },
  ],
  ['charge.dispute.created', stripe.dispute({ metadata: party }), `payment.disputed disputed ${intent} 2000 USD`],
  ['charge.dispute.closed', stripe.dispute({ metadata: party, status: 'won' }), 'ignored'],
  ['charge.dispute.updated', stripe.dispute({ metadata: party, status: 'warning_closed' }), 'ignored'],
  ['charge.dispute.funds_reinstated', stripe.dispute({ metadata: party, status: 'needs_response' }), 'ignored'],
  [
    'charge.dispute.closed',
    stripe.dispute({ metadata: party, status: 'lost' }),
    `payment.disputed disputed ${intent} 2000 USD`,
  ],
  ['refund.created', stripe.refund(), `payment.refunded refunded ${intent} 500 USD`],
  ['refund.failed', stripe.refund({ status: 'failed' }), 'ignored'],
  [
    'issuing_authorization.request',
    stripe.authorization({ amount: 0, approved: false, pending_request: { amount: 382, currency: 'usd' } }),
    `payment.requested pending ${card} 382 USD`,
  ],
  ['issuing_authorization.created', stripe.authorization(), `payment.authorized authorized ${card} 382 USD`],
  [
    'issuing_authorization.created',
    stripe.authorization({ approved: false, status: 'closed' }),
    `payment.failed failed ${card} 382 USD`,
  ],
  [
    'issuing_authorization.updated',
    stripe.authorization({ status: 'reversed' }),
    `payment.canceled canceled ${card} 382 USD`,
  ],
  ['issuing_authorization.updated', stripe.authorization({ status: 'closed' }), 'ignored'],
  ['issuing_transaction.created', stripe.transaction(), `payment.settled settled ${card} 382 USD`],
  [
    'issuing_transaction.created',
    stripe.transaction({ type: 'refund', amount: 382 }),
    `payment.refunded refunded ${card} 382 USD`,
  ],
  ['customer.created', { id: 'cus_9s6XKzkNRiz8i3', object: 'customer', currency: 'usd' }, 'ignored'],
  ['invoice.paid', { id: 'in_1', object: 'invoice', amount_paid: 5, currency: 'usd', status: 'paid' }, 'ignored'],
];

for (const [type, object, expected, more] of ofStripe)
  test(`Stripe's ${type} is: ${expected}`, t => {
    const event = stripeEvent(type, object);
    t.deepEqual(read('stripe', byStripe(secret, { ...event, data: { ...event.data, ...more } })), [expected]);
  });

test('a card of our own pays whom the network names, on behalf of the agent that the card was made for', t => {
  const sent = stripeEvent('issuing_authorization.created', stripe.authorization());
  const event = eventOf('stripe', byStripe(secret, sent));
  t.like(event, {
    agent: { external_id: 'buyer-1' },
    owner: { external_id: 'team-1' },
    category: '5734',
    occurred_at: new Date(sent.created * 1_000).toISOString(),
  });
  t.deepEqual(event.payment.payee, {
    key: 'merchant:stripe:1234567890',
    type: 'merchant',
    name: 'STRIPE',
    country: 'US',
  });
  t.is(event.payment.rail, 'card');
});

test('who is paid by a charge is the connected account, or we ourselves', t => {
  const of = (more: Record<string, unknown>) =>
    eventOf('stripe', byStripe(secret, stripeEvent('charge.succeeded', stripe.charge(), more))).payment.payee.key;
  t.is(of({}), 'merchant:stripe:self');
  t.is(of({ account: 'acct_1032D82eZvKYlo2C' }), 'merchant:stripe:acct_1032D82eZvKYlo2C');
});

test('a payment that failed says why, in the words of the service', t => {
  const last_payment_error = { code: 'card_declined', message: 'Your card was\ndeclined.', type: 'card_error' };
  const object = stripe.intent({ status: 'requires_payment_method', last_payment_error });
  const event = eventOf('stripe', byStripe(secret, stripeEvent('payment_intent.payment_failed', object)));
  t.deepEqual(event.failure, { code: 'card_declined', message: 'Your card was declined.' });
});

test('a refund that Stripe tells of in several ways is one event', t => {
  const created = Math.floor(Date.now() / 1_000) - 5;
  const refund = stripe.refund({ created, status: 'pending' });
  const ids = [
    stripeEvent('refund.created', refund, { created }),
    stripeEvent('refund.updated', { ...refund, status: 'succeeded' }, { created: created + 3 }),
    stripeEvent('charge.refunded', stripe.charge({ amount_refunded: 500 }), { created }),
    stripeEvent('charge.refunded', stripe.charge({ amount_refunded: 500, refunds: { data: [refund] } }), {
      created: created + 1,
    }),
  ].map(event => eventOf('stripe', byStripe(secret, event)).id);
  t.is(new Set(ids).size, 1);
  const next = stripeEvent('refund.created', stripe.refund({ created: created + 1 }));
  t.not(eventOf('stripe', byStripe(secret, next)).id, ids[0]);
});

test('a dispute that Stripe tells of step by step is one event', t => {
  const idOf = (type: string, more: object) =>
    eventOf('stripe', byStripe(secret, stripeEvent(type, stripe.dispute({ metadata: party, ...more })))).id;
  const ids = [
    idOf('charge.dispute.created', {}),
    idOf('charge.dispute.funds_withdrawn', {}),
    idOf('charge.dispute.updated', { status: 'under_review' }),
    idOf('charge.dispute.closed', { status: 'lost' }),
  ];
  t.is(new Set(ids).size, 1);
  t.not(idOf('charge.dispute.created', { id: 'du_2MtJUT2eZvKYlo2CNaw2HvEv' }), ids[0]);
});

const original = { pspReference: '8815329842815468', originalReference: '7914073381342284' };
const paid = '7914073381342284 1130 EUR';
const ofAdyen: [Record<string, unknown>, string][] = [
  [{}, `payment.authorized authorized ${paid}`],
  [{ success: 'false', reason: 'Refused' }, `payment.failed failed ${paid}`],
  [{ ...original, eventCode: 'CAPTURE' }, `payment.settled settled ${paid}`],
  [{ ...original, eventCode: 'CAPTURE_FAILED' }, `payment.failed failed ${paid}`],
  [{ ...original, eventCode: 'CANCELLATION' }, `payment.canceled canceled ${paid}`],
  [{ ...original, eventCode: 'REFUND' }, `payment.refunded refunded ${paid}`],
  [{ ...original, eventCode: 'REFUND', success: 'false' }, 'ignored'],
  [{ ...original, eventCode: 'CHARGEBACK' }, `payment.disputed disputed ${paid}`],
  [
    {
      ...original,
      eventCode: 'CANCEL_OR_REFUND',
      additionalData: { 'modification.action': 'cancel', 'metadata.agent_id': 'a', 'metadata.owner_id': 'o' },
    },
    `payment.canceled canceled ${paid}`,
  ],
  [{ eventCode: 'REPORT_AVAILABLE' }, 'ignored'],
];
for (const [members, expected] of ofAdyen)
  test(`Adyen's ${JSON.stringify(members)} is: ${expected}`, t =>
    t.deepEqual(read('adyen', byAdyen(secret, adyenItem(members))), [expected]));

test('each notification in a body of Adyen is read by itself', t => {
  const sent = byAdyen(
    secret,
    adyenItem({ additionalData: {} }),
    adyenItem(),
    adyenItem({ eventCode: 'REPORT_AVAILABLE' }),
  );
  t.deepEqual(read('adyen', sent), ['unread no_agent no_owner', `payment.authorized authorized ${paid}`, 'ignored']);
});

test('of notifications that a gateway passes on in one body, signed under one id, each is an event, with the bytes that were signed', t => {
  const { body } = byAdyen(
    secret,
    adyenItem(),
    adyenItem({ pspReference: 'BBBBBBBBBBBBBBBB' }),
    adyenItem({ ...original, eventCode: 'REFUND' }),
  );
  const signed = (id: string) => {
    const signature = createHmac('sha256', secret).update(`${id}.${body}`).digest('hex');
    return { body, headers: { 'x-acme-signature': signature, 'x-acme-id': id } };
  };
  const config = { signed_string: '{id}.{body}', id_header: 'X-Acme-Id' };
  const events = eventsOf('generic', signed('msg_1'), config);
  t.is(new Set(events.map(({ id }) => id)).size, 3);
  for (const { evidence } of events) t.like(evidence?.[0]?.value, { body });
  t.deepEqual(
    eventsOf('generic', signed('msg_2'), config).map(({ id }) => id),
    events.map(({ id }) => id),
    'sent again',
  );
});

test('an agent is whom the mapping names, else the metadata, else the default', t => {
  const config = { default_agent: 'default', default_owner: 'o', mapping: { agent: '/data/object/description' } };
  const agentOf = (more: object) =>
    eventOf('stripe', byStripe(secret, stripeEvent('charge.succeeded', stripe.charge(more))), config).agent
      ?.external_id;
  t.is(agentOf({ description: 'mapped' }), 'mapped');
  t.is(agentOf({ description: null }), 'buyer-1');
  t.is(agentOf({ description: null, metadata: {} }), 'default');
});

test('what cannot be read says what is missing, and where to say it', t => {
  t.deepEqual(read('generic', byAcme(secret, { type: 'payment.settled', amount: 1, currency: 'USD' })), [
    'unread no_payment_id no_agent no_owner',
  ]);
  t.deepEqual(read('generic', byAcme(secret, '[1]')), ['unread malformed_body']);
  t.deepEqual(read('generic', byAcme(secret, '{"a":1,"a":2}')), ['unread malformed_body']);
  t.deepEqual(read('generic', byAcme(secret, { type: 'customer.created', id: 'c' })), ['ignored']);
});

test('evidence keeps what was signed and its signature, and no credential that came with it', t => {
  const sent = byAdyen(secret, adyenItem());
  const [piece] = eventOf('adyen', sent).evidence ?? [];
  t.deepEqual(piece, {
    kind: 'psp.webhook',
    value: { headers: { 'content-type': 'application/json' }, body: sent.body },
  });
});
