import test from 'ava';
import { createClock, describeSkew } from '#shared/platform/clock.ts';
import { startApi } from '#api/server.ts';
import { operatorWorld } from '#test/helpers/operator.ts';

const HOUR = 3_600_000;
const start = Date.parse('2026-11-20T10:00:00.000Z');

/** A machine whose clock is off by this, beside a database with the right time, which needs `takes` to answer. */
function machine(off: number) {
  const at = { passed: 0, off, takes: 0 };
  const wall = () => start + at.passed + at.off;
  const ask = async () => {
    at.passed += at.takes / 2;
    const time = start + at.passed;
    at.passed += at.takes / 2;
    return time;
  };
  return { at, wall, truth: () => start + at.passed, clock: createClock(ask, { wall, monotonic: () => at.passed }) };
}

test('where the clock of a machine is hours off, the time of the database counts, and goes on between two looks', async t => {
  for (const off of [2 * HOUR, -2 * HOUR]) {
    const { at, clock, truth } = machine(off);
    at.takes = 40;
    await clock.look();
    t.is(clock.now(), truth());
    t.is(clock.skew(), off);
    at.passed += 7_000;
    t.is(clock.now(), truth());
  }
});

test('a clock that is nearly right is used as it is, and one that jumps is not followed', async t => {
  const { at, clock, wall, truth } = machine(400);
  t.is(clock.now(), wall(), 'nothing is known yet');
  await clock.look();
  t.is(clock.now(), wall());
  at.passed += 5_000;
  t.is(clock.now(), wall());
  at.off = 2 * HOUR;
  t.is(clock.now(), truth());
  t.is(clock.skew(), 2 * HOUR);
  at.off = 400;
  t.is(clock.now(), wall());
});

test('a database that takes long to answer, or does not, tells nothing of the time', async t => {
  const { at, clock, wall } = machine(2 * HOUR);
  at.takes = 3_000;
  await clock.look();
  t.is(clock.skew(), null);
  t.is(clock.now(), wall());
  const away = createClock(() => Promise.reject(new Error('away')), { wall, monotonic: () => at.passed });
  await away.look();
  t.is(away.now(), wall());
});

test('a clock that is more than 30 seconds off is said at /readyz, at /ops and as a metric; the service stays ready', async t => {
  t.is(describeSkew(30_000), null);
  t.is(describeSkew(null), null);
  const w = await operatorWorld(t);
  const { address, stop } = await startApi({ ...w.services, skew: () => -2 * HOUR });
  t.teardown(stop);
  const ready = await fetch(`${address}/readyz`);
  t.deepEqual([ready.status, await ready.json()], [200, { status: 'ok', clock: '7200 s behind the database' }]);
  const authorization = `Basic ${Buffer.from('operator:correct horse battery').toString('base64')}`;
  const ops = await (await fetch(`${address}/ops`, { headers: { authorization } })).text();
  t.true(ops.includes('This machine’s clock is 7200 s behind the database'));
  t.regex(await w.services.metrics.text(), /^clock_skew_seconds /m);
});
