import test from 'ava';
import { emptyHistory } from '#shared/detection/model/history.ts';
import { forgetOldHours } from '#shared/detection/model/hours.ts';
import { isMuch, keepMinutes, type Minutes, putMinutes, addToMinutes } from '#shared/detection/model/minutes.ts';
import { common, isWithin, joined, missingOf } from '#shared/detection/model/spans.ts';
import { HOUR } from '#shared/values/time.ts';

const span = (from: number, to: number) => ({ from, to });

test('spans that touch become one, whatever their order', t => {
  t.deepEqual(joined([span(5, 7), span(1, 3), span(3, 4), span(6, Infinity)]), [span(1, 4), span(5, Infinity)]);
  t.deepEqual(joined([]), []);
});

test('what is missing of a span is what none of the others has', t => {
  const known = [span(1, 4), span(6, 8), span(20, Infinity)];
  t.deepEqual(missingOf(known, span(0, 10)), [span(0, 1), span(4, 6), span(8, 10)]);
  t.deepEqual(missingOf(known, span(2, 4)), []);
  t.deepEqual(missingOf(known, span(7, Infinity)), [span(8, 20)]);
  t.deepEqual(missingOf([], span(7, 9)), [span(7, 9)]);
});

test('spans have in common what both hold', t => {
  t.deepEqual(common([span(1, 4), span(6, Infinity)], [span(3, 7)]), [span(3, 4), span(6, 7)]);
  t.true(isWithin(3, [span(3, 4)]));
  t.false(isWithin(4, [span(3, 4)]));
});

const minutesAt = (...hours: number[]): Minutes => {
  const minutes: Minutes = new Map();
  for (const hour of hours) addToMinutes(minutes, { at: hour * HOUR, payments: 1, spend_micro: 1n });
  return minutes;
};
const hoursOf = (minutes: Minutes) => [...minutes.keys()].map(hour => hour / HOUR);

test('minutes of many hours are much; those of other times go, and what is read replaces what was there', t => {
  t.false(isMuch(minutesAt(...Array(200).keys())));
  t.true(isMuch(minutesAt(...Array(201).keys())));
  const minutes = minutesAt(1, 2, 3, 4, 9);
  keepMinutes(minutes, [span(2 * HOUR, 4 * HOUR), span(9 * HOUR, Infinity)]);
  t.deepEqual(hoursOf(minutes), [2, 3, 9]);
  putMinutes(minutes, minutesAt(2, 5), [span(2 * HOUR, 6 * HOUR)]);
  t.deepEqual(hoursOf(minutes), [9, 2, 5]);
  t.is(minutes.get(2 * HOUR)?.sum.payments, 1);
});

test('what is forgotten never makes the hours that are known reach further back', t => {
  const hour = (at: number) => ({ hour: at * HOUR, payments: 1, spend_micro: 1n, busiest_minute: 1 });
  const history = { ...emptyHistory(), hours_from: 100 * HOUR };
  // A refund of a payment older than what was read.
  history.hours = [hour(60), ...Array.from({ length: 2_000 }, (_, n) => hour(100 + n))];
  forgetOldHours(history, 90 * HOUR);
  t.is(history.hours.length, 2_000);
  t.is(history.hours_from, 100 * HOUR);
  forgetOldHours(history, 300 * HOUR);
  t.is(history.hours_from, 300 * HOUR);
});
