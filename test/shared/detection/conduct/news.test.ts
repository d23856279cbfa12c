import test from 'ava';
import { DAY } from '#shared/values/time.ts';
import { type EventStep, every, noon } from '#test/helpers/play.ts';
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
