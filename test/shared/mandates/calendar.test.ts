import test from 'ava';
import * as fc from 'fast-check';
import { createCalendar, fortnightOf, type Interval } from '#shared/mandates/calendar.ts';
import { time } from './held.ts';
import { runs } from '#test/helpers/runs.ts';

// Zones that change their clocks by an hour, half an hour, two hours, a day (Apia 2011), at midnight (Havana, Cairo), backwards in
// winter (Dublin), around Ramadan (Casablanca), and not at all.
const zones =
  'UTC Europe/Berlin America/New_York Asia/Kathmandu Australia/Lord_Howe Antarctica/Troll Pacific/Apia America/Havana Africa/Cairo America/Sao_Paulo Europe/Dublin Africa/Casablanca Pacific/Kiritimati Pacific/Pago_Pago'.split(
    ' ',
  );
const moment = fc.integer({ min: time('2005-01-01T00:00:00Z'), max: time('2035-01-01T00:00:00Z') });

/** What the clocks show, as another part of Intl tells it. */
function shown(zone: string, at: number, interval: Interval): string {
  const clock = new Date(at).toLocaleString('sv-SE', { timeZone: zone, timeZoneName: 'longOffset' });
  const [date = '', rest = '', offset = ''] = clock.split(' ');
  const [year = '', month = ''] = date.split('-');
  // A Monday that is no more than six days before the date.
  const monday = Math.floor((Date.parse(date) / 86_400_000 + 3) / 7);
  const quarter = Math.floor((Number(month) - 1) / 3);
  return {
    hourly: `${date} ${rest.slice(0, 2)} ${offset}`,
    daily: date,
    weekly: String(monday),
    monthly: `${year}-${month}`,
    quarterly: `${year} ${quarter}`,
    yearly: year,
  }[interval];
}

for (const interval of ['hourly', 'daily', 'weekly', 'monthly', 'quarterly', 'yearly'] as const)
  test(`a period is exactly the time in which the calendar shows the same: ${interval}`, t => {
    const calendars = new Map(zones.map(zone => [zone, createCalendar(interval, zone)]));
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, (zone, at) => {
        const period = calendars.get(zone)?.(at) ?? { start: 0, end: 0 };
        t.true(period.start <= at && at < period.end);
        const now = shown(zone, at, interval);
        for (const within of [period.start, period.end - 1]) t.is(shown(zone, within, interval), now);
        for (const beyond of [period.start - 1, period.end]) t.not(shown(zone, beyond, interval), now);
      }),
      { numRuns: runs(500) },
    );
  });

test('a day that was left out is in no period, and its neighbors meet', t => {
  const dayOf = createCalendar('daily', 'Pacific/Apia');
  t.deepEqual(dayOf(time('2011-12-30T09:59:59Z')), {
    start: time('2011-12-29T10:00:00Z'),
    end: time('2011-12-30T10:00:00Z'),
  });
  t.is(dayOf(time('2011-12-30T10:00:00Z')).start, time('2011-12-30T10:00:00Z'));
});

test('an hour that the clocks show twice is two, and one of which they leave out half is half an hour', t => {
  const berlin = createCalendar('hourly', 'Europe/Berlin');
  t.is(berlin(time('2026-10-25T00:30:00Z')).start, time('2026-10-25T00:00:00Z'));
  t.is(berlin(time('2026-10-25T01:30:00Z')).start, time('2026-10-25T01:00:00Z'));
  const howe = createCalendar('hourly', 'Australia/Lord_Howe');
  const half = { start: time('2026-10-03T15:30:00Z'), end: time('2026-10-03T16:00:00Z') };
  t.deepEqual(howe(half.start), half);
  t.deepEqual(howe(half.end - 1), half);
});

test('blocks of two weeks begin with the week of the anchor and follow each other without a gap', t => {
  fc.assert(
    fc.property(moment, moment, (at, anchor) => {
      const block = fortnightOf(at, anchor);
      t.true(block.start <= at && at < block.end);
      t.is(new Date(block.start).getUTCDay(), 1);
      t.is(fortnightOf(block.end, anchor).start, block.end);
      const first = fortnightOf(anchor, anchor);
      t.true(anchor - first.start < 7 * 86_400_000);
      t.is(Math.abs(block.start - first.start) % (14 * 86_400_000), 0);
    }),
  );
});
