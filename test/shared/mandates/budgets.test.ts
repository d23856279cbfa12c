import test from 'ava';
import { DAI, EURC, type Beside, hold, inAsset, inCurrency, judge, rates, usd, usdc, verdict } from './held.ts';
import { loadedRate } from '#test/helpers/rates.ts';

const daily = { max: '1000', currency: 'USD', interval: 'daily' };
const dime = usd(10n);

/** Whether $9.91 paid at `first` and ten cents at `second` share a period. */
function share(parameters: object, first: string, second: string): boolean {
  const beside: Beside = { at: second, earlier: [[first, usd(991n)]] };
  return verdict('budget', { max: '1000', currency: 'USD', ...parameters }, dime, beside) === 'breach budget_exceeded';
}

test('a budget is kept to the last millionth and broken by the next', t => {
  const spend = (paid: ReturnType<typeof usd>) =>
    judge('budget', daily, paid, { earlier: [['2026-11-20T09:00:00Z', usd(990n)]] });
  t.deepEqual(spend(usd(10n)), {
    type: 'payment.budget',
    result: 'compliant',
    observed: '1000',
    limit: '1000',
    remaining: '0',
    over: 1,
  });
  t.like(spend(usdc(99_999n)), { result: 'compliant', observed: '999.9999', remaining: '0.0001' });
  t.deepEqual(spend(usdc(100_001n)), {
    type: 'payment.budget',
    result: 'breach',
    code: 'budget_exceeded',
    observed: '1000.0001',
    limit: '1000',
    remaining: '0',
    over: 1,
  });
});

test('payments that came later, and the payment itself, are no earlier spending', t => {
  const earlier = [
    ['2026-11-20T09:00:00Z', usd(500n)],
    ['2026-11-20T10:00:00Z', usd(500n)],
    ['2026-11-20T10:00:00.001Z', usd(500n)],
  ] as const;
  t.like(judge('budget', daily, usd(0n), { earlier, seq: 1 }), { observed: '500' });
  t.like(judge('budget', daily, usd(0n), { earlier, seq: 2 }), { observed: '1000' });
});

const periods: [what: string, parameters: object, before: string, from: string, end: string][] = [
  ['an hour', { interval: 'hourly' }, '2026-11-20T08:59:59.999Z', '2026-11-20T09:00:00Z', '2026-11-20T09:59:59.999Z'],
  ['a day', { interval: 'daily' }, '2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00Z', '2026-11-20T23:59:59.999Z'],
  ['a week', { interval: 'weekly' }, '2026-11-15T23:59:59.999Z', '2026-11-16T00:00:00Z', '2026-11-22T23:59:59.999Z'],
  [
    'a week over New Year',
    { interval: 'weekly' },
    '2026-12-27T23:59:59Z',
    '2026-12-28T00:00:00Z',
    '2027-01-03T23:59:59Z',
  ],
  ['a month', { interval: 'monthly' }, '2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00Z', '2026-11-30T23:59:59.999Z'],
  [
    'a February',
    { interval: 'monthly' },
    '2028-01-31T23:59:59.999Z',
    '2028-02-01T00:00:00Z',
    '2028-02-29T23:59:59.999Z',
  ],
  ['a year', { interval: 'yearly' }, '2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00Z', '2026-12-31T23:59:59.999Z'],
  [
    'a day of 23 hours',
    { interval: 'daily', tz: 'Europe/Berlin' },
    '2026-03-28T22:59:59Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T21:59:59Z',
  ],
  [
    'a day of 25 hours',
    { interval: 'daily', tz: 'Europe/Berlin' },
    '2026-10-24T21:59:59Z',
    '2026-10-24T22:00:00Z',
    '2026-10-25T22:59:59Z',
  ],
  [
    '23 hours in New York',
    { interval: 'daily', tz: 'America/New_York' },
    '2026-03-08T04:59:59Z',
    '2026-03-08T05:00:00Z',
    '2026-03-09T03:59:59Z',
  ],
  [
    '25 hours in New York',
    { interval: 'daily', tz: 'America/New_York' },
    '2026-11-01T03:59:59Z',
    '2026-11-01T04:00:00Z',
    '2026-11-02T04:59:59Z',
  ],
  [
    'a month in Kathmandu',
    { interval: 'monthly', tz: 'Asia/Kathmandu' },
    '2026-10-31T18:14:59Z',
    '2026-10-31T18:15:00Z',
    '2026-11-30T18:14:59Z',
  ],
  [
    'an hour in Kathmandu',
    { interval: 'hourly', tz: 'Asia/Kathmandu' },
    '2026-11-20T09:14:59Z',
    '2026-11-20T09:15:00Z',
    '2026-11-20T10:14:59Z',
  ],
  [
    '23½ hours on Lord Howe',
    { interval: 'daily', tz: 'Australia/Lord_Howe' },
    '2026-10-03T13:29:59Z',
    '2026-10-03T13:30:00Z',
    '2026-10-04T12:59:59Z',
  ],
  [
    '24½ hours on Lord Howe',
    { interval: 'daily', tz: 'Australia/Lord_Howe' },
    '2026-04-04T12:59:59Z',
    '2026-04-04T13:00:00Z',
    '2026-04-05T13:29:59Z',
  ],
  [
    '60 minutes',
    { interval: 'hourly', window: 'rolling' },
    '2026-11-20T09:00:00Z',
    '2026-11-20T09:00:00.001Z',
    '2026-11-20T10:00:00Z',
  ],
  [
    '24 hours',
    { interval: 'daily', window: 'rolling' },
    '2026-11-19T10:00:00Z',
    '2026-11-19T10:00:00.001Z',
    '2026-11-20T10:00:00Z',
  ],
  [
    '7 days',
    { interval: 'weekly', window: 'rolling' },
    '2026-11-13T10:00:00Z',
    '2026-11-13T10:00:00.001Z',
    '2026-11-20T10:00:00Z',
  ],
  [
    '30 days',
    { interval: 'monthly', window: 'rolling' },
    '2026-10-21T10:00:00Z',
    '2026-10-21T10:00:00.001Z',
    '2026-11-20T10:00:00Z',
  ],
  [
    '365 days',
    { interval: 'yearly', window: 'rolling' },
    '2025-11-20T10:00:00Z',
    '2025-11-20T10:00:00.001Z',
    '2026-11-20T10:00:00Z',
  ],
];

