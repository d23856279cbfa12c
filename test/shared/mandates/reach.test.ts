import test from 'ava';
import { affectedUntil, horizon } from '#shared/mandates/reach.ts';
import { time } from './held.ts';

const AT = '2026-11-20T10:00:00.000Z';
const ANCHOR = time('2026-11-12T00:00:00Z');
const budget = (interval: string, window = 'calendar') => ({
  type: 'payment.budget',
  max: '1',
  currency: 'USD',
  interval,
  window,
  tz: 'Europe/Berlin',
});
const recurrence = (frequency: string, more = {}) => ({ type: 'payment.agent_recurrence', frequency, ...more });
const rails = { type: 'payment.allowed_rails', values: ['card'] };

const reaches: [what: string, constraints: { type: string }[], from: string | null, until: string | null][] = [
  ['nothing', [], AT, AT],
  ['one payment', [rails, { type: 'checkout.unknown' }], AT, AT],
  ['a calendar day', [rails, budget('daily')], '2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z'],
  ['24 hours', [budget('daily', 'rolling')], '2026-11-19T10:00:00.001Z', '2026-11-21T10:00:00.000Z'],
  [
    'a minute',
    [{ type: 'payment.velocity', max: 1, window_s: 60 }].map(it => it),
    '2026-11-20T09:59:00.001Z',
    '2026-11-20T10:01:00.000Z',
  ],
  ['two weeks', [recurrence('BIWEEKLY')], '2026-11-09T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
  ['the longer of two', [budget('hourly'), budget('monthly')], '2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z'],
  ['on demand', [recurrence('ON_DEMAND')], AT, AT],
  ['so many occurrences', [budget('daily'), recurrence('DAILY', { max_occurrences: 3 })], null, null],
  ['the whole mandate', [budget('per_mandate'), budget('daily')], null, null],
];

for (const [what, constraints, from, until] of reaches)
  test(`payments matter to each other as far as the constraints reach: ${what}`, t => {
    t.is(horizon(constraints, time(AT), ANCHOR), from === null ? null : time(from));
    t.is(affectedUntil(constraints, time(AT), ANCHOR), until === null ? null : time(until));
  });
