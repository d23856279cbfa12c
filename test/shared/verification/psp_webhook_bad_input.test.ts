import test from 'ava';
import { anything, assert, constantFrom, dictionary, integer, property, string } from 'fast-check';
import { pspWebhook } from '#shared/verification/psp_webhook/psp_webhook.ts';
import type { Evidence, Outcome, WebhookSecret } from '#shared/verification/verifier.ts';
import {
  adyenSecret,
  adyenWebhook,
  evidenceOf,
  reported,
  second,
  shown,
  standardSecret,
  standardWebhook,
  stripeEvent,
  stripeSecret,
  stripeWebhook,
} from '#test/helpers/proofs/http.ts';
import { runs } from '#test/helpers/runs.ts';

const judge = (
  value: unknown,
  webhook_secret: WebhookSecret | null = stripeSecret,
  event: Partial<ReturnType<typeof reported>> = {},
) =>
  pspWebhook.verify(evidenceOf('psp.webhook', value as Evidence['value']), shown({ webhook_secret, event })) as Outcome;

const { headers, body } = stripeWebhook();
const header = headers['Stripe-Signature'];
const signed = (value: string) => ({ headers: { 'Stripe-Signature': value }, body });
const v1 = header.slice(header.indexOf('v1='));

const bad: [string, unknown, string][] = [
  ['no object', 'hello', 'malformed'],
  ['a list', [], 'malformed'],
  ['truncated evidence', JSON.stringify({ headers, body }).slice(0, -3), 'malformed'],
  ['a member given twice', JSON.stringify({ headers, body }).replace('{', '{"body":"{}",'), 'malformed'],
  ['no headers', { body }, 'malformed'],
  ['no body', { headers }, 'malformed'],
  ['a body that is a number', { headers, body: 7 }, 'malformed'],
  ['a truncated body', { headers, body: body.slice(0, -1) }, 'malformed'],
  ['a body with a member given twice', { headers, body: body.replace('{', '{"id":"evt_2",') }, 'malformed'],
  ['a deep body', { headers, body: `{"a":${'['.repeat(100)}${']'.repeat(100)}}` }, 'malformed'],
  ['no signature', { headers: {}, body }, 'header_missing'],
  ['no time', signed(v1), 'malformed'],
  ['two times', signed(`t=${second},${header}`), 'malformed'],
  ['a time in words', signed(`t=now,${v1}`), 'malformed'],
  ['a huge time', signed(`t=${'9'.repeat(400)},${v1}`), 'malformed'],
  ['only a v0 signature', signed(header.replace('v1=', 'v0=')), 'malformed'],
  ['another time', signed(`t=${second + 1},${v1}`), 'signature_mismatch'],
  ['an empty signature', signed(`t=${second},v1=`), 'signature_mismatch'],
  ['a space behind the body', { headers, body: `${body} ` }, 'signature_mismatch'],
  ['another secret', stripeWebhook(stripeEvent(), { secret: 'whsec_other' }), 'signature_mismatch'],
  [
    'the right signature behind too many',
    signed(`t=${second},${`v1=${'0'.repeat(64)},`.repeat(50)}${v1}`),
    'signature_mismatch',
  ],
  ['a body that is a list', stripeWebhook('[1]'), 'payload_not_understood'],
];

for (const [what, value, code] of bad) {
  test(`${what}: ${code}`, t => {
    const { result, checks, facts } = judge(value);
    t.is(result, code === 'payload_not_understood' ? 'inconclusive' : 'failed');
    t.true(
      checks.some(check => check.code === code),
      JSON.stringify(checks),
    );
    t.deepEqual(facts, []);
  });
}

test('no check quotes the secret or a signature', t => {
  for (const value of [{ headers, body }, signed(`t=${second},v1=${'0'.repeat(64)}`), signed(v1)]) {
    const text = JSON.stringify(judge(value).checks);
    t.false(text.includes(stripeSecret.secret) || text.includes(v1.slice(3)));
  }
});

test('numbers that a double does not hold are no reason to doubt a webhook', t => {
  const text = JSON.stringify(stripeEvent()).replace('{', '{"exchange_rate":0.91827364554637281901,');
  t.is(judge(stripeWebhook(text)).result, 'verified');
  const amount = JSON.stringify(stripeEvent()).replace('"amount_received":1250', '"amount_received":9007199254740993');
  t.is(judge(stripeWebhook(amount)).result, 'failed');
});

