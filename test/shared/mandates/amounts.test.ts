import test from 'ava';
import * as fc from 'fast-check';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import { DAI, EURC, inAsset, inCurrency, judge, rates, usd, USDC, usdc, verdict } from './held.ts';
import { runs } from '#test/helpers/runs.ts';
import { loadedRate } from '#test/helpers/rates.ts';

type Paid = Pick<ReportedEvent, 'amount' | 'usd_micro'>;
const range = (paid: Paid, max: string, unit: object) => judge('amount_range', { max, ...unit }, paid, { rates });
const [inUsd, inEur, inYen, inUsdc, inDai] = [
  { currency: 'USD' },
  { currency: 'EUR' },
  { currency: 'JPY' },
  { asset: USDC },
  { asset: DAI },
];
const ETHER = 10n ** 18n;

/** What is paid, the limit that it just keeps, and the one that it just breaks. */
const limits: [what: string, paid: Paid, unit: object, keeps: string, breaks: string][] = [
  ['dollars in dollars', usd(5_000n), inUsd, '5000', '4999'],
  ['yen in yen, which have no cents', inCurrency('JPY', 500n, null), inYen, '500', '499'],
  ['dinars in dinars, which have thousandths', inCurrency('KWD', 1_234n, null), { currency: 'KWD' }, '1234', '1233'],
  ['euros in dollars', inCurrency('EUR', 1_000n, 11_000_000n), inUsd, '1100', '1099'],
  ['dollars in euros', usd(1_100n), inEur, '1000', '999'],
  ['dollars in euros with a remainder', usd(1_101n), inEur, '1001', '1000'],
  ['dollars in yen', usd(66n), inYen, '100', '99'],
  ['dollars in dinars', usd(325n), { currency: 'KWD' }, '1000', '999'],
  ['USDC in dollars', usdc(10_000_000n), inUsd, '1000', '999'],
  ['a millionth of a dollar too much', usdc(10_000_001n), inUsd, '1001', '1000'],
  ['dollars in USDC', usd(1_000n), inUsdc, '10000000', '9999999'],
  ['18 decimals in dollars', inAsset(DAI, 10n * ETHER, 10_000_000n), inUsd, '1000', '999'],
  ['the last of 18 decimals in dollars', inAsset(DAI, 10n * ETHER + 1n, 10_000_000n), inUsd, '1001', '1000'],
  ['the last of 18 decimals in USDC', inAsset(DAI, ETHER + 1n, 1_000_000n), inUsdc, '1000001', '1000000'],
  ['18 decimals in their own', inAsset(DAI, ETHER + 1n, 1_000_000n), inDai, `${ETHER + 1n}`, `${ETHER}`],
  ['USDC in 18 decimals', usdc(1_000_000n), inDai, `${ETHER}`, `${ETHER - 1n}`],
  [
    'an unregistered token in its own',
    inAsset({ ...USDC, network: 'eip155:7' }, 9n, null),
    { asset: { ...USDC, network: 'eip155:7' } },
    '9',
    '8',
  ],
  ['euro tokens in euros', inAsset(EURC, 1_000_000n, null), inEur, '100', '99'],
  ['part of a cent in euro tokens', inAsset(EURC, 1_000_001n, null), inEur, '101', '100'],
  ['euros in euro tokens', inCurrency('EUR', 2n, null), { asset: EURC }, '20000', '19999'],
  ['a token that costs nothing', inAsset(EURC, 0n, null), inUsd, '0', ''],
  ['2^256−1', inAsset(EURC, 2n ** 256n - 1n, null), { asset: EURC }, `${2n ** 256n - 1n}`, `${2n ** 256n - 2n}`],
];

for (const [what, paid, unit, keeps, breaks] of limits)
  test(`an amount keeps its own size as a limit and breaks the next smaller one: ${what}`, t => {
    t.is(range(paid, keeps, unit)?.result, 'compliant');
    if (breaks) t.like(range(paid, breaks, unit), { result: 'breach', code: 'amount_above_max' });
  });

