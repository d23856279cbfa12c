import test from 'ava';
import { pspWebhook } from '#shared/verification/psp_webhook/psp_webhook.ts';
import type { Evidence, Outcome, WebhookSecret } from '#shared/verification/verifier.ts';
import {
  evidenceOf,
  minor,
  type reported,
  second,
  shown,
  stripeEvent,
  stripeSecret,
  stripeWebhook,
} from '#test/helpers/proofs/http.ts';

type Event = Partial<ReturnType<typeof reported>>;

const judge = (value: unknown, webhook_secret: WebhookSecret | null, event: Event = {}) =>
  pspWebhook.verify(evidenceOf('psp.webhook', value as Evidence['value']), shown({ webhook_secret, event })) as Outcome;

const codes = ({ checks }: Outcome) => checks.flatMap(({ code }) => code ?? []);
const resultOf = ({ checks }: Outcome, name: string) => checks.find(check => check.name === name)?.result;

test("a payment that Stripe's webhook bears out is verified, and the webhook used up", t => {
  const outcome = judge(stripeWebhook(), stripeSecret);
  t.is(outcome.result, 'verified', JSON.stringify(outcome.checks));
  for (const name of ['signature', 'timestamp', 'payment_id', 'currency', 'amount', 'status', 'merchant'])
    t.is(resultOf(outcome, name), 'pass', name);
  const value = 'src_01KADG3M5QJ8V2X4Z6B7C9D0EF:evt_1Oversight';
  t.deepEqual(outcome.facts, [{ scope: 'psp_webhook', value, code: 'webhook_replayed' }]);
});

test('a webhook as text, with its headers in any case or as pairs, is verified', t => {
  const { headers, body } = stripeWebhook();
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  t.is(judge(JSON.stringify({ headers, body }), stripeSecret).result, 'verified');
  t.is(judge({ headers: upper, body }, stripeSecret).result, 'verified');
  t.is(judge({ headers: Object.entries(headers), body }, stripeSecret).result, 'verified');
});

test('while a secret is rotated, either signature will do', t => {
  const { headers, body } = stripeWebhook();
  const other = stripeWebhook(body, { secret: 'whsec_old' }).headers['Stripe-Signature'];
  const both = `${other},${headers['Stripe-Signature'].replace(/^t=\d+,/, '')}`;
  t.is(judge({ headers: { 'stripe-signature': both }, body }, stripeSecret).result, 'verified');
});

test('without a secret, with the body kept as an object, or erased, it stays open', t => {
  const { headers } = stripeWebhook();
  const open = (value: unknown, secret: WebhookSecret | null, code: string) => {
    const outcome = judge(value, secret);
    t.is(outcome.result, 'inconclusive', code);
    t.deepEqual(codes(outcome), [code]);
    t.deepEqual(outcome.facts, []);
  };
  open(stripeWebhook(), null, 'secret_unknown');
  open({ headers, body: stripeEvent() }, stripeSecret, 'body_not_raw');
  open(null, stripeSecret, 'evidence_erased');
});

test('a webhook of more than five minutes before or after the payment is never verified', t => {
  for (const apart of [-300, 300])
    t.is(judge(stripeWebhook(stripeEvent(), { timestamp: second + apart }), stripeSecret).result, 'verified');
  for (const apart of [-301, 301, 1e10]) {
    const outcome = judge(stripeWebhook(stripeEvent(), { timestamp: second + apart }), stripeSecret);
    t.not(outcome.result, 'verified');
    t.deepEqual(codes(outcome), ['timestamp_out_of_range']);
  }
});

test('a webhook that was sent again hours later bears nothing out, but is no contradiction', t => {
  const sent = (event: object, apart: number) =>
    judge(stripeWebhook(event, { timestamp: second + apart }), stripeSecret).result;
  t.is(sent(stripeEvent(), 7_200), 'inconclusive');
  t.is(sent(stripeEvent(), -7_200), 'failed');
  t.is(sent(stripeEvent({}, { created: second + 7_200 }), 7_200), 'failed', 'of something that happened later');
});

test('metadata may name the payment, and is no contradiction when it does not', t => {
  const webhook = (metadata: object) => stripeWebhook(stripeEvent({ metadata }));
  const named = judge(webhook({ agent: 'agent-smith', run: 'agent-run-7' }), stripeSecret, {
    payment_id: 'agent-run-7',
  });
  t.deepEqual([named.result, resultOf(named, 'payment_id')], ['verified', 'pass']);
  const other = judge(webhook({ agent: 'agent-smith' }), stripeSecret, { payment_id: 'agent-run-7' });
  t.deepEqual([other.result, resultOf(other, 'payment_id')], ['verified', 'skip']);
});

