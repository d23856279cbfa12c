import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { PspConfig } from '#shared/keys/psp_config.ts';
import { byAcme, byCdp } from '#test/helpers/psp.ts';
import { eventOf, read, secret } from '#test/helpers/psp_read.ts';

/** A charge of Coinbase Commerce (docs.cdp.coinbase.com, "Webhook fields"). */
const coinbase = (type: string, more: object = {}) => ({
  attempt_number: 1,
  event: {
    api_version: '2018-03-22',
    created_at: new Date().toISOString(),
    data: {
      id: '2aee9dd1',
      code: 'XA6G6ZFR',
      pricing: { local: { amount: '1.5', currency: 'USD' } },
      metadata: { payer: 'buyer-1' },
    },
    id: '24934862',
    resource: 'event',
    type,
    ...more,
  },
});
const mapping: PspConfig['mapping'] = {
  event_id: '/event/id',
  type: {
    pointer: '/event/type',
    values: { 'charge:confirmed': 'payment.settled', 'charge:failed': 'payment.failed' },
  },
  payment_id: '/event/data/code',
  agent: '/event/data/metadata/payer',
  payee: { value: 'domain:shop.example.com' },
  amount: { pointer: '/event/data/pricing/local/amount', as: 'decimal' },
  currency: '/event/data/pricing/local/currency',
  occurred_at: '/event/created_at',
  rail: { value: 'stablecoin' },
};

test('a service of one’s own is read by a mapping of JSON pointers', t => {
  const config = { mapping, default_owner: 'team-1' };
  t.deepEqual(read('generic', byAcme(secret, coinbase('charge:confirmed')), config), [
    'payment.settled settled XA6G6ZFR 150 USD',
  ]);
  t.deepEqual(read('generic', byAcme(secret, coinbase('charge:created')), config), ['ignored'], 'not in values');
  const event = eventOf('generic', byAcme(secret, coinbase('charge:failed')), config);
  t.like(event, { agent: { external_id: 'buyer-1' }, owner: { external_id: 'team-1' } });
  t.like(event.payment, { rail: 'stablecoin', payee: { key: 'domain:shop.example.com' } });
  const again = { ...coinbase('charge:failed'), attempt_number: 2 };
  t.is(eventOf('generic', byAcme(secret, again), config).id, event.id, 'sent again, its body says so');
});

test('a payee that is mapped is a key, or the id of a merchant at the service', t => {
  const keyOf = (payee: string) =>
    eventOf('generic', byAcme(secret, coinbase('charge:confirmed')), {
      mapping: { ...mapping, payee: { value: payee } },
      default_owner: 'team-1',
      service: 'acme',
    }).payment.payee.key;
  for (const [payee, key] of [
    ['m-17', 'merchant:acme:m-17'],
    ['merchant:other:m-17', 'merchant:other:m-17'],
    ['shop.example.com', 'shop.example.com'],
    ['0x742d35Cc6634C0532925a3b844Bc454e4438f44e', '0x742d35Cc6634C0532925a3b844Bc454e4438f44e'],
    ['Corner Shop', 'Corner Shop'],
  ] as const)
    t.is(keyOf(payee), key);
});

/** A checkout of Coinbase, as its webhooks tell of it (docs.cdp.coinbase.com, "Checkout webhooks"). */
const checkout = (eventType: string) => ({
  id: '68f7a946db0529ea9b6d3a12',
  amount: '50.00',
  currency: 'USDC',
  network: 'base',
  address: '0x742d35Cc6634C0532925a3b844Bc454e4438f44e',
  status: 'COMPLETED',
  eventType,
  metadata: { agent: 'buyer-1' },
  settlement: { totalAmount: '50.00', feeAmount: '0.50', netAmount: '49.50', currency: 'USDC' },
  updatedAt: new Date().toISOString(),
});

