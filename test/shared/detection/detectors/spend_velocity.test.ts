import test from 'ava';
import { every, HOUR, MINUTE, noon, play } from '#test/helpers/play.ts';

const run = (steps: Parameters<typeof play>[0]) => play(steps, 'spend_velocity');
const DAY = 24 * HOUR;

test('more than $50 within an hour raises an alert, exactly $50 does not', t => {
  t.deepEqual(run(every(MINUTE, 5, noon, { usd: 10 })), []);
  const [finding] = run(every(MINUTE, 6, noon, { usd: 10 }));
  t.is(finding?.title, '$60.00 spent within 1 h');
  t.regex(finding?.explanation ?? '', /above \$50\.00/);
});

test('more than $200 within a day raises an alert although no hour was dear', t => {
  const steps = every(100 * MINUTE, 7, noon, { usd: 30 });
  t.deepEqual(run(steps.slice(0, 6)), []);
  t.is(run(steps)[0]?.title, '$210.00 spent within 24 h');
});

test('a payment is spent once: authorized, then settled, costs once', t => {
  const steps = every(MINUTE, 4, noon, { usd: 12 }).flatMap((step, index) => [
    { ...step, payment_id: `p${index}`, type: 'payment.authorized' as const },
    { ...step, at: step.at + 1000, payment_id: `p${index}` },
  ]);
  t.deepEqual(run(steps), []);
});

test('failed and canceled payments cost nothing, and refunds are taken off', t => {
  t.deepEqual(run(every(MINUTE, 9, noon, { usd: 40, type: 'payment.failed' })), []);
  t.deepEqual(
    run([
      { at: noon, usd: 45, payment_id: 'a' },
      { at: noon + MINUTE, usd: 45, payment_id: 'a', type: 'payment.refunded' },
      { at: noon + 2 * MINUTE, usd: 45, payment_id: 'b' },
    ]),
    [],
  );
});

test('five times the usual hour is the threshold of an agent that usually spends more', t => {
  const usual = Array.from({ length: 72 }, (_, hour) => ({ at: noon - (72 - hour) * HOUR, usd: 20 }));
  t.deepEqual(
    run([...usual, { at: noon, usd: 99 }]).filter(({ title }) => title.includes('1 h')),
    [],
  );
  t.regex(
    run([...usual, { at: noon, usd: 101 }]).at(-1)?.explanation ?? '',
    /median active hour of the last 30 days is \$20\.00/,
  );
});

test('thousands of cheap calls are added up although they are more than is kept at hand', t => {
  // $0.05 every 10 s: $18 an hour, and more than $200 after eleven hours and a bit.
  const found = run(every(10_000, 8 * 360 * 4, noon - DAY, { usd: 0.05 }));
  t.true(found.some(({ title }) => title.includes('24 h')));
});

test('a late event counts in the window it belongs to', t => {
  t.is(
    run([
      { at: noon, usd: 30 },
      { at: noon - 30 * MINUTE, usd: 30 },
    ]).length,
    1,
  );
  t.is(
    run([
      { at: noon, usd: 30 },
      { at: noon - 90 * MINUTE, usd: 30 },
    ]).length,
    0,
  );
});
