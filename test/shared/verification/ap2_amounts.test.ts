import test from 'ava';
import { checkAmount } from '#shared/verification/ap2/amounts.ts';
import { createChecklist } from '#shared/verification/checklist.ts';
import { reported } from '#test/helpers/proofs/shown.ts';

test('an amount that does not match is told as people write money', t => {
  for (const [currency, paid, authorized, event] of [
    ['EUR', 3_464n, '27.71 EUR', '34.64 EUR'],
    ['EUR', 5n, '27.71 EUR', '0.05 EUR'],
    ['JPY', 3_464n, '2771 JPY', '3464 JPY'],
    ['KWD', 3_464n, '2.771 KWD', '3.464 KWD'],
    ['XYZ', 3_464n, '2771 minor units of XYZ', '3464 minor units of XYZ'],
  ] as const) {
    const list = createChecklist();
    const amount = { value: paid, denomination: currency, currency, asset: null };
    checkAmount(list, { value: 2_771n, currency }, reported({ amount }));
    const failed = list.outcome().checks.find(({ result }) => result === 'fail');
    t.is(failed?.detail, `${authorized} were authorized, the event says ${event}`);
  }
});
