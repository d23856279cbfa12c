import test from 'ava';
import { noon, play } from '#test/helpers/play.ts';
import { DAY } from '#shared/values/time.ts';

const priceOf = (usd: number) => `${usd} USD`;

/** On a day, at one of three merchants unless it is another: a sum is held, and so much settled. */
const filled = (day: number, usd: number, { hold = 1, at = `pye_${day % 3}` } = {}) =>
  [
    { type: 'payment.authorized' as const, usd: hold, price_key: priceOf(hold) },
    { usd, price_key: priceOf(usd) },
  ].map(step => ({
    ...step,
    at: noon + day * DAY,
    payment_id: `p${day}`,
    payee_id: at,
    rail: 'card' as const,
  }));
const told = (...steps: ReturnType<typeof filled>[]) => play(steps.flat(), 'price_drift').length;
const days = [0, 1, 2, 3, 4];
const filledDaily = (usd: number, hold = 1) => days.map(day => filled(day, usd, { hold }));

test('what pumps and chargers settle above what they hold is told until it is known for a hold, wherever it is', t => {
  t.is(told(...filledDaily(60)), 5);
  t.is(told(...filledDaily(60), filled(5, 75, { at: 'pye_new' })), 5);
  t.is(told(...filledDaily(60), filled(5, 75.01)), 6, 'a quarter more than ever is told');
  t.is(told(...filledDaily(180, 100), filled(5, 200, { hold: 100 })), 5, 'whatever they hold');
  t.is(told(...filledDaily(180, 100), filled(5, 200, { hold: 97 })), 5, 'at the rate of another day');
  t.is(told(...filledDaily(180, 100), filled(5, 200, { hold: 96 })), 6, 'another sum is another hold');
});

test('what mostly settles as authorized, or at two merchants, is a price', t => {
  const asAuthorized = (day: number) => filled(day, 1);
  t.is(told(...filledDaily(60), asAuthorized(5), filled(6, 60)), 5);
  t.is(told(...filledDaily(60), asAuthorized(5), asAuthorized(6), filled(7, 60)), 6);
  t.is(told(...filledDaily(995, 1_000), filled(5, 1_240, { hold: 1_000 })), 1, 'a little less is no more');
  const ofTwo = days.map(day => filled(day, 60, { at: `pye_${day % 2}` }));
  t.is(told(...ofTwo, filled(5, 60, { at: 'pye_0' })), 6);
});

test('nobody fills up so often in a day', t => {
  const again = [5, 5.1, 5.2, 5.3].map(day => filled(day, 60, { at: 'pye_0' }));
  t.is(told(...filledDaily(60), ...again), 6);
});
