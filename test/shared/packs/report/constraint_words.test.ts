import test from 'ava';
import { constraintTypes } from '#shared/mandates/constraints.ts';
import { constraintInWords } from '#shared/packs/report/parts/mandates.ts';

const examples: Record<(typeof constraintTypes)[number], [terms: Record<string, unknown>, words: string]> = {
  'payment.amount_range': [
    { min: '100', max: '5000', currency: 'USD' },
    'at least $1.00 and at most $50.00 per payment',
  ],
  'payment.budget': [
    { max: '100000', currency: 'USD', interval: 'weekly', window: 'rolling', tz: 'UTC' },
    'at most $1,000.00 in any 7 days',
  ],
  'payment.agent_recurrence': [
    { frequency: 'MONTHLY', max_occurrences: 12 },
    'one payment per month, at most 12 in total',
  ],
  'payment.velocity': [{ max: 10, window_s: 3_600 }, 'at most 10 payments within any 1 h'],
  'payment.allowed_payees': [
    { payees: [{ domain: 'example.com' }, { name: 'Café', website: 'https://cafe.example/' }] },
    'only these payees: example.com, Café (https://cafe.example/)',
  ],
  'payment.blocked_payees': [
    { payees: [{ key: 'iban:DE89370400440532013000' }] },
    'not these payees: iban:DE89370400440532013000',
  ],
  'payment.allowed_payment_instruments': [{ ids: ['tok_1', 'tok_2'] }, 'only these instruments: tok_1, tok_2'],
  'payment.allowed_pisps': [{ ids: ['psp'] }, 'only through these payment services: psp'],
  'payment.allowed_categories': [{ mcc: ['5411', '5400-5499'] }, 'only these merchant categories: 5411, 5400-5499'],
  'payment.blocked_categories': [{ mcc: ['7995'] }, 'not these merchant categories: 7995'],
  'payment.allowed_rails': [{ values: ['card', 'x402'] }, 'only by these rails: card, x402'],
  'payment.allowed_currencies': [{ values: ['USD'] }, 'only in these currencies: USD'],
  'payment.allowed_networks': [{ values: ['eip155:8453'] }, 'only on these networks: eip155:8453'],
  'payment.allowed_countries': [{ values: ['DE', 'FR'] }, 'only to payees in these countries: DE, FR'],
  'payment.blocked_countries': [{ values: ['KP'] }, 'not to payees in these countries: KP'],
  'payment.allowed_assets': [
    { assets: [{ network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }] },
    'only in these tokens: USDC on eip155:8453',
  ],
  'payment.execution_date': [{ not_before: '2026-12-01T00:00:00.000Z' }, 'not before 2026-12-01T00:00:00.000Z'],
  'payment.time_of_day': [
    { days: ['mon', 'tue'], from: '09:00', to: '18:00', tz: 'Europe/Berlin' },
    'only from 09:00 to 18:00 (Europe/Berlin) on mon, tue',
  ],
  'payment.allowed_resources': [
    { prefixes: ['https://api.example.com/'] },
    'only for resources under: https://api.example.com/',
  ],
  'payment.approval_required': [{ above: '10000', currency: 'JPY' }, 'human approval above ¥10,000'],
  'payment.reference': [{ hash: 'abc' }, 'only with the reference abc'],
};

for (const type of constraintTypes)
  test(`${type} is said in words`, t => {
    const [terms, words] = examples[type];
    t.is(constraintInWords({ type, ...terms }), words);
  });

test('a constraint that only its signer knows is shown as it was signed', t => {
  t.is(constraintInWords({ type: 'acme.limit', max: 3 }), 'acme.limit: {"max":3} (known to its signer only)');
  t.is(
    constraintInWords({ type: 'payment.allowed_payees', payees: [null] }),
    'payment.allowed_payees: {"payees":[null]} (known to its signer only)',
  );
});
