import test from 'ava';
import { judge, verdict } from './held.ts';

const at = (type: string, parameters: Record<string, unknown>, at: string) => verdict(type, parameters, {}, { at });
const outside = 'breach outside_window';

test('the first and the last moment of the dates of a payment belong to them', t => {
  const dates = { not_before: '2026-12-01T00:00:00+01:00', not_after: '2026-12-24T00:00:00Z' };
  t.is(at('execution_date', dates, '2026-11-30T22:59:59.999Z'), outside);
  t.is(at('execution_date', dates, '2026-11-30T23:00:00Z'), 'compliant');
  t.is(at('execution_date', dates, '2026-12-24T00:00:00Z'), 'compliant');
  t.is(at('execution_date', dates, '2026-12-24T00:00:00.001Z'), outside);
  t.is(at('execution_date', { not_after: dates.not_after }, '2001-01-01T00:00:00Z'), 'compliant');
  t.like(judge('execution_date', { not_after: dates.not_after }), { limit: '../2026-12-24T00:00:00.000Z' });
});

const office = { days: ['mon', 'fri'], from: '09:00', to: '18:00', tz: 'Europe/Berlin' };
const night = { days: ['fri'], from: '22:00', to: '06:00' };
const early = { days: ['sun'], from: '02:00', to: '03:00' };

// 2026-11-20 is a Friday.
const clocks: [what: string, parameters: Record<string, unknown>, at: string, expected: string][] = [
  ['before it opens', office, '2026-11-20T07:59:59.999Z', outside],
  ['as it opens', office, '2026-11-20T08:00:00Z', 'compliant'],
  ['before it closes', office, '2026-11-20T16:59:59.999Z', 'compliant'],
  ['as it closes', office, '2026-11-20T17:00:00Z', outside],
  ['in summer an hour earlier', office, '2026-07-24T07:00:00Z', 'compliant'],
  ['on another day', office, '2026-11-19T10:00:00Z', outside],
  ['before the night', night, '2026-11-20T21:59:59Z', outside],
  ['as the night begins', night, '2026-11-20T22:00:00Z', 'compliant'],
  ['past midnight', night, '2026-11-21T05:59:59Z', 'compliant'],
  ['as the night ends', night, '2026-11-21T06:00:00Z', outside],
  ['in the night before', night, '2026-11-20T01:00:00Z', outside],
  ['in the night after', night, '2026-11-21T23:00:00Z', outside],
  ['the last minute of the day', { from: '00:00', to: '24:00' }, '2026-11-20T23:59:59.999Z', 'compliant'],
  [
    'Friday there and Thursday in UTC',
    { ...office, days: ['fri'], from: '00:00', to: '01:00', tz: 'Asia/Kathmandu' },
    '2026-11-19T18:15:00Z',
    'compliant',
  ],
  [
    'Thursday there and in UTC',
    { ...office, days: ['fri'], from: '00:00', to: '01:00', tz: 'Asia/Kathmandu' },
    '2026-11-19T18:14:59Z',
    outside,
  ],
  ['an hour shown for the first time', { ...early, tz: 'Europe/Berlin' }, '2026-10-25T00:30:00Z', 'compliant'],
  ['an hour shown for the second time', { ...early, tz: 'Europe/Berlin' }, '2026-10-25T01:30:00Z', 'compliant'],
  ['after an hour shown twice', { ...early, tz: 'Europe/Berlin' }, '2026-10-25T02:00:00Z', outside],
  ['before an hour left out', { ...early, tz: 'Europe/Berlin' }, '2026-03-29T00:59:59Z', outside],
  ['after an hour left out', { ...early, tz: 'Europe/Berlin' }, '2026-03-29T01:00:00Z', outside],
  [
    'in New York in spring',
    { ...early, from: '03:00', to: '04:00', tz: 'America/New_York' },
    '2026-03-08T07:00:00Z',
    'compliant',
  ],
  ['half an hour left out on Lord Howe', { ...early, tz: 'Australia/Lord_Howe' }, '2026-10-03T15:30:00Z', 'compliant'],
  ['half an hour before that', { ...early, tz: 'Australia/Lord_Howe' }, '2026-10-03T15:29:59Z', outside],
];

for (const [what, parameters, time, expected] of clocks)
  test(`the clocks of the zone decide: ${what}`, t => t.is(at('time_of_day', parameters, time), expected));

test('the time on the clocks is shown', t => {
  t.like(judge('time_of_day', office), {
    observed: 'fri 11:00 Europe/Berlin',
    limit: 'mon fri 09:00-18:00 Europe/Berlin',
  });
});
