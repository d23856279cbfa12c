import test from 'ava';
import { rangeOf } from '#api/dashboard/browser/parts/period.ts';

test('a period is one of those offered; any other word in an address is none', t => {
  const now = new Date('2026-11-20T12:34:00.000Z');
  t.is(rangeOf({ period: '24h' }, now).from, '2026-11-19T13:00:00.000Z');
  for (const period of ['constructor', '__proto__', 'toString', 'custom', 'x', ''])
    t.deepEqual(rangeOf({ period, from: '2026-11-01' }, now), { from: '2026-11-01', to: undefined }, period);
});
