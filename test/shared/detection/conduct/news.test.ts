import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { type EventStep, every, HOUR, MINUTE, noon } from '#test/helpers/play.ts';
import { conduct } from './judged.ts';

/** An agent that pays once a day for sixty days, six payees in turn: it comes to know one every so many days, and pays each $400 at first. */
function daily(apart: number): EventStep[] {
  const met = new Set<string>();
  return every(DAY, 60, noon - 60 * DAY, {}).map((step, day) => {
    const payee_id = `known ${day % Math.min(6, 1 + Math.floor(day / apart))}`;
    const is_new = !met.has(payee_id);
    met.add(payee_id);
    return { ...step, usd: is_new ? 400 : 200 * 2 ** ((day % 10) / 4), payee_id };
  });
}

test('who has met nobody new for weeks pays somebody new less likely than who meets one every ten days', t => {
  const stranger = { at: noon, usd: 2_000, payee_id: 'stranger' };
  t.deepEqual(
    conduct([...daily(1), stranger]).map(({ detector }) => detector),
    ['new_payee_high_amount'],
  );
  t.deepEqual(conduct([...daily(10), stranger]), []);
});

/** An agent that pays so many payees an hour for eight hours of a day, for twelve days until noon, each of them new where `are_new`. */
const desk = (an_hour: number, are_new: boolean): EventStep[] =>
  every(HOUR, 12 * 24, noon - 12 * DAY, {})
    .filter((_, hour) => hour % 24 < 8)
    .flatMap((step, hour) =>
      every(MINUTE, 1 + ((hour * 7) % an_hour), step.at, {}).map((each, index) => ({
        ...each,
        usd: 20 + ((hour + index) % 9),
        payee_id: are_new ? `customer ${hour}-${index}` : `shop ${index}`,
      })),
    );

test('new payees are no news of an agent that hardly pays anybody twice, however many payments are', t => {
  const rush = every(MINUTE, 14, noon, {}).map((step, index) => ({ ...step, usd: 22, payee_id: `stranger ${index}` }));
  const told = (are_new: boolean) => conduct([...desk(5, are_new), ...rush]).map(({ detector }) => detector);
  t.true(told(false).includes('payee_fan_out'));
  t.false(told(true).includes('payee_fan_out'));
});
