import { createHmac } from 'node:crypto';
import test from 'ava';
import { pspWebhook } from '#shared/verification/psp_webhook/psp_webhook.ts';
import type { Evidence, Outcome, WebhookSecret } from '#shared/verification/verifier.ts';
import {
  adyenSecret,
  adyenWebhook,
  evidenceOf,
  minor,
  reported,
  second,
  shown,
  standardSecret,
  standardWebhook,
} from '#test/helpers/proofs/http.ts';

type Event = Partial<ReturnType<typeof reported>>;

const judge = (value: unknown, webhook_secret: WebhookSecret | null, event: Event = {}) =>
  pspWebhook.verify(evidenceOf('psp.webhook', value as Evidence['value']), shown({ webhook_secret, event })) as Outcome;

const codes = ({ checks }: Outcome) => checks.flatMap(({ code }) => code ?? []);

const paid = {
  type: 'payment.settled',
  data: { payment_id: 'pay_1', amount: 1250, currency: 'USD', merchant_id: 'm_1' },
};
const ours: Event = { payment_id: 'pay_1', payee: { key: 'merchant:acme:m_1', type: null, name: null, country: null } };

test('a webhook signed as Standard Webhooks says is verified, under the names of Svix too', t => {
  const { headers, body } = standardWebhook(paid);
  t.is(judge({ headers, body }, standardSecret, ours).result, 'verified');
  const svix = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace('webhook', 'svix'), value]),
  );
  t.is(judge({ headers: svix, body }, standardSecret, ours).result, 'verified');
  const rotated = { ...headers, 'webhook-signature': `v1,AAAA v1a,BBBB ${headers['webhook-signature']}` };
  t.is(judge({ headers: rotated, body }, standardSecret, ours).result, 'verified');
  t.deepEqual(codes(judge({ headers: { ...headers, 'webhook-id': 'msg_2' }, body }, standardSecret, ours)), [
    'signature_mismatch',
  ]);
});

test('a body that names things in its own way is compared by the mapping of its source', t => {
  const mapping = {
    payment_id: '/p',
    amount: { pointer: '/cents', as: 'minor' },
    currency: '/cur',
    type: { pointer: '/st', values: { done: 'payment.settled', no: 'payment.failed' } },
    payee: '/shop',
  };
  const secret = { ...standardSecret, config: { mapping, service: 'acme' } };
  const said = { p: 'pay_1', cents: 1250, cur: 'USD', st: 'done', shop: 'm_1' };
  const of = (body: object, by: WebhookSecret = secret) => judge(standardWebhook(body), by, ours);
  t.is(of(said).result, 'verified');
  t.deepEqual(codes(of(said, standardSecret)), ['payload_not_understood']);
  for (const other of [{ cents: 1249 }, { p: 'pay_2' }, { cur: 'EUR' }, { st: 'no' }, { shop: 'm_2' }])
    t.deepEqual(codes(of({ ...said, ...other })), ['payload_mismatch'], JSON.stringify(other));
  t.is(of({ ...said, st: 'hm' }).result, 'verified', 'what it does not know it does not compare');
  t.is(of({ ...said, cents: 'many' }).result, 'verified', 'the payment is named');
});

for (const [what, payload, code] of [
  ['another amount', { ...paid, data: { ...paid.data, amount: 1249 } }, 'payload_mismatch'],
  ['an amount in decimals that differs', { ...paid, data: { ...paid.data, amount: '12.51' } }, 'payload_mismatch'],
  ['more decimals than the currency has', { ...paid, data: { ...paid.data, amount: '12.501' } }, 'payload_mismatch'],
  ['another payment', { ...paid, data: { ...paid.data, payment_id: 'pay_2' } }, 'payload_mismatch'],
  ['another merchant', { ...paid, data: { ...paid.data, merchant_id: 'm_2' } }, 'payload_mismatch'],
  ['a declined payment', { ...paid, type: 'payment.declined' }, 'payload_mismatch'],
  ['nothing of a payment', { type: 'ping', data: {} }, 'payload_not_understood'],
] as const) {
  test(`a Standard Webhooks body with ${what} gives ${code}`, t => {
    const outcome = judge(standardWebhook(payload), standardSecret, ours);
    t.not(outcome.result, 'verified');
    t.deepEqual(codes(outcome), [code]);
  });
}

test('a decimal amount beside its currency is read', t => {
  const payload = {
    event_type: 'PAYMENT.CAPTURE.COMPLETED',
    resource: { id: 'pay_1', amount: { value: '12.50', currency_code: 'USD' } },
  };
  t.is(judge(standardWebhook(payload), standardSecret, ours).result, 'verified');
});

test('whatever the signature begins with, a webhook of Standard Webhooks is verified', t => {
  for (let n = 0; n < 2_000; n++)
    if (judge(standardWebhook(paid, { id: `msg_${n}` }), standardSecret, ours).result !== 'verified') t.fail(String(n));
  t.pass();
});

test('an amount without its currency is compared as minor units', t => {
  const data = { payment_id: 'pay_1', amount: 1250 };
  t.is(judge(standardWebhook({ data }), standardSecret, ours).result, 'verified');
  t.is(judge(standardWebhook({ data: { ...data, amount: 1251 } }), standardSecret, ours).result, 'failed');
});

const adyenEvent: Event = {
  payment_id: 'order-7',
  payee: { key: 'merchant:adyen:ShopUS', type: null, name: null, country: null },
};

