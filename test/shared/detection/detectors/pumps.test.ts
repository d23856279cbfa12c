import test from 'ava';
import { noon, play } from '#test/helpers/play.ts';
import { DAY } from '#shared/values/time.ts';

/** On a day, at one of three pumps unless it is another: a token sum is authorized, and so much settled. */
const filled = (day: number, usd: number, { token = 1, pump = `pye_${day % 3}` } = {}) =>
  [{ type: 'payment.authorized' as const, usd: token, price_key: 'token' }, { usd }].map(step => ({
    ...step,
    at: noon + day * DAY,
    payment_id: `p${day}`,
    payee_id: pump,
    rail: 'card' as const,
  }));
const told = (...steps: ReturnType<typeof filled>[]) => play(steps.flat(), 'price_drift').length;
const days = [0, 1, 2, 3, 4];
const filledDaily = (usd: number, token = 1) => days.map(day => filled(day, usd, { token }));

test('what pumps that an agent knows give after a token authorization is told until it is usual', t => {
  t.is(told(...filledDaily(60)), 5);
  t.is(told(...filledDaily(60), filled(5, 60)), 5);
  t.is(told(...filledDaily(60), filled(5, 60, { pump: 'pye_new' })), 6, 'at another it is told');
  t.is(told(...filledDaily(249), filled(5, 250)), 6, 'none gives more than its limit');
});

test('a short fill, or some cents, say nothing of much', t => {
  t.is(told(...filledDaily(60), filled(5, 190)), 6);
  t.is(told(...filledDaily(2.4, 2), filled(5, 2.4, { token: 2 }), filled(6, 60)), 6);
});

test('nobody fills up so often in a day', t => {
  const again = [5, 5.1, 5.2, 5.3].map(day => filled(day, 60, { pump: 'pye_0' }));
  t.is(told(...filledDaily(60), ...again), 6);
});
