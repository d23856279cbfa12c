import test from 'ava';
import { createPace } from '#shared/detection/consumer/pace.ts';

const MINUTE = 60_000;
const logOf = (org_id: string) => ({ org_id, environment: 'sandbox' });
const [one, other] = [logOf('org_1'), logOf('org_2')];

/** Ranges of these logs in turn, as large as they may be, on a machine that takes so many ms for what costs 1 and for each range. */
function atSpeed(
  pace: ReturnType<typeof createPace>,
  ms_each: number,
  { fixed = 0, logs = [one, other], ranges = 20, from = 0 } = {},
) {
  let [now, ms] = [from, 0];
  for (let range = 0; range < ranges; range += 1) {
    const tenant = logs[range % logs.length] ?? one;
    const cost = pace.mostCost(tenant, now);
    ms = fixed + cost * ms_each;
    now += ms;
    pace.learn(tenant, { cost, ms }, now);
  }
  return { ms, now };
}

test('ranges are cut so that they take about 250 ms where several logs are at work, however fast the machine is', t => {
  const pace = createPace();
  for (const [ms_each, fixed] of [
    [0.7, 0],
    [0.05, 10],
    [0.3, 100],
  ] as const) {
    const { ms } = atSpeed(pace, ms_each, { fixed });
    t.true(ms > 240 && ms < 260, `${ms_each} ${fixed}: ${ms}`);
  }
});

test('a log that has the process for itself gets ranges of up to 2 s, step by step, and others end that at once', t => {
  const pace = createPace();
  atSpeed(pace, 0.2, { logs: [one], ranges: 1 });
  const first = pace.mostCost(one, 1_000);
  t.true(first > 2_000 && first <= 2 * 2_000);
  const { ms, now } = atSpeed(pace, 0.2, { logs: [one], from: 1_000 });
  t.true(ms > 1_900 && ms < 2_100, String(ms));
  const small = pace.mostCost(other, now);
  t.is(small, pace.mostCost(one, now) / 8);
  pace.learn(other, { cost: 1, ms: 5 }, now);
  t.is(pace.mostCost(other, now), small);
  pace.learn(one, { cost: 1, ms: 5 }, now + 1);
  t.is(pace.mostCost(one, now + MINUTE), small);
  pace.learn(one, { cost: small, ms: 250 }, now + MINUTE);
  t.is(pace.mostCost(one, now + MINUTE + 1), 2 * small);
});

test('small ranges and one pause say little, and a range is never so small that it is mostly its fixed cost', t => {
  const pace = createPace();
  pace.learn(other, { cost: 1, ms: 1 }, 0);
  const before = pace.mostCost(one, 0);
  pace.learn(one, { cost: before / 2 - 1, ms: 10_000 }, 0);
  t.is(pace.mostCost(one, 0), before);
  pace.learn(one, { cost: before, ms: 60_000 }, 0);
  t.is(pace.mostCost(one, 0), before / 2);
  atSpeed(pace, 1_000);
  t.is(pace.mostCost(one, 0), 120);
});

test('a range that takes much longer than it may, or fails, is followed by small ones', t => {
  const alone = () => {
    const pace = createPace();
    return { pace, now: atSpeed(pace, 0.2, { logs: [one] }).now };
  };
  const { pace, now } = alone();
  const large = pace.mostCost(one, now);
  pace.learn(one, { cost: large, ms: 20_000 }, now);
  t.is(pace.mostCost(one, now), large / 16);
  const failing = alone();
  failing.pace.fail();
  t.is(failing.pace.mostCost(one, failing.now), large / 8);
});
