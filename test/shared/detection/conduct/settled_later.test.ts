import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { every, HOUR, noon } from '#test/helpers/play.ts';
import { conduct } from './judged.ts';

const buys = every(12 * HOUR, 40, noon - 20 * DAY).map((step, index) => ({
  ...step,
  usd: 18 + (index % 5),
  payee_id: 'shop',
}));
const held = { at: noon, payment_id: 'large', payee_id: 'workshop', type: 'payment.authorized' as const };
const settles = { ...held, at: noon + 2 * DAY, type: 'payment.settled' as const };
const seqsOf = (...steps: Parameters<typeof conduct>[0]) => conduct([...buys, ...steps]).map(({ seqs }) => seqs.join());

test('what was told when it was authorized is not told anew when it settles, at the rate of another day or for less', t => {
  const authorized = { ...held, usd: 600, price_key: '510 EUR' };
  const told = seqsOf(authorized);
  t.is(told.length, 1);
  t.deepEqual(seqsOf(authorized, { ...settles, usd: 606, price_key: '510 EUR' }), told);
  t.deepEqual(seqsOf(authorized, { ...settles, usd: 590, price_key: '500 EUR' }), told);
});

test('what settles for more than was authorized is looked at again', t => {
  const authorized = { ...held, usd: 20, price_key: '17 EUR' };
  t.deepEqual(seqsOf(authorized), []);
  const told = conduct([...buys, authorized, { ...settles, usd: 606, price_key: '510 EUR' }]);
  t.true(told.some(({ detector, explanation }) => detector === 'spend_velocity' && explanation.includes('$606.00')));
});

test('a settlement is looked at where nothing was known of the price before, its rate has changed by more than rates do, or another is paid', t => {
  const known = { ...held, usd: 20, price_key: '1 TOK' };
  for (const authorized of [{ ...known, usd: null }, known])
    t.true(seqsOf(authorized, { ...settles, usd: 606, price_key: '1 TOK' }).length > 0);
  const told = (payee_id: string) =>
    seqsOf({ ...held, usd: 600, price_key: 'a' }, { ...settles, usd: 590, price_key: 'a', payee_id });
  t.true(told('stranger').length > told('workshop').length);
  const same = { ...settles, usd: 600, price_key: 'a', payee_id: 'workshop 2' };
  t.deepEqual(seqsOf({ ...held, usd: 600, price_key: 'a' }, same), told('workshop'), 'the same under another key');
});
