import test from 'ava';
import * as fc from 'fast-check';
import { Constraint } from '#shared/mandates/constraints.ts';
import { importConstraints, mergeDisclosed } from '#shared/verification/ap2/constraints_import.ts';
import { openMandateHash } from '#shared/verification/ap2/open_mandate.ts';
import { runs } from '#test/helpers/runs.ts';

const ours = (constraint: object) => importConstraints([{ ...constraint }]).imported[0];
const budget = (max: unknown, currency: unknown) => ours({ type: 'payment.budget', max, currency })?.['max'];

test('a payment service is known by the name that payee keys give it', t => {
  const pisp = { legal_name: 'Stripe Ltd', brand_name: 'Stripe Payments', domain_name: 'stripe.com' };
  const ids = ours({ type: 'payment.allowed_pisps', allowed: [pisp] })?.['ids'];
  t.deepEqual(ids, ['stripe.com', 'Stripe Payments', 'stripe', 'stripe payments']);
});

test('a budget counts whole units there and minor units here, by the exponent of its currency', t => {
  t.deepEqual(ours({ type: 'payment.budget', max: 1_000.5, currency: 'USD' }), {
    type: 'payment.budget',
    max: '100050',
    currency: 'USD',
    interval: 'per_mandate',
    window: 'calendar',
    tz: 'UTC',
  });
  t.is(budget(5_000, 'JPY'), '5000');
  t.is(budget(1.234, 'KWD'), '1234');
  t.is(budget(0.29, 'EUR'), '29');
});

test('a budget is rounded down: a limit does not grow', t => {
  t.is(budget(10.019, 'USD'), '1001');
  t.is(budget(10.9, 'JPY'), '10');
});

test('a budget that is no amount stays as it was signed', t => {
  for (const [max, currency] of [
    [-1, 'USD'],
    [1e30, 'USD'],
    [1e-9, 'USD'],
    ['10', 'USD'],
    [10, 'XXX'],
    [10, 'usd'],
    [10, undefined],
  ] as const)
    t.deepEqual(ours({ type: 'payment.budget', max, currency }), { type: 'payment.budget', max, currency } as never);
});

const imports: [object, object][] = [
  [
    { type: 'payment.amount_range', currency: 'JPY', max: 20_000, min: 0 },
    { currency: 'JPY', min: '0', max: '20000' },
  ],
  [
    { type: 'payment.agent_recurrence', frequency: 'BIWEEKLY', max_occurrences: 3 },
    { frequency: 'BIWEEKLY', max_occurrences: 3 },
  ],
  [{ type: 'payment.agent_recurrence', frequency: 'ON_DEMAND' }, { frequency: 'ON_DEMAND' }],
  [
    {
      type: 'payment.allowed_payees',
      allowed: [
        { id: 'm1', name: 'Shop', website: 'https://www.Shop.example/x' },
        { id: 'm2', name: 'Other' },
        { name: 'Docs', website: 'docs.example' },
      ],
    },
    {
      payees: [
        { merchant_id: 'm1', name: 'Shop', website: 'https://shop.example/' },
        { merchant_id: 'm2', name: 'Other' },
        { domain: 'docs.example' },
        { name: 'Docs', website: 'https://docs.example/' },
      ],
    },
  ],
  [{ type: 'payment.allowed_payment_instruments', allowed: [{ id: 'c1', type: 'card' }] }, { ids: ['c1'] }],
  [
    {
      type: 'payment.allowed_pisps',
      allowed: [{ legal_name: 'Pay Ltd', brand_name: 'Pay', domain_name: 'pay.example' }],
    },
    { ids: ['pay.example', 'Pay', 'pay'] },
  ],
  [
    { type: 'payment.execution_date', not_before: '2026-12-01', not_after: '2026-12-24' },
    { not_before: '2026-12-01T00:00:00.000Z', not_after: '2026-12-24T23:59:59.999Z' },
  ],
];
for (const [given, expected] of imports)
  test(`${(given as { type: string }).type} is imported: ${JSON.stringify(expected)}`, t => {
    const { type, ...parameters } = ours(given) ?? { type: '' };
    t.is(type, (given as { type: string }).type);
    t.deepEqual(parameters, { ...expected });
  });

test('what is not known stays as it was signed, and the originals stand beside', t => {
  const constraints = [
    { type: 'payment.weather', rain: false },
    { type: 'payment.allowed_payees', allowed: [] },
    { type: 'payment.allowed_payees', allowed: [{ id: 'm1', name: 'Shop' }, { website: 'other.example' }] },
    { max: 1 },
    { type: 'payment.velocity', max: 1, window_s: 1 },
  ];
  const { imported, originals } = importConstraints(constraints);
  t.deepEqual(originals, constraints);
  const [weather, nobody, partly, , velocity] = constraints;
  t.deepEqual(imported, [weather, nobody, partly, { max: 1, type: 'unknown' }, velocity] as never);
});

test('which checkout a mandate belongs to limits no later payment, and is not imported as a limit', t => {
  const reference = { type: 'payment.reference', conditional_transaction_id: 'abc' };
  const { imported, originals } = importConstraints([reference]);
  t.deepEqual(imported, []);
  t.deepEqual(originals, [reference]);
});

test('two presentations of a mandate that show different payees allow both, and one that shows nothing more changes nothing', t => {
  const shows = (...names: string[]) => [
    { type: 'payment.allowed_payees', allowed: names.map(name => ({ id: name, name })) },
    { type: 'payment.budget', max: 10, currency: 'USD' },
  ];
  t.deepEqual(mergeDisclosed(shows('a', 'b'), shows('b', 'c')), shows('a', 'b', 'c'));
  t.is(mergeDisclosed(shows('a', 'b'), shows('b')), null);
  t.is(mergeDisclosed(shows('a'), []), null);
});

test('whatever is imported has a type, and is sound or as it was signed', t => {
  const types = fc.constantFrom(...imports.map(([given]) => (given as { type: string }).type), 'x');
  const one = fc.record({
    type: types,
    allowed: fc.anything(),
    max: fc.anything(),
    min: fc.anything(),
    currency: fc.constantFrom('USD', 'x'),
  });
  fc.assert(
    fc.property(fc.array(one), constraints => {
      const { imported, originals } = importConstraints(constraints);
      t.deepEqual(originals, constraints);
      t.is(imported.length, constraints.length);
      for (const [index, constraint] of imported.entries())
        t.true(
          Constraint.safeParse(constraint).success || Object.is(constraint['allowed'], originals[index]?.['allowed']),
        );
    }),
    { numRuns: runs(300) },
  );
});

test('an unsigned open mandate is known by the SHA-256 of its canonical JSON, whatever the order of its members', t => {
  const hash = 'd1a24ae8a67d4dc30358245e8230b6f0588bc4ddd611ae4bbf2a131afc74f42c';
  const mandate = {
    issued_at: '2026-05-23T00:00:00Z',
    items: [],
    amount_minor: 0,
    currency: 'USD',
    agent: 'did:web:ap2.example/agents/agent-001',
    principal: 'did:web:ap2.example/users/user-001',
    mandate_version: '0.1.0',
    mandate_type: 'open_checkout_mandate',
  };
  t.is(openMandateHash(mandate), hash);
  t.not(openMandateHash({ ...mandate, amount_minor: 1 }), hash);
  t.is(openMandateHash({ amount: Infinity }), null);
});