const open: [what: string, paid: Paid, unit: object][] = [
  ['euro tokens in dollars', inAsset(EURC, 1n, null), inUsd],
  ['a currency without a rate', usd(1n), { currency: 'SEK' }],
  ['a currency at a rate of nothing', usd(1n), { currency: 'BHD' }],
  ['a payment that was not priced', inCurrency('SEK', 1n, null), inUsd],
  ['dollars in an unregistered token', usd(1n), { asset: { ...USDC, network: 'eip155:7' } }],
];

for (const [what, paid, unit] of open)
  test(`amounts that cannot be compared are left open: ${what}`, t => {
    const expected = { result: 'unresolved', code: 'currency_mismatch', limit: '100' };
    t.like(range(paid, '100', unit), expected);
    t.like(judge('approval_required', { above: '100', ...unit }, paid, { rates }), expected);
  });

test('an amount is shown in the unit of its limit, parts of a cent included', t => {
  t.deepEqual(range(usdc(1_000n), '5', inUsd), {
    type: 'payment.amount_range',
    result: 'compliant',
    observed: '0.1',
    limit: '5',
    over: 0.02,
  });
  t.like(range(usd(1_500n), '1000', inUsd), { observed: '1500', limit: '1000', over: 1.5 });
  t.like(range(usd(1n), '0', inUsd), { result: 'breach', over: 1_000_000 });
  t.like(range(usd(1_500n), '1', inUsdc), { observed: '15000000', over: 1_000_000 });
});

test('an amount below the least that is allowed is a breach', t => {
  const between = (paid: Paid, min: string) => judge('amount_range', { min, max: '5000', ...inUsd }, paid, { rates });
  t.is(between(usd(1_000n), '1000')?.result, 'compliant');
  t.deepEqual(between(usd(999n), '1000'), {
    type: 'payment.amount_range',
    result: 'breach',
    code: 'amount_below_min',
    observed: '999',
    limit: '1000',
  });
  t.like(between(inAsset(DAI, ETHER - 1n, 1_000_000n), '100'), { code: 'amount_below_min', observed: '99.9999' });
});

test('above its threshold a payment needs a person or signed evidence of approval, and only above it', t => {
  const above = (paid: Paid, change: Partial<ReportedEvent> = {}) =>
    verdict('approval_required', { above: '1000', ...inUsd }, { ...paid, ...change }, { rates });
  t.is(above(usd(1_000n)), 'compliant');
  t.is(above(usdc(10_000_001n)), 'breach approval_missing');
  t.is(above(usd(1_001n), { human_present: false }), 'breach approval_missing');
  t.is(above(usd(1_001n), { human_present: true }), 'compliant');
  t.is(above(usd(1_001n), { evidence_kinds: ['ap2.checkout_mandate'] }), 'compliant');
  t.is(above(inAsset(EURC, 1n, null), { human_present: true }), 'compliant');
});

test('no amount in dollars passes a limit in euros that it exceeds, however little', t => {
  const rate = fc.tuple(fc.bigInt(1n, 10n ** 12n), fc.integer({ min: 0, max: 20 }));
  fc.assert(
    fc.property(rate, fc.bigInt(0n, 10n ** 20n), fc.bigInt(0n, 10n ** 12n), ([digits, places], micro, max) => {
      const text = digits.toString().padStart(places + 1, '0');
      const usd_per_unit = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
      const paid = inCurrency('SEK', 1n, micro);
      const beside = { rates: { rateFor: () => loadedRate(usd_per_unit) } };
      // micro ÷ 10^6 dollars against max ÷ 100 euros at digits ÷ 10^places dollars
      const exceeds = micro * 100n * 10n ** BigInt(places) > max * digits * 1_000_000n;
      const answer = judge('amount_range', { max: String(max), ...inEur }, paid, beside);
      t.is(answer?.result, exceeds ? 'breach' : 'compliant');
    }),
    { numRuns: runs(1_000) },
  );
});