test("a payment that Adyen's webhook bears out is verified, its body kept as text or as an object", t => {
  const { headers, body } = adyenWebhook();
  const outcome = judge({ headers, body }, adyenSecret, adyenEvent);
  t.is(outcome.result, 'verified', JSON.stringify(outcome.checks));
  t.is(judge({ headers, body: JSON.parse(body) }, adyenSecret, adyenEvent).result, 'verified');
  t.is(
    judge(adyenWebhook({ merchantReference: 'a:b' }), adyenSecret, { ...adyenEvent, payment_id: 'a:b' }).result,
    'verified',
  );
});

for (const [what, changes, event, code] of [
  ['another amount', {}, { amount: minor(1251n, 'USD') }, 'payload_mismatch'],
  ['another merchant account', { merchantAccountCode: 'ShopEU' }, {}, 'payload_mismatch'],
  ['a refused payment', { success: 'false' }, {}, 'payload_mismatch'],
  [
    'a refund that did not come about',
    { eventCode: 'REFUND', success: 'false' },
    { type: 'payment.failed' },
    'payload_mismatch',
  ],
  ['a reference that differs', { merchantReference: 'order-8' }, {}, 'payload_mismatch'],
  [
    'pesos, of which Adyen has hundredths',
    { amount: { currency: 'CLP', value: 1250 } },
    { amount: minor(1250n, 'CLP') },
    'payload_mismatch',
  ],
  ['members that run into each other', { pspReference: 'A:B' }, {}, 'signature_mismatch'],
  ['an event date of another day', { eventDate: '2026-11-19T10:29:58+01:00' }, {}, 'timestamp_out_of_range'],
] as [string, Record<string, unknown>, Event, string][]) {
  test(`Adyen's webhook with ${what} fails with ${code}`, t => {
    t.deepEqual(codes(judge(adyenWebhook(changes), adyenSecret, { ...adyenEvent, ...event })), [code]);
  });
}

test("the signature of Adyen's own library is accepted", t => {
  // Key, members and signature as in Adyen/adyen-node-api-library, hmacValidator.spec.ts (MIT).
  const item = {
    pspReference: 'pspReference',
    originalReference: 'originalReference',
    merchantAccountCode: 'merchantAccount',
    merchantReference: 'reference',
    amount: { currency: 'EUR', value: 1000 },
    eventCode: 'CAPTURE',
    success: 'true',
    additionalData: { hmacSignature: 'xhpHvYq2u2Np0rstbZ6QjLGu7JWhvf7Iwaa6EviJSX0=' },
  };
  const secret = { ...adyenSecret, secret: 'DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00' };
  const body = JSON.stringify({ notificationItems: [{ NotificationRequestItem: item }] });
  const event: Event = {
    amount: minor(1000n, 'EUR'),
    payment_id: 'reference',
    payee: { ...reported().payee, key: 'merchant:adyen:merchantAccount' },
  };
  t.is(judge({ headers: {}, body }, secret, event).result, 'verified');
});

test("Adyen's platform webhooks are signed in a header", t => {
  const body = JSON.stringify({
    type: 'balancePlatform.transfer.updated',
    timestamp: '2026-11-20T09:30:01Z',
    data: { id: 'pay_1', status: 'captured', amount: { value: 1250, currency: 'USD' } },
  });
  const hmac = createHmac('sha256', Buffer.from(adyenSecret.secret, 'hex')).update(body).digest('base64');
  t.is(judge({ headers: { HmacSignature: hmac, Protocol: 'HmacSHA256' }, body }, adyenSecret, ours).result, 'verified');
  t.deepEqual(codes(judge({ headers: {}, body }, adyenSecret, ours)), ['header_missing']);
});

const generic = (changes: Record<string, unknown> = {}): WebhookSecret => ({
  scheme: 'generic',
  secret: 'acme secret',
  config: {
    header: 'X-Acme-Signature',
    algorithm: 'sha256',
    encoding: 'hex',
    signed_string: '{timestamp}.{id}.{body}',
    ...changes,
  },
});

test('a service that signs in its own way is verified as its source describes it', t => {
  const body = JSON.stringify({ ...paid, note: '{id} {timestamp}' });
  const signature = createHmac('sha256', 'acme secret').update(`${second}.n_1.${body}`).digest('hex');
  const headers = {
    'x-acme-signature': `sha256=${signature.toUpperCase()}`,
    'x-acme-timestamp': String(second),
    'x-acme-id': 'n_1',
  };
  t.is(judge({ headers, body }, generic(), ours).result, 'verified');
  const plain = createHmac('sha512', 'acme secret').update(body).digest('base64');
  const simple = generic({ algorithm: 'sha512', encoding: 'base64', signed_string: '{body}' });
  t.is(judge({ headers: { 'X-Acme-Signature': plain }, body }, simple, ours).result, 'verified');
});

test('a source that does not say how it signs leaves it open', t => {
  const value = { headers: { 'X-Acme-Signature': 'aa' }, body: JSON.stringify(paid) };
  t.deepEqual(codes(judge(value, generic({ signed_string: '{timestamp}' }), ours)), ['config_unusable']);
  t.deepEqual(codes(judge(value, { ...generic(), config: null }, ours)), ['config_missing']);
  t.deepEqual(codes(judge(value, { ...adyenSecret, secret: 'not hexadecimal' }, ours)), ['secret_unusable']);
});
