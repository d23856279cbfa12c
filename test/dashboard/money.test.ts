import test from 'ava';
import { amountText, usdSum } from '#api/dashboard/browser/parts/format.ts';

const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const token = (address: string, more = {}) => ({
  value: '2000',
  unit: 'atomic' as const,
  asset: { network: 'eip155:8453', address, ...more },
});

test('a known token is called by its name, whatever the event calls it', t => {
  t.is(amountText(token(BASE_USDC)), '0.002 USDC');
  t.is(amountText(token(BASE_USDC, { symbol: 'DAI', decimals: 6 })), '0.002 USDC');
});

test('a token that only calls itself USDC is told from USDC by its address', t => {
  const address = `0x${'1'.repeat(40)}`;
  t.is(amountText(token(address, { symbol: 'USDC', decimals: 6 })), '0.002 USDC (0x111111…1111)');
  t.is(amountText(token(address)), '2,000 atomic units of 0x111111…1111');
});

test('a sum of more digits than a float has is shown as money', t => {
  t.is(usdSum(1e23), '$999,999,999,999,999,916,113.92');
});
