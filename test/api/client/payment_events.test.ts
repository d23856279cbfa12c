import test from 'ava';
import { atomic, type Currency, minor } from '#api/client/amounts.ts';
import { createClient } from '#api/client/client.ts';
import * as builders from '#api/client/payment_events.ts';
import { currencyCodes, minorUnitExponent } from '#shared/values/currencies.ts';
import { world } from '#test/helpers/world.ts';

const { paymentEvent } = builders;
/** No exchange rates are loaded here. */
const unpriced = new Set(['not_priced', 'unknown_asset']);
const usdc = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 };
const to = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const iban = 'DE89370400440532013000';

const paid = {
  card: builders.card({
    amount: '12.50',
    currency: 'EUR',
    psp: 'stripe',
    merchant: 'acct_1',
    payee: { name: 'Paper & Co' },
  }),
  ach: builders.ach({ amount: '12.50', routing: '021000021', account: '123456789' }),
  rtp: builders.rtp({ amount: '12.50', routing: '021000021', account: '123456789' }),
  sepa: builders.sepa({ amount: '12.50', iban }),
  wire: builders.wire({ amount: '1250', currency: 'JPY', iban }),
  fps: builders.fps({ amount: '12.50', sort_code: '200000', account: '55779911' }),
  pix: builders.pix({ amount: '12.50', key: 'acme@example.com' }),
  upi: builders.upi({ amount: '12.50', address: 'acme@okhdfcbank' }),
  x402: builders.x402({ amount: '0.001', asset: usdc, to }),
  stablecoin: builders.stablecoin({ amount: '12.5', asset: usdc, to }),
  lightning: builders.lightning({ sats: '12.5', to: 'acme@pay.example.com' }),
  credits: builders.balance({ rail: 'credits', amount: '12.50', currency: 'USD', scheme: 'acme', account: '7' }),
};

test('what is built for each rail is an event that the service takes as it is', async t => {
  const { api, full } = await world(t);
  const client = createClient({ url: api.address, key: full.key });
  const events = Object.entries(paid).map(([rail, each]) =>
    paymentEvent('settled', { payment_id: rail, agent: 'buyer-1', owner: { external_id: 'team-1' }, paid: each }),
  );
  const { results } = await client.call('POST /v1/events/validate', { body: { events } as never });
  t.deepEqual(
    results.map(({ errors, warnings }) => [...errors, ...warnings.filter(({ code }) => !unpriced.has(code))]),
    events.map(() => []),
  );
  t.deepEqual(
    events.map(({ payment }) => payment.rail),
    Object.keys(paid) as (typeof paid.card.rail)[],
  );
});

test('each step of a payment is an event of its own with one payment id', async t => {
  const { api, full } = await world(t);
  const client = createClient({ url: api.address, key: full.key });
  const steps = [
    'requested',
    'authorized',
    'settled',
    'failed',
    'canceled',
    'refunded',
    'partially_refunded',
    'disputed',
  ] as const;
  const facts = { payment_id: 'order-1', agent: 'buyer-1', owner: 'team-1', paid: paid.card };
  const at = new Date('2026-11-01T10:00:00Z');
  const events = steps.map(step =>
    paymentEvent(step, { ...facts, at, ...(step === 'failed' && { failure: { code: 'declined' } }) }),
  );
  t.true(events.every(({ occurred_at }) => occurred_at === '2026-11-01T10:00:00.000Z'));
  const { results } = await client.call('POST /v1/events/validate', { body: { events } as never });
  t.deepEqual(
    results.map(({ errors }) => errors),
    events.map(() => []),
  );
});

test('decimal amounts become whole units of their currency or token, and nothing is rounded', t => {
  for (const currency of currencyCodes) {
    const places = minorUnitExponent(currency) ?? 0;
    t.is(minor('12', currency as Currency).value, `12${'0'.repeat(places)}`, currency);
  }
  t.is(minor('0.07', 'EUR').value, '7');
  t.is(minor('0.00', 'EUR').value, '0');
  t.is(minor('12.5000', 'EUR').value, '1250');
  t.is(atomic('123456789012345678901234567890.000001', usdc).value, '123456789012345678901234567890000001');
  for (const wrong of ['0.001', '-1', '1e3', '', '.5', '1.', '1,5', ' 1', 'NaN'])
    t.throws(() => minor(wrong, 'EUR'), { instanceOf: RangeError }, wrong);
  t.throws(() => minor('100', 'jpy' as never), { instanceOf: RangeError });
});
