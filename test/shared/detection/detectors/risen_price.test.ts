import test from 'ava';
import { every, HOUR, MINUTE, noon, play, type EventStep } from '#test/helpers/play.ts';
import { conduct } from '../conduct/judged.ts';

const run = (steps: EventStep[], params = {}) => play(steps, 'price_drift', { params });
const call: Partial<EventStep> = { rail: 'x402', resource_key: 'quotes' };
/** Calls of one price every hour, up to noon. */
const calls = (usd: number, count: number): EventStep[] => every(HOUR, count, noon - count * HOUR, { ...call, usd });
const after = (usd: number, count: number, more: Partial<EventStep> = {}): EventStep[] =>
  every(MINUTE, count, noon, { ...call, usd, ...more });

test('the rise of a fixed price of cents is told once, when it has come to five cents in all', t => {
  const list = [...calls(0.002, 40), ...after(0.006, 60)];
  const [finding, ...more] = run(list);
  t.deepEqual(more, []);
  t.is(finding?.title, 'The price of {payee} has risen from $0.002 to $0.006');
  t.regex(
    finding?.explanation ?? '',
    /^The agent's last 13 payments to \{payee\} for the same resource cost \$0\.006 each, and those before them \$0\.002 each: 3 times as much, and \$0\.052 more in all\./,
  );
  t.deepEqual(finding?.counted, { payments: 13 });
  t.deepEqual(
    finding?.seqs.toSorted((a, b) => a - b),
    Array.from({ length: 13 }, (_, index) => 41 + index),
  );
  const [judged, ...others] = conduct(list);
  t.deepEqual(others, []);
  t.like(judged, { detector: 'price_drift', title: finding?.title });
  t.is(judged?.counted?.payments, 13);
});

test('a rise is one from a fixed price to another, by half, and of five payments or more', t => {
  t.is(run([...calls(0.02, 40), ...after(0.06, 5)]).length, 1);
  t.deepEqual(run([...calls(0.02, 40), ...after(0.06, 4)]), []);
  t.deepEqual(run([...calls(0.02, 11), ...after(0.06, 9)]), [], 'too few are known');
  t.is(run([...calls(0.02, 12), ...after(0.06, 9)]).length, 1);
  t.deepEqual(run([...calls(0.02, 40), ...after(0.029, 40)]), [], 'less than half');
  t.deepEqual(run([...calls(0.06, 40), ...after(0.02, 40)]), [], 'it has fallen');
  const varied = calls(0.02, 40).map((step, index) => ({ ...step, usd: index % 10 === 0 ? 0.03 : 0.02 }));
  t.deepEqual(run([...varied, ...after(0.06, 40)]), [], 'it never was fixed');
  t.deepEqual(run([...calls(0.02, 40), ...after(0.06, 40, { resource_key: 'news' })]), [], 'for something else');
  t.deepEqual(run([...calls(0.02, 40), ...after(0.06, 40, { payee_id: 'pye_2' })]), []);
  t.deepEqual(run([...calls(0.002, 40), ...after(0.006, 60)], { least_usd: '1' }), [], 'as little as was set');
});

test('in whatever order and however many at a time payments come, and whether they settle at once, the rise is told once', t => {
  const list = [...calls(0.002, 40), ...after(0.006, 60)];
  const told = (steps: EventStep[]) => run(steps).map(({ title }) => title);
  const title = 'The price of {payee} has risen from $0.002 to $0.006';
  t.deepEqual(
    told(list.map((step, index) => ({ ...step, at: index < 40 ? step.at : noon + Math.floor((index - 40) / 5) }))),
    [title],
  );
  const named = list.map((step, index) => ({ ...step, payment_id: `call-${index}` }));
  const authorized = named.map((step): EventStep => ({ ...step, type: 'payment.authorized' }));
  const settled = named.map(step => ({ ...step, at: noon + 2 * HOUR }));
  t.deepEqual(told([...named.slice(0, 40), ...authorized.slice(40), ...settled.slice(40)]), [title]);
  const [first = [], last = []] = [list.slice(0, 42), list.slice(42)];
  t.deepEqual(told([...first, ...last.toReversed()]), [title], 'the latest first');
  t.is(run([...calls(0.03, 40), ...after(0.033, 40)], { ratio: 1.1 }).length, 1, 'exactly as many times');
});
