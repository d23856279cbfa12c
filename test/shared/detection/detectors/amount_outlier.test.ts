import test from 'ava';
import { every, HOUR, noon, play } from '#test/helpers/play.ts';

const run = (steps: Parameters<typeof play>[0]) => play(steps, 'amount_outlier');
const usual = Array.from({ length: 30 }, (_, index) => ({ at: noon - (30 - index) * HOUR, usd: 8 + (index % 5) }));

test('an amount far above the usual raises an alert that compares it with the median', t => {
  const [finding] = run([...usual, { at: noon, usd: 100 }]);
  t.is(finding?.subject, 'pye_1');
  t.regex(finding?.explanation ?? '', /\$100\.00 is 10 times the median of \$10\.00/);
  t.true((finding?.score ?? 0) > 90);
});

test('nothing is said of usual amounts, of too short a history, or of less than a dollar', t => {
  t.deepEqual(run([...usual, { at: noon, usd: 14 }]), []);
  t.deepEqual(run([...usual.slice(0, 19), { at: noon, usd: 500 }]), []);
  t.deepEqual(run([...every(HOUR, 30, noon - 30 * HOUR, { usd: 0.01 }), { at: noon, usd: 0.9 }]), []);
});

test('amounts that are always the same do not make an outlier of a small difference', t => {
  const same = every(HOUR, 40, noon - 40 * HOUR, { usd: 10 });
  t.deepEqual(run([...same, { at: noon, usd: 10.8 }]), []);
  t.is(run([...same, { at: noon, usd: 20 }]).length, 1);
});

test('with enough payments to a payee, the payee is what is compared with', t => {
  const cheap = every(HOUR, 25, noon - 60 * HOUR, { usd: 2, payee_id: 'pye_cheap' });
  const dear = every(HOUR, 25, noon - 30 * HOUR, { usd: 200, payee_id: 'pye_dear' });
  t.false(run([...cheap, ...dear, { at: noon, usd: 210, payee_id: 'pye_dear' }]).some(({ seq }) => seq === 51));
  t.regex(
    run([...cheap, ...dear, { at: noon, usd: 200, payee_id: 'pye_cheap' }]).at(-1)?.explanation ?? '',
    /of this agent to \{payee\}/,
  );
});

test('a low amount is no outlier, and a payment is judged once', t => {
  t.deepEqual(run([...usual, { at: noon, usd: 1 }]), []);
  const twice = [
    { at: noon, usd: 100, payment_id: 'x', type: 'payment.authorized' as const },
    { at: noon + 1000, usd: 100, payment_id: 'x' },
  ];
  t.is(run([...usual, ...twice]).length, 1);
});
