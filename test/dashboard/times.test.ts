import test from 'ava';
import { localTimes, timeText } from '#api/dashboard/browser/parts/format.ts';

const noon = timeText('2026-11-20T12:00:05Z');

test('times in an explanation are in the zone of the reader, and written as everywhere', t => {
  t.is(localTimes('since 2026-11-20 12:00:05 UTC.'), `since ${noon}.`);
  t.is(localTimes('from 2026-11-20 12:00:05 to 12:03:10 UTC'), `from ${noon} to ${timeText('2026-11-20T12:03:10Z')}`);
  t.is(
    localTimes('from 2026-11-20 12:00:05 to 2026-11-21 00:00:00 UTC'),
    `from ${noon} to ${timeText('2026-11-21T00:00:00Z')}`,
  );
  t.is(localTimes('it expired at 2026-11-20T12:00:05.000Z; more'), `it expired at ${noon}; more`);
  t.is(localTimes('first paid on 2026-11-20)'), 'first paid on Nov 20, 2026)');
});

test('a name that has a day in it stays as it is', t => {
  t.is(localTimes('the mandate “Invoice 2026-11-20”'), 'the mandate “Invoice 2026-11-20”');
});

test('a zone that is named by the opposite of its offset is written as the offset', t => {
  t.is(localTimes('budget of the day (Etc/GMT-1): spent'), 'budget of the day (UTC+1): spent');
  t.is(localTimes('paid at fri 22:00 Etc/GMT+10'), 'paid at fri 22:00 UTC-10');
  t.is(localTimes('(Europe/Berlin)'), '(Europe/Berlin)');
});
