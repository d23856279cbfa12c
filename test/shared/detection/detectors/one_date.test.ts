import test from 'ava';
import { type EventStep, MINUTE, play } from '#test/helpers/play.ts';
import { DAY } from '#shared/values/time.ts';

const midnight = Date.parse('2026-11-20T00:00:00.000Z');

/** Nine payments of other sums, one a day, before a sum is paid twice, `apart` (milliseconds). */
const withRecord = (usd: number, apart = 0, at = midnight): EventStep[] => [
  ...Array.from({ length: 9 }, (_, day) => ({
    at: midnight - (day + 1) * DAY,
    usd: 61 + day,
    payee_id: `pye_${2 + day}`,
  })),
  { at, usd },
  { at: at + apart, usd },
];

const found = (steps: EventStep[]) => play(steps, 'duplicate_payment').map(({ title }) => title);

test('duplicate: equal payments of which only the date is known are told from $50 on, where nothing came twice on a date before', t => {
  const twice = (usd: number, at = midnight) => [
    { at, usd },
    { at, usd },
  ];
  t.deepEqual(found(twice(25)), []);
  t.deepEqual(found(twice(75)), [], 'nothing is known of what comes twice here');
  t.deepEqual(found(twice(25, midnight + 1)), ['Paid {payee} $25.00 twice'], 'a moment that is known');
  t.deepEqual(found(withRecord(45)), []);
  t.deepEqual(found(withRecord(75)), ['Paid {payee} $75.00 twice']);
  t.deepEqual(found([...twice(60, midnight - 12 * DAY), ...withRecord(75)]), []);
  t.deepEqual(
    found(withRecord(45, 2 * MINUTE)),
    ['Paid {payee} $45.00 twice'],
    'one at midnight, the other soon after',
  );
  const call = (at: number) => ({ at, usd: 25, tool_call_key: 'call_1' });
  t.deepEqual(found([call(midnight), call(midnight)]), ['Paid {payee} $25.00 twice']);
});
