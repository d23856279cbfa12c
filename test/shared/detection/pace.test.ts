import test from 'ava';
import { createPace } from '#shared/detection/consumer/pace.ts';

/** Ranges as large as they may be, on a machine that takes so many milliseconds for what costs 1 and for each range. */
function atSpeed(pace: ReturnType<typeof createPace>, ms_each: number, fixed = 0): number {
  let ms = 0;
  for (let range = 0; range < 20; range += 1) {
    ms = fixed + pace.mostCost() * ms_each;
    pace.learn(pace.mostCost(), ms);
  }
  return ms;
}

test('ranges are cut so that they take about 250 ms, however fast the machine is', t => {
  const pace = createPace();
  for (const [ms_each, fixed] of [
    [0.7, 0],
    [0.05, 10],
    [0.3, 100],
  ] as const) {
    const ms = atSpeed(pace, ms_each, fixed);
    t.true(ms > 240 && ms < 260, `${ms_each} ${fixed}: ${ms}`);
  }
});

test('small ranges and one pause say little, and a range is never so small that it is mostly its fixed cost', t => {
  const pace = createPace();
  const before = pace.mostCost();
  pace.learn(before / 2 - 1, 10_000);
  t.is(pace.mostCost(), before);
  pace.learn(before, 60_000);
  t.is(pace.mostCost(), before / 2);
  atSpeed(pace, 1_000);
  t.is(pace.mostCost(), 120);
});