test('of a charge that is captured in part the captured part counts, not the rest that is given back', t => {
  const charge = { object: 'charge', id: 'ch_1', payment_intent: 'pi_3Oversight', captured: true };
  const amounts = { amount: 2_000, amount_captured: 1_250, amount_refunded: 750 };
  const webhook = stripeWebhook(stripeEvent({ ...charge, ...amounts }, { type: 'charge.captured' }));
  t.is(judge(webhook, stripeSecret).result, 'verified');
});

for (const [what, object, changes, event] of [
  ['one cent more', {}, {}, { amount: minor(1251n, 'USD') }],
  ['another currency', {}, {}, { amount: minor(1250n, 'EUR') }],
  ['another payment intent', {}, {}, { payment_id: 'pi_4Other' }],
  ['another connected account', {}, { account: 'acct_2Other' }, {}],
  ['a payment that failed', { status: 'requires_payment_method' }, { type: 'payment_intent.payment_failed' }, {}],
  ['less received than paid', { amount_received: 1000 }, {}, {}],
  ['a refund of what was only paid', {}, {}, { type: 'payment.refunded', status: 'refunded' }],
  ['a test payment in production', {}, {}, { environment: 'production' }],
] as [string, Record<string, unknown>, Record<string, unknown>, Event][]) {
  test(`Stripe's webhook with ${what} fails with payload_mismatch`, t => {
    const outcome = judge(stripeWebhook(stripeEvent(object, changes)), stripeSecret, event);
    t.is(outcome.result, 'failed');
    t.deepEqual([...new Set(codes(outcome))], ['payload_mismatch']);
  });
}

const charge = { id: 'ch_1', object: 'charge', payment_intent: 'pi_3Oversight', currency: 'usd', amount: 1250 };
const refunded = { type: 'payment.refunded', status: 'refunded' } as const;

for (const [what, type, object, event] of [
  ['a captured charge', 'charge.succeeded', { ...charge, captured: true, amount_captured: 1250 }, {}],
  ['a held charge', 'charge.succeeded', { ...charge, captured: false }, { type: 'payment.authorized' }],
  [
    'a refund',
    'refund.created',
    { ...charge, id: 're_1', object: 'refund', amount: 250 },
    { ...refunded, amount: minor(250n, 'USD') },
  ],
  ['a refunded charge', 'charge.refunded', { ...charge, captured: true, amount_refunded: 1250 }, refunded],
  [
    'a dispute of a part',
    'charge.dispute.created',
    { ...charge, id: 'dp_1', object: 'dispute', amount: 500 },
    { type: 'payment.disputed' },
  ],
  [
    'the id in metadata',
    'payment_intent.succeeded',
    { id: 'pi_9', metadata: { our_id: 'pay_77' } },
    { payment_id: 'pay_77' },
  ],
  ['an id of our own', 'payment_intent.succeeded', {}, { payment_id: 'order 7' }],
  ['krónur', 'payment_intent.succeeded', { amount_received: 50_000, currency: 'isk' }, { amount: minor(500n, 'ISK') }],
  [
    'shillings of Uganda',
    'payment_intent.succeeded',
    { amount_received: 50_000, currency: 'ugx' },
    { amount: minor(500n, 'UGX') },
  ],
  ['ariary', 'payment_intent.succeeded', { amount_received: 5, currency: 'mga' }, { amount: minor(500n, 'MGA') }],
  ['yen', 'payment_intent.succeeded', { amount_received: 500, currency: 'jpy' }, { amount: minor(500n, 'JPY') }],
  ['dinars', 'payment_intent.succeeded', { amount_received: 5120, currency: 'kwd' }, { amount: minor(5120n, 'KWD') }],
] as [string, string, Record<string, unknown>, Event][]) {
  test(`Stripe's webhook with ${what} is verified`, t => {
    const outcome = judge(stripeWebhook(stripeEvent(object, { type })), stripeSecret, event);
    t.is(outcome.result, 'verified', JSON.stringify(outcome.checks));
  });
}

test('krónur in hundredths fail: Stripe sends whole ones', t => {
  const event = stripeEvent({ amount_received: 50_050, currency: 'isk' });
  t.deepEqual(codes(judge(stripeWebhook(event), stripeSecret, { amount: minor(500n, 'ISK') })), ['payload_mismatch']);
});

test('a payment in a token is not held against an amount of money', t => {
  const asset = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 };
  const amount = { value: 12_500_000n, denomination: 'eip155:8453/0x83…', currency: null, asset };
  const outcome = judge(stripeWebhook(), stripeSecret, { amount });
  t.is(outcome.result, 'inconclusive');
  t.deepEqual(codes(outcome), ['amount_not_comparable']);
});
