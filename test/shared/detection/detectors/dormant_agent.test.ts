import test from 'ava';
import { every, HOUR, noon, play, type EventStep } from '#test/helpers/play.ts';

const run = (steps: EventStep[], params = {}) => play(steps, 'dormant_agent', { params });
const DAY = 24 * HOUR;
/** Five payments, the last of them `days` before noon. */
const active = (days: number, more: Partial<EventStep> = {}) => every(HOUR, 5, noon - days * DAY - 4 * HOUR, more);

test('the first payment after 30 days of silence raises an alert that says since when', t => {
  const [finding, ...more] = run([...active(30), { at: noon }, { at: noon + HOUR }]);
  t.deepEqual(more, []);
  t.like(finding, { seq: 6, score: 75, subject: '', title: 'First payment after 30 d of silence' });
  t.regex(
    finding?.explanation ?? '',
    /last active on 2026-10-21\..* from 30 d .* at least 5 earlier events; this one has 5/,
  );
  t.is(run([...active(60), { at: noon }])[0]?.score, 87.5);
});

test('a millisecond less, fewer than five earlier events, or an agent that is new raise none', t => {
  t.deepEqual(run([...active(30), { at: noon - 1 }]), []);
  t.deepEqual(run([...active(40).slice(1), { at: noon }]), []);
  t.deepEqual(run([{ at: noon }]), []);
});

test('events count, not payments: one payment of five events is activity enough', t => {
  const types = ['requested', 'authorized', 'settled', 'refunded', 'disputed'] as const;
  const one = active(40).map((step, index) => ({
    ...step,
    payment_id: 'x',
    type: `payment.${types[index] ?? 'settled'}` as const,
  }));
  t.is(run([...one, { at: noon }]).length, 1);
});

test('what happens to an old payment ends the silence, but is no payment itself', t => {
  const refund = { at: noon - 9 * DAY, payment_id: 'pay_5', type: 'payment.refunded' as const };
  t.deepEqual(run([...active(40), refund]), []);
  t.deepEqual(run([...active(40), refund, { at: noon }]), []);
});

test('a payment is judged at its first event', t => {
  const steps = (['requested', 'authorized', 'settled'] as const).map((type, index) => ({
    at: noon + index * HOUR,
    payment_id: 'x',
    type: `payment.${type}` as const,
  }));
  t.deepEqual(
    run([...active(40), ...steps]).map(({ seq }) => seq),
    [6],
  );
});

test('events that arrive in another order than they happened are judged by what happened before each', t => {
  const late = { at: noon - 15 * DAY };
  t.deepEqual(run([...active(30), late, { at: noon }]), []);
  const later = every(HOUR, 5, noon + DAY);
  t.deepEqual(
    run([...active(40), ...later, { at: noon }]).map(({ seq, title }) => [seq, title]),
    [
      [6, 'First payment after 41 d of silence'],
      [11, 'First payment after 40 d of silence'],
    ],
  );
  t.deepEqual(run([{ at: noon }, ...active(40)]), []);
});

test('an agent that falls silent for as long every time is not told of again', t => {
  const quarters = [270, 180, 90].flatMap(days => active(days));
  t.deepEqual(
    run([...quarters, { at: noon }]).map(({ seq }) => seq),
    [6],
  );
  t.is(run([...quarters, { at: noon + 90 * DAY }]).length, 2);
});

test('wages of the same day of the month are a schedule; the same agent paying somebody else is not', t => {
  const wages = (start: number) =>
    Array.from({ length: 6 }, (_, index) => ({
      at: start + index * 10_000,
      usd: 2_000 + index,
      payee_id: `pye_${index}`,
    }));
  const lastMonth = wages(Date.parse('2026-10-20T12:00:00.000Z'));
  t.deepEqual(run([...lastMonth, ...wages(noon)]), []);
  t.is(run([...lastMonth, { at: noon, usd: 2_000, payee_id: 'pye_9' }]).length, 1);
  t.is(run([...lastMonth, ...wages(noon + 9 * DAY)]).length, 1);
  t.is(run([...lastMonth, ...wages(noon + 30 * DAY)]).length, 1, 'two months later');
  t.is(run([...active(31), { at: noon }]).length, 1);
});

test('how long a silence has to be is a setting', t => {
  t.is(run([...active(7), { at: noon }], { silence_s: 7 * 86_400 })[0]?.score, 75);
  t.deepEqual(run([...active(40), { at: noon }], { least_events: 6 }), []);
});
