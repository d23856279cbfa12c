import { createHmac } from 'node:crypto';
import test from 'ava';
import { assert, property, string } from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from '#shared/webhooks/sign.ts';

const body = Buffer.from('{"type":"pack.ready","created_at":"2026-11-20T09:43:37.123Z","data":{"pack_id":"pck_é"}}');
const delivery_id = 'whd_01KAG3JV3E0000000000000000';
const given = { text: 'a secret of the operator, 32 or more', generated: false };
const generated = { text: `whsec_${Buffer.alloc(32, 7).toString('base64')}`, generated: true };

test('an attempt carries exactly the headers of the interface and of Standard Webhooks', t => {
  const now = Date.UTC(2026, 10, 20, 9, 43, 37, 5);
  const headers = signedHeaders({ delivery_id, body, secrets: [given], now });
  t.deepEqual(Object.keys(headers), [
    'Content-Type',
    'User-Agent',
    'Service-Delivery-Id',
    'Service-Timestamp',
    'Service-Signature',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ]);
  t.is(headers['Content-Type'], 'application/json');
  t.is(headers['Service-Timestamp'], '2026-11-20T09:43:37.005Z');
  t.is(headers['Service-Delivery-Id'], delivery_id);
  t.is(headers['webhook-id'], delivery_id);
  t.is(headers['webhook-timestamp'], String(Date.UTC(2026, 10, 20, 9, 43, 37) / 1000));
});

for (const [kind, secret] of Object.entries({ given, generated })) {
  test(`Service-Signature is keyed with the whole text of a ${kind} secret`, t => {
    const headers = signedHeaders({ delivery_id, body, secrets: [secret], now: Date.now() });
    const expected = createHmac('sha256', secret.text).update(`${headers['Service-Timestamp']}.${body.toString()}`);
    t.is(headers['Service-Signature'], `v1=${expected.digest('hex')}`);
    t.regex(headers['Service-Signature'] ?? '', /^v1=[0-9a-f]{64}$/);
  });

  test(`the standardwebhooks library accepts a ${kind} secret`, t => {
    const headers = signedHeaders({ delivery_id, body, secrets: [secret], now: Date.now() });
    t.deepEqual(verifier(secret).verify(body, headers), JSON.parse(body.toString()));
    t.throws(() => verifier(secret).verify(`${body.toString()} `, headers), { message: /No matching signature/ });
  });
}

test('while a rotation overlaps, receivers with either secret accept; Service-Signature stays with the old one', t => {
  const headers = signedHeaders({ delivery_id, body, secrets: [generated, given], now: Date.now() });
  t.is(headers['webhook-signature']?.split(' ').length, 2);
  t.notThrows(() => verifier(generated).verify(body, headers));
  t.notThrows(() => verifier(given).verify(body, headers));
  const now = Date.parse(headers['Service-Timestamp'] ?? '');
  const aloneWith = (secret: typeof given) => signedHeaders({ delivery_id, body, secrets: [secret], now });
  t.is(headers['Service-Signature'], aloneWith(given)['Service-Signature']);
  const alone = aloneWith(generated);
  t.true(headers['webhook-signature']?.startsWith(`${alone['webhook-signature']} `), 'the newest first');
});

test('whatever the secret and the body hold, the standardwebhooks library accepts', t => {
  t.notThrows(() =>
    assert(
      property(string({ unit: 'binary', minLength: 32 }), string({ unit: 'binary' }), (text, any) => {
        const secret = { text, generated: false };
        const headers = signedHeaders({ delivery_id, body: Buffer.from(any), secrets: [secret], now: Date.now() });
        verifier(secret).verify(any, headers, { jsonParse: false });
      }),
    ),
  );
});

const verifier = ({ text, generated: encoded }: { text: string; generated: boolean }) =>
  encoded ? new Webhook(text) : new Webhook(Buffer.from(text), { format: 'raw' });
