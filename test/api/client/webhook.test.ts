import test from 'ava';
import { verifyWebhook } from '#api/client/webhook.ts';
import { signedHeaders } from '#shared/webhooks/sign.ts';

const event = {
  type: 'alert.created',
  created_at: '2026-11-23T10:00:00.000Z',
  data: { alert_id: 'alr_1', event_id: 'evt_1' },
};
const body = Buffer.from(JSON.stringify(event));
const generated = { text: `whsec_${Buffer.alloc(32, 7).toString('base64')}`, generated: true };
const chosen = { text: 'a secret that the operator has chosen', generated: false };
const now = Date.parse('2026-11-23T10:00:01.000Z');
const deliver = (secrets: readonly [typeof chosen, ...(typeof chosen)[]] = [generated]) =>
  signedHeaders({ delivery_id: 'whd_1', body, secrets, now });
const only = (headers: Record<string, string>, scheme: RegExp) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => scheme.test(name)));

test('a delivery of the service is told with its type and its ids, by either signature', async t => {
  for (const secret of [generated, chosen])
    for (const [scheme, id] of [
      [/./, 'whd_1'],
      [/^webhook-/, 'whd_1'],
      // It signs no id.
      [/^Service-/, null],
    ] as const) {
      const told = await verifyWebhook({ body, headers: only(deliver([secret]), scheme), secret: secret.text, now });
      t.deepEqual(told, { ...event, id } as typeof told);
    }
  const headers = new Headers(deliver());
  t.is((await verifyWebhook({ body: body.toString(), headers, secret: generated.text, now })).type, 'alert.created');
});

test('while one secret follows another, a receiver may know the old, the new, or both', async t => {
  const headers = deliver([generated, chosen]);
  for (const secret of [generated.text, chosen.text, [generated.text, chosen.text]])
    t.is((await verifyWebhook({ body, headers, secret, now })).id, 'whd_1');
});

test('an id that is not signed is not told, and repeated signatures are all tried', async t => {
  const headers = deliver();
  const forged = { ...headers, 'webhook-id': 'whd_2', 'Service-Delivery-Id': 'whd_2' };
  t.is((await verifyWebhook({ body, headers: forged, secret: generated.text, now })).id, null);
  const repeated = { ...headers, 'webhook-signature': [headers['webhook-signature'] ?? '', 'v1,AAAA'] };
  t.is((await verifyWebhook({ body, headers: repeated, secret: generated.text, now })).id, 'whd_1');
});

test('what is forged, old, or not a delivery is refused, each with its reason', async t => {
  const headers = deliver();
  const secret = generated.text;
  const five_minutes = 5 * 60 * 1_000;
  const cases = [
    [{ body: `${body} ` }, 'invalid_signature'],
    [{ secret: chosen.text }, 'invalid_signature'],
    [{ secret: '' }, 'invalid_signature'],
    [{ secret: [] }, 'invalid_signature'],
    [
      { headers: { ...headers, 'Service-Signature': 'v1=zz', 'webhook-signature': 'v1,%%% v2,AAAA' } },
      'invalid_signature',
    ],
    [
      { headers: { ...headers, 'webhook-id': 'whd_2', 'Service-Timestamp': '2026-11-23T10:00:02.000Z' } },
      'invalid_signature',
    ],
    [{ now: now + five_minutes + 1_001 }, 'expired'],
    [{ now: now - five_minutes - 1 }, 'expired'],
    [{ headers: { ...headers, 'Service-Timestamp': 'soon', 'webhook-timestamp': 'soon' } }, 'expired'],
    [{ headers: {} }, 'missing_header'],
  ] as const;
  for (const [change, code] of cases)
    await t.throwsAsync(verifyWebhook({ body, headers, secret, now, ...change }), { code }, JSON.stringify(change));
  t.is((await verifyWebhook({ body, headers, secret, now: now + 9_000, tolerance: 10_000 })).id, 'whd_1');
  const none = Buffer.from('none');
  const signed = signedHeaders({ delivery_id: 'whd_1', body: none, secrets: [generated], now });
  await t.throwsAsync(verifyWebhook({ body: none, headers: signed, secret, now }), { code: 'malformed_json' });
});

test('a secret that is not there is said to be missing', async t => {
  for (const secret of [undefined, null, [undefined]] as never[])
    await t.throwsAsync(verifyWebhook({ body, headers: deliver(), secret, now }), {
      instanceOf: TypeError,
      message: /^verifyWebhook needs secret/,
    });
});
