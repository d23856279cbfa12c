import test from 'ava';
import * as fc from 'fast-check';
import { findAsset } from '#shared/values/assets.ts';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { formatUsdMicro } from '#shared/values/money.ts';
import { priceInUsd } from '#shared/values/price_in_usd.ts';

const eurc = findAsset('base', '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42');

test('dollars are exact', t => {
  t.deepEqual(priceInUsd({ amount: 1999n, currency: 'USD', rate: null }), { usd_micro: 19_990_000n, usd_minor: 1999n });
});

test('other currencies are priced by their rate and their own minor unit, rounded half up', t => {
  for (const [amount, currency, rate, usd_micro, usd_minor] of [
    [1000n, 'EUR', '1.0873', 10_873_000n, 1087n],
    [1000n, 'JPY', '0.0066', 6_600_000n, 660n],
    [1000n, 'KWD', '3.25', 3_250_000n, 325n],
    [1n, 'JPY', '0.005', 5_000n, 1n],
    [1n, 'JPY', '0.0049999999', 5_000n, 0n],
    [1n, 'EUR', '0.00005', 1n, 0n],
    [0n, 'EUR', '1.1', 0n, 0n],
  ] as const) {
    t.deepEqual(priceInUsd({ amount, currency, rate }), { usd_micro, usd_minor }, `${amount} ${currency} at ${rate}`);
  }
});

test('what has no price has none: no rate, no currency, a rate that is no decimal, a token whose currency has no rate', t => {
  t.is(priceInUsd({ amount: 1n, currency: 'EUR', rate: null }), null);
  t.is(priceInUsd({ amount: 1n, currency: 'XAU', rate: '2000' }), null);
  for (const rate of ['', '1,1', '1e3', '-1', '0x1', '1.', 'NaN'])
    t.is(priceInUsd({ amount: 1n, currency: 'EUR', rate }), null);
  t.is(priceInUsd({ amount: 1n, asset: null, rate: null }), null);
  t.is(priceInUsd({ amount: 1n, asset: eurc, rate: null }), null);
});

test('a euro token is worth as many euros as it has units, at their rate', t => {
  const [token, cash] = [
    { amount: 12_340_000n, asset: eurc },
    { amount: 1_234n, currency: 'EUR' },
  ];
  t.deepEqual(priceInUsd({ ...token, rate: '1.1' }), priceInUsd({ ...cash, rate: '1.1' }));
  t.deepEqual(priceInUsd({ amount: 1n, asset: eurc, rate: '1.25' }), { usd_micro: 1n, usd_minor: 0n });
});

test('a tenth of a cent in USDC is a thousand micro-dollars and no cents', t => {
  const usdc = findAsset('base', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913');
  t.deepEqual(priceInUsd({ amount: 1000n, asset: usdc, rate: null }), { usd_micro: 1000n, usd_minor: 0n });
  t.deepEqual(priceInUsd({ amount: 5000n, asset: usdc, rate: null }), { usd_micro: 5000n, usd_minor: 1n });
});

test('18-decimal dollars are rounded once: what rounds up to a micro-dollar does not also round up to a cent', t => {
  const dai = findAsset('ethereum', '0x6B175474E89094C44Da98b954EedeAC495271d0F');
  t.deepEqual(priceInUsd({ amount: 4_999_999_500_000_000n, asset: dai, rate: null }), {
    usd_micro: 5000n,
    usd_minor: 0n,
  });
  t.deepEqual(
    priceInUsd({ amount: 2n ** 256n - 1n, asset: dai, rate: null })?.usd_minor,
    (2n ** 256n - 1n + 5n * 10n ** 15n) / 10n ** 16n,
  );
});

test('micro-dollars read like money', t => {
  for (const [usd_micro, text] of [
    [0n, '$0.00'],
    [1n, '$0.000001'],
    [1000n, '$0.001'],
    [10_000n, '$0.01'],
    [100_000n, '$0.10'],
    [1_234_560_000n, '$1,234.56'],
    [1_000_000_000_000n, '$1,000,000.00'],
    [-2_500_000n, '-$2.50'],
  ] as const) {
    t.is(formatUsdMicro(usd_micro), text);
  }
});

test('money as text is the same money to the cent, and below a dollar to the last digit', t => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), usd_micro => {
      const [whole = '', fraction = ''] = formatUsdMicro(usd_micro).replaceAll(/[-$,]/g, '').split('.');
      const absolute = BigInt(whole + fraction.padEnd(6, '0'));
      const exact = usd_micro < 0n ? -usd_micro : usd_micro;
      const off = absolute > exact ? absolute - exact : exact - absolute;
      t.true(exact < 1_000_000n ? off === 0n : off <= 5_000n);
    }),
  );
});

test('every active currency has its ISO 4217 exponent; codes without a minor unit are not currencies here', t => {
  const exponents = { USD: 2, EUR: 2, JPY: 0, KRW: 0, KWD: 3, TND: 3, CLF: 4, XCG: 2, ZWG: 2, SLE: 2, MGA: 2, ISK: 0 };
  for (const [currency, exponent] of Object.entries(exponents)) t.is(minorUnitExponent(currency), exponent, currency);
  for (const code of ['XAU', 'XDR', 'XXX', 'XTS', 'HRK', 'usd', '']) t.is(minorUnitExponent(code), null, code);
  const retired = new Set(['ANG', 'CUC', 'HRK', 'SLL', 'XDR', 'XSU', 'ZWL']);
  t.deepEqual(
    Intl.supportedValuesOf('currency').filter(code => minorUnitExponent(code) === null && !retired.has(code)),
    [],
  );
});
