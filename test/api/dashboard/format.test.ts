import test from 'ava';
import { limitText, wordsOf } from '#api/dashboard/browser/parts/format.ts';

const usdc = { asset: { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' } };

test('a limit of a mandate is shown as money, to the last part of a cent', t => {
  t.regex(limitText('17900', { currency: 'EUR' }), /179\.00/);
  t.regex(limitText('0.1', { currency: 'USD' }), /0\.001/);
  t.regex(limitText('12.5', { currency: 'JPY' }), /12\.5/);
  t.is(limitText('594000', usdc), '0.594 USDC');
});

test('what of a mandate is not in money stays as it is', t => {
  t.is(limitText('eip155:8453', usdc), 'eip155:8453');
  t.is(limitText('7', undefined), '7');
  t.is(limitText('5734', { values: ['5734'] } as never), '5734');
  t.is(limitText('2026-11-22T00:00:00.000Z', { currency: 'USD' }), '2026-11-22T00:00:00.000Z');
});

test('words of the API are written as people write them', t => {
  t.is(wordsOf('new_payee_high_amount'), 'New payee high amount');
  t.is(wordsOf('payment.amount_range'), 'Amount range');
  t.is(wordsOf('ap2_mandate'), 'AP2 mandate');
  t.is(wordsOf('x402_authorization'), 'x402 authorization');
  t.is(wordsOf('sepa'), 'SEPA');
});
