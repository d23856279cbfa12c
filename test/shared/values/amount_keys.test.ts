import test from 'ava';
import { amountKeys } from '#shared/values/amount_keys.ts';

const among = (text: string, whole: string): boolean => {
  const keys = new Set(amountKeys(text));
  return amountKeys(whole).every(key => keys.has(key)) && amountKeys(whole).length > 0;
};

test('an amount is looked for in the currencies and tokens that its text can mean', t => {
  t.is(amountKeys('35.77 USD').length, 1);
  for (const text of ['35.77', '$35.77', 'USD 35.77', '35.77 usd', '$35.770']) t.true(among(text, '35.77 USD'), text);
  for (const text of ['35.77', '$35.77', '35.77 USDC']) t.true(among(text, '35.77 USDC'), text);
  t.true(among('$1,234.50', '1234.5 USD'));
  t.true(among('35', '35 JPY'));
  t.false(among('35.77', '36 JPY'), 'yen have no decimals');
  t.false(among('$35', '35 EUR'));
  t.false(among('€35', '35 USDC'));
  t.true(among('0.001', '0.001 USDC'));
});

test('what is no amount has no keys', t => {
  for (const text of [
    '',
    'USD',
    '35.77.1',
    '12,34',
    '1e5',
    '-5',
    'shop',
    '$',
    'evt_1',
    '5 NOSUCH',
    `${'9'.repeat(31)}`,
  ])
    t.deepEqual(amountKeys(text), [], text);
});