for (const [what, parameters, before, from, end] of periods)
  test(`a budget counts what is paid within ${what}, to the moment`, t => {
    t.true(share(parameters, from, end));
    t.false(share(parameters, before, end));
    if (!('window' in parameters)) t.false(share(parameters, before, from));
  });

test('a budget of the whole mandate counts everything', t => {
  t.true(share({ interval: 'per_mandate' }, '2001-01-01T00:00:00Z', '2026-11-20T10:00:00Z'));
});

test('a budget in one currency counts payments in others at the rate of their own day', t => {
  const byDay = { rateFor: (_: string, day: string) => loadedRate(day < '2026-11-15' ? '1.25' : '1.00') };
  const earlier = [
    ['2026-11-10T10:00:00Z', usd(1_250n)],
    ['2026-11-16T10:00:00Z', inCurrency('EUR', 500n, 5_000_000n)],
  ] as const;
  const monthly = { max: '2500', currency: 'EUR', interval: 'monthly' };
  t.like(judge('budget', monthly, usd(1_000n), { earlier, rates: byDay }), { result: 'compliant', observed: '2500' });
  t.like(judge('budget', monthly, usd(1_001n), { earlier, rates: byDay }), { result: 'breach', observed: '2501' });
});

test('a budget that payments without a price fall into is left open, unless the others exceed it', t => {
  const earlier = [
    ['2026-11-20T09:00:00Z', inAsset(EURC, 1n, null)],
    ['2026-11-20T09:30:00Z', usd(990n)],
  ] as const;
  t.is(verdict('budget', daily, usd(10n), { earlier }), 'unresolved currency_mismatch');
  t.is(verdict('budget', daily, usd(11n), { earlier }), 'breach budget_exceeded');
  t.is(verdict('budget', daily, inAsset(EURC, 1n, null), {}), 'unresolved currency_mismatch');
  t.is(
    verdict('budget', daily, inAsset(EURC, 1n, null), { earlier: [['2026-11-20T09:00:00Z', usd(1_001n)]] }),
    'breach budget_exceeded',
  );
});

test('a payment that was refunded whole uses nothing, priced or not', t => {
  const earlier = [['2026-11-20T09:00:00Z', inAsset(EURC, 0n, null)]] as const;
  t.like(judge('budget', daily, usd(10n), { earlier }), { result: 'compliant', observed: '10' });
});

test('how much of each budget is used is told before and after, for its period', t => {
  const constraints = [
    { type: 'payment.budget', ...daily, tz: 'Europe/Berlin' },
    { type: 'payment.velocity', max: 10, window_s: 60 },
    { type: 'payment.budget', max: '3000', currency: 'EUR', interval: 'monthly', window: 'rolling' },
    { type: 'payment.budget', max: '0', asset: DAI, interval: 'per_mandate' },
    { type: 'payment.budget', max: '1', asset: EURC, interval: 'per_mandate' },
  ];
  const { budgets } = hold({ constraints }, usd(500n), { earlier: [['2026-11-20T09:00:00Z', usd(299n)]], rates });
  t.deepEqual(budgets, [
    { constraint: 0, period: '2026-11-19T23:00:00.000Z', before: 2_990, after: 7_990 },
    { constraint: 2, period: '2026-11-03T00:00:00.000Z', before: 906, after: 2_421 },
    { constraint: 3, period: 'all', before: 1_000_000, after: 1_000_000 },
  ]);
});
