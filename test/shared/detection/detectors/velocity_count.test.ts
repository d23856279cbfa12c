import test from 'ava';
import { every, HOUR, MINUTE, noon, play, SECOND } from '#test/helpers/play.ts';

const run = (steps: Parameters<typeof play>[0]) => play(steps, 'velocity_count');

test('the 21st payment within a minute raises an alert that says the numbers', t => {
  t.deepEqual(run(every(2 * SECOND, 20, noon)), []);
  const [finding] = run(every(2 * SECOND, 21, noon));
  t.is(finding?.seq, 21);
  t.is(finding?.score, 50);
  t.is(finding?.title, '21 payments within 1 min');
  t.regex(finding?.explanation ?? '', /21 payments within 1 min; an alert is raised from 21/);
  t.is(finding?.seqs.length, 21);
});

test('the 201st payment within an hour raises an alert', t => {
  t.deepEqual(run(every(17 * SECOND, 200, noon)), []);
  t.is(run(every(17 * SECOND, 201, noon))[0]?.seq, 201);
});

test('a window shorter by a millisecond is another window', t => {
  t.deepEqual(run([...every(3 * SECOND, 20, noon), { at: noon + MINUTE }]), []);
  t.is(run([...every(3 * SECOND, 20, noon), { at: noon + MINUTE - 1 }]).length, 1);
});

test('the order of arrival does not matter', t => {
  const steps = every(2 * SECOND, 25, noon);
  for (const shuffled of [steps.toReversed(), [...steps.slice(10), ...steps.slice(0, 10)]]) {
    const found = run(shuffled);
    t.true(found.length >= 1);
    t.is(Math.max(...found.map(({ seqs }) => seqs.length)), 25);
  }
});

test('several events of a payment are one payment', t => {
  const steps = every(2 * SECOND, 20, noon).flatMap((step, index) => [
    { ...step, payment_id: `p${index}`, type: 'payment.authorized' as const },
    { ...step, at: step.at + 500, payment_id: `p${index}` },
  ]);
  t.deepEqual(run(steps), []);
});

test('three times what the agent usually does is the threshold once it does more than most', t => {
  // 15 a minute at the start of every hour of a day: the threshold becomes 45.
  const usual = Array.from({ length: 24 }, (_, hour) => every(3 * SECOND, 15, noon - (24 - hour) * HOUR)).flat();
  t.deepEqual(run([...usual, ...every(SECOND, 44, noon)]), []);
  const [finding] = run([...usual, ...every(SECOND, 45, noon)]);
  t.regex(finding?.explanation ?? '', /no more than 15 within 1 min/);
});

test('a busy hour is seen even when it holds more payments than are kept at hand', t => {
  // 120 an hour all day, then 500 in an hour: more than three times as many, and more than the history holds.
  const usual = every(30 * SECOND, 24 * 120, noon - 24 * HOUR);
  t.deepEqual(run(usual), []);
  t.true(run([...usual, ...every(7 * SECOND, 500, noon)]).length > 0);
});

test('a burst that arrives late, after hundreds of later payments, is seen', t => {
  const later = every(8 * SECOND, 300, noon);
  const burst = every(SECOND, 30, noon - 90 * MINUTE);
  t.true(run([...later, ...burst]).length > 0);
});