test('names that every object has are no kinds of events', t => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    t.notThrows(() => judge(stripeWebhook(stripeEvent({}, { type: name }))));
    t.notThrows(() => judge(adyenWebhook({ eventCode: name }), adyenSecret));
  }
});

test('a body of a number too long for a double is held to the rest of the rules', t => {
  const bodies = [
    `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    '{"a":1,"a":2}',
    '"\\u0000"',
    `"${'\\"'.repeat(20_000)}`,
  ];
  for (const rest of bodies)
    t.is(judge({ headers, body: `{"n":1e999,"a":${rest}}` }).checks[0]?.code, 'malformed', rest.slice(0, 20));
});

test('a secret without bytes signs nothing', t => {
  const value = standardWebhook({ id: 'pi_3Oversight', amount: 1250, currency: 'USD' });
  t.is(judge(value, { ...standardSecret, secret: 'whsec_' }).result, 'inconclusive');
  t.is(
    judge(value, { ...standardSecret, secret: 'whsec_' }).checks.find(({ name }) => name === 'signature')?.code,
    'secret_unusable',
  );
});

const adyenEvent = { payment_id: 'order-7', payee: { ...reported().payee, key: 'merchant:adyen:ShopUS' } };
const standard = standardWebhook({ id: 'pi_3Oversight', amount: 1250, currency: 'USD' });
const proofs = [
  { text: body, make: (text: string) => judge({ headers, body: text }) },
  { text: header.slice(0, header.indexOf(',')) + `,${v1}`, make: (text: string) => judge(signed(text)) },
  { text: standard.body, make: (text: string) => judge({ ...standard, body: text }, standardSecret) },
  {
    text: standard.headers['webhook-signature'],
    make: (text: string) =>
      judge({ ...standard, headers: { ...standard.headers, 'webhook-signature': text } }, standardSecret),
  },
];

test('no changed character of a webhook or of its signature is verified, and none throws', t => {
  for (const { text, make } of proofs) t.is(make(text).result, 'verified');
  t.notThrows(() =>
    assert(
      property(
        constantFrom(...proofs),
        integer({ min: 0, max: 1e6 }),
        string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        ({ text, make }, at, character) => {
          const index = at % text.length;
          const changed = text.slice(0, index) + character + text.slice(index + 1);
          return changed.toLowerCase() === text.toLowerCase() || make(changed).result !== 'verified';
        },
      ),
      { numRuns: runs(3_000) },
    ),
  );
});

test('no changed digit of what Adyen signs is verified', t => {
  const { body: text } = adyenWebhook();
  t.is(judge({ headers: {}, body: text }, adyenSecret, adyenEvent).result, 'verified');
  for (const part of ['1250', 'USD', 'AUTHORISATION', 'ShopUS', 'order-7', 'NC6HT9CRT65ZGN82', '"success":"true"']) {
    const at = text.indexOf(part) + part.length - 2;
    const changed = `${text.slice(0, at)}${text[at] === '8' ? '7' : '8'}${text.slice(at + 1)}`;
    t.is(judge({ headers: {}, body: changed }, adyenSecret, adyenEvent).result, 'failed', part);
  }
});

test('whatever a signed body holds, it is judged and not thrown at', t => {
  const names = constantFrom(
    'object',
    'data',
    'amount',
    'currency',
    'type',
    'status',
    'metadata',
    'notificationItems',
    'live',
    'id',
    'created',
    'account',
    'merchant',
  );
  t.notThrows(() =>
    assert(
      property(dictionary(names, anything()), dictionary(names, anything()), (payload, inner) => {
        const event = JSON.stringify({ ...payload, data: { object: inner, ...inner } }, (_, value) =>
          typeof value === 'bigint' ? String(value) : value,
        );
        judge(stripeWebhook(event));
        judge(stripeWebhook(event), null);
        judge({ headers: {}, body: JSON.parse(event) }, adyenSecret);
        judge({ headers: payload, body: inner }, { ...adyenSecret, scheme: 'generic', config: inner });
        return true;
      }),
      { numRuns: runs(1_000) },
    ),
  );
});