test('the checkouts of Coinbase are read by the source that the documents describe', async t => {
  const document = await readFile('docs/integrating.md', 'utf8');
  const [, text = ''] = /cat > source\.json <<'END'\n(\{"name": "Coinbase.*?\n)END/s.exec(document) ?? [];
  const { psp_config } = JSON.parse(text);
  const ofCheckout = (type: string, at?: number) => read('generic', byCdp(secret, checkout(type), at), psp_config);
  const usdc = '50000000 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  t.deepEqual(ofCheckout('checkout.payment.success'), [`payment.settled settled 68f7a946db0529ea9b6d3a12 ${usdc}`]);
  t.deepEqual(ofCheckout('checkout.payment.expired'), [`payment.canceled canceled 68f7a946db0529ea9b6d3a12 ${usdc}`]);
  t.deepEqual(ofCheckout('checkout.refund.success'), ['ignored']);
  t.throws(() => ofCheckout('checkout.payment.success', Date.now() - 6 * 60_000), { message: 'it is not signed' });
  const forged = byCdp('another', checkout('checkout.payment.success'));
  t.throws(() => read('generic', forged, psp_config), { message: 'it is not signed' });
});

const amounts: [unknown, PspConfig['mapping'], string][] = [
  [{ amount: 1250, currency: 'EUR' }, {}, '1250 EUR'],
  [{ amount: '12.50', currency: 'eur' }, {}, '1250 EUR'],
  [{ sum: '12.5', in: 'BHD' }, { amount: { pointer: '/sum', as: 'decimal' }, currency: '/in' }, '12500 BHD'],
  [{ sum: 12.5 }, { amount: { pointer: '/sum', as: 'decimal' }, currency: { value: 'USD' } }, '1250 USD'],
  [{ sum: '9007199254740993' }, { amount: '/sum', currency: { value: 'USD' } }, '9007199254740993 USD'],
  [{ sum: '-7' }, { amount: { pointer: '/sum', as: 'decimal' }, currency: { value: 'JPY' } }, '7 JPY'],
  [
    { sum: '0.001', net: 'base', token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
    { amount: { pointer: '/sum', as: 'decimal' }, network: '/net', asset: '/token' },
    '1000 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  ],
  [
    { sum: '0.001' },
    { amount: { pointer: '/sum', as: 'decimal' }, currency: { value: 'USD' } },
    'unreadable_amount no_amount',
  ],
  [{ sum: 1e21 }, { amount: '/sum', currency: { value: 'USD' } }, 'unreadable_amount no_amount'],
  [{ sum: '5', in: 'euros' }, { amount: '/sum', currency: '/in' }, 'unreadable_currency no_amount'],
];
const texts: typeof amounts = [
  ['{"amount":20.00,"currency":"USD"}', {}, '2000 USD'],
  ['{"amount":{"value":1250.0,"currency":"JPY"}}', {}, '1250 JPY'],
  ['{"sum":20.0}', { amount: '/sum', currency: { value: 'USD' } }, '2000 USD'],
  ['{"sum":20.0}', { amount: { pointer: '/sum', as: 'decimal' }, currency: { value: 'USD' } }, '2000 USD'],
  ['{"sum":20.0}', { amount: { pointer: '/sum', as: 'minor' }, currency: { value: 'USD' } }, '20 USD'],
  ['{"amount":20,"rate":1.00,"note":"a 1.0 \\" 2.0"}', { currency: { value: 'USD' } }, '20 USD'],
  ['{"amount":20.00,"rate":0.12345678901234567890123,"currency":"USD"}', {}, '2000 USD'],
];

for (const [body, map, expected] of [...amounts, ...texts])
  test(`an amount ${typeof body === 'string' ? body : JSON.stringify(body)} by ${JSON.stringify(map)} is: ${expected}`, t => {
    const config = {
      default_agent: 'a',
      default_owner: 'o',
      mapping: { payment_id: { value: 'p' }, type: { value: 'payment.settled' as const }, ...map },
    };
    const [said] = read('generic', byAcme(secret, body), config);
    t.is(said?.replace(/^payment.settled settled p |^unread /, ''), expected);
  });
