import test from 'ava';
import { noRates } from '#shared/values/price_in_usd.ts';
import { normalizeEvent } from '#shared/events/input/event_normalize.ts';
import { cents, eventInput, normalized, now, problems } from '#test/helpers/event_input.ts';
import { loadedRate } from '#test/helpers/rates.ts';

const usdc = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
const withAmount = (amount: Record<string, unknown>) => {
  const event = eventInput();
  return { ...event, payment: { ...(event['payment'] as object), amount } };
};

test('unit, currency and asset must fit each other', t => {
  for (const [amount, expected] of [
    [{ value: '1', unit: 'minor', currency: 'USD' }, []],
    [{ value: '1', unit: 'atomic', asset: usdc }, []],
    [{ value: '1', unit: 'minor' }, ['/payment/amount/currency required']],
    [{ value: '1', unit: 'minor', currency: 'USD', asset: usdc }, ['/payment/amount/asset not_allowed']],
    [
      { value: '1', unit: 'minor', asset: usdc },
      ['/payment/amount/asset not_allowed', '/payment/amount/currency required'],
    ],
    [{ value: '1', unit: 'atomic' }, ['/payment/amount/asset required']],
    [{ value: '1', unit: 'atomic', asset: usdc, currency: 'USD' }, ['/payment/amount/currency not_allowed']],
    [
      { value: '1', unit: 'atomic', asset: { ...usdc, network: 'mars' } },
      ['/payment/amount/asset/network invalid_format'],
    ],
    [
      { value: '1', unit: 'atomic', asset: { ...usdc, address: '0x1' } },
      ['/payment/amount/asset/address invalid_format'],
    ],
    [{ value: '1', unit: 'atomic', asset: { ...usdc, decimals: 6 } }, []],
    [
      { value: '1', unit: 'atomic', asset: { ...usdc, decimals: 18 } },
      ['/payment/amount/asset/decimals decimals_mismatch'],
    ],
    [{ value: '1', unit: 'minor', currency: 'usd' }, ['/payment/amount/currency invalid_format']],
    [{ value: '1', unit: 'minor', currency: 'XAU' }, ['/payment/amount/currency unknown_currency']],
  ] as const) {
    t.deepEqual(problems(withAmount(amount)), [...expected], JSON.stringify(amount));
  }
});

test('a value is a whole number of at most 2^256−1, as text', t => {
  const highest = 2n ** 256n - 1n;
  for (const value of ['0', '1', highest.toString()]) t.deepEqual(problems(cents(value, 'USD')), []);
  for (const value of [
    '',
    '01',
    '-1',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1_000',
    '１',
    (highest + 1n).toString(),
    '9'.repeat(79),
  ]) {
    t.regex(problems(cents(value, 'USD')).join(), /^\/payment\/amount\/value /, value);
  }
  t.deepEqual(problems(withAmount({ value: 1, unit: 'minor', currency: 'USD' })), [
    '/payment/amount/value invalid_type',
  ]);
});

test('an amount that cannot be priced is accepted with a warning', t => {
  for (const [amount, expected] of [
    [{ value: '1', unit: 'minor', currency: 'EUR' }, '/e/payment/amount/currency not_priced'],
    [{ value: '1', unit: 'atomic', asset: { ...usdc, network: 'ethereum' } }, '/e/payment/amount/asset unknown_asset'],
    [
      { value: '1', unit: 'atomic', asset: { ...usdc, address: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42' } },
      '/e/payment/amount/asset not_priced',
    ],
  ] as const) {
    const result = normalizeEvent(withAmount(amount), { now, max_age_days: 400, rates: noRates, pointer: '/e' });
    t.deepEqual(result.ok && result.warnings.map(({ path, code }) => `${path} ${code}`), [expected]);
    t.like(normalized(withAmount(amount)), { usd_micro: null, usd_minor: null });
  }
});

test('a euro token is priced at the rate of the euro, which is kept', t => {
  const rates = { rateFor: (currency: string) => loadedRate(currency === 'EUR' ? '1.1' : undefined) };
  const asset = { ...usdc, address: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42' };
  t.like(normalized(withAmount({ value: '12000000000', unit: 'atomic', asset }), rates), {
    usd_micro: '13200000000',
    usd_minor: '1320000',
    usd_rate: { usd_per_unit: '1.1' },
  });
});

test('an amount that comes to more dollars than can be stored is accepted without a price and without a rate', t => {
  const rates = { rateFor: () => loadedRate('999999999999') };
  const amount = { value: String(2n ** 256n - 1n), unit: 'minor', currency: 'JPY' };
  t.like(normalized(withAmount(amount), rates), { usd_micro: null, usd_minor: null, usd_rate: null });
});

test('a Solana mint keeps its case, and its network its genesis hash', t => {
  const asset = { network: 'solana', address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' };
  t.like(normalized(withAmount({ value: '1230000', unit: 'atomic', asset })), {
    amount_denomination: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    usd_minor: '123',
  });
});
