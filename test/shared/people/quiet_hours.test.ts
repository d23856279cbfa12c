import test from 'ava';
import { nextAt, quietUntil } from '#shared/people/quiet_hours.ts';

const at = (text: string) => Date.parse(text);
const night = { from: '22:00', to: '07:00' };

test('quiet hours over midnight hold what comes in the evening and at night until the morning of their zone', t => {
  const until = (text: string) => {
    const end = quietUntil(night, 'Europe/Berlin', at(text));
    return end === null ? null : new Date(end).toISOString();
  };
  t.is(until('2026-11-20T20:59:00.000Z'), null);
  t.is(until('2026-11-20T21:00:00.000Z'), '2026-11-21T06:00:00.000Z');
  t.is(until('2026-11-21T05:59:59.000Z'), '2026-11-21T06:00:00.000Z');
  t.is(until('2026-11-21T06:00:00.000Z'), null);
});

test('quiet hours within a day end on it, and none hold nothing', t => {
  const lunch = { from: '12:00', to: '13:30' };
  t.is(quietUntil(lunch, 'UTC', at('2026-11-20T12:30:00.000Z')), at('2026-11-20T13:30:00.000Z'));
  t.is(quietUntil(lunch, 'UTC', at('2026-11-20T13:30:00.000Z')), null);
  t.is(quietUntil(null, 'UTC', at('2026-11-20T12:30:00.000Z')), null);
});

test('quiet hours that end in an hour which clocks show twice end the first time, and not a day later', t => {
  const late = { from: '22:00', to: '02:30' };
  t.is(quietUntil(late, 'Europe/Berlin', at('2026-10-25T00:29:00.000Z')), at('2026-10-25T00:30:00.000Z'));
  t.is(quietUntil(late, 'Europe/Berlin', at('2026-10-25T01:15:00.000Z')), null);
});

test('quiet hours within an hour that clocks pass over are none on that day', t => {
  const short = { from: '02:10', to: '02:50' };
  t.is(quietUntil(short, 'Europe/Berlin', at('2026-03-28T01:20:00.000Z')), at('2026-03-28T01:50:00.000Z'));
  for (const time of ['00:59', '01:00', '01:20'])
    t.is(quietUntil(short, 'Europe/Berlin', at(`2026-03-29T${time}:00.000Z`)), null, time);
});

test('the next eight o’clock is tomorrow’s when today’s is over, and one that the clocks pass over is the first moment after it', t => {
  t.is(nextAt(at('2026-11-20T07:00:00.000Z'), 'Europe/Berlin', '08:00'), at('2026-11-21T07:00:00.000Z'));
  t.is(nextAt(at('2026-11-20T06:59:00.000Z'), 'Europe/Berlin', '08:00'), at('2026-11-20T07:00:00.000Z'));
  t.is(nextAt(at('2026-03-28T23:30:00.000Z'), 'Europe/Berlin', '02:30'), at('2026-03-29T01:00:00.000Z'));
});
