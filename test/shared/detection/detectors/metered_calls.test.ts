import test from 'ava';
import { every, HOUR, MINUTE, noon, play, SECOND } from '#test/helpers/play.ts';
import { DAY } from '#shared/values/time.ts';

const names = (steps: Parameters<typeof play>[0], detector: string) =>
  play(steps, detector).map(({ detector }) => detector);

test('duplicate: who pays for calls again on another day is metered', t => {
  const twice = (days: number, usd: number, more = {}) =>
    [0, 6 * MINUTE].map(gap => ({ at: noon + days * DAY + gap, usd, resource_key: 'r1', ...more }));
  const found = (steps: Parameters<typeof play>[0]) => names(steps, 'duplicate_payment').length;
  t.is(found([...twice(0, 0.06), ...twice(0, 0.07)]), 2);
  t.is(found([...twice(0, 0.06), ...twice(3, 0.07)]), 1);
  t.is(found([...twice(0, 0.06), ...twice(3, 0.07, { tool_call_key: 'c1' })]), 2);
});

test('duplicate: calls paid again for less than five cents together are none, unless it looks like a time-out or is one call', t => {
  const again = (count: number, gap: number, more = {}) =>
    every(gap, count, noon, { usd: 0.02, resource_key: 'r1', ...more });
  const found = (steps: Parameters<typeof play>[0]) => names(steps, 'duplicate_payment').length;
  t.is(found(again(3, 2 * MINUTE)), 0);
  t.true(found(again(4, 2 * MINUTE)) > 0);
  t.is(found(again(2, 32 * SECOND)), 1);
  t.is(found(again(2, MINUTE)), 0, 'a meter ticks every minute');
  t.is(found(again(2, MINUTE, { usd: 0.06 })), 1);
  t.is(found(again(2, 2 * MINUTE, { tool_call_key: 'c1' })), 1);
  const pairs = Array.from({ length: 7 }, (_, agent) =>
    again(2, 2 * MINUTE, { agent_id: `agt_${agent}`, usd: 0.001 }).map(step => ({
      ...step,
      at: step.at - (agent + 1) * HOUR,
    })),
  );
  const larger = again(2, 2 * MINUTE, { agent_id: 'agt_9', usd: 0.95 });
  t.is(found([...pairs.flat(), ...larger]), 1, 'what is not told teaches nothing');
});

test('duplicate: metered calls at a fixed price are none, the same call paid twice is', t => {
  const calls = every(20 * SECOND, 30, noon, { usd: 0.01 }).map((step, index) => ({
    ...step,
    tool_call_key: `c${index}`,
  }));
  t.deepEqual(names(calls, 'duplicate_payment'), []);
  t.is(names([...calls, { at: noon + HOUR, usd: 0.01, tool_call_key: 'c29' }], 'duplicate_payment').length, 1);
});

test('duplicate: where several agents pay cents again within minutes, that is how calls are metered there, but not twice for one call', t => {
  const pair = (agent: number, more = {}) =>
    every(2 * MINUTE, 2, noon + agent * HOUR, { agent_id: `agt_${agent}`, usd: 0.1, resource_key: 'r1', ...more });
  const pairs = (count: number, of: (agent: number) => number = agent => agent) =>
    Array.from({ length: count }, (_, index) => pair(index).map(step => ({ ...step, agent_id: `agt_${of(index)}` })));
  const found = (steps: Parameters<typeof play>[0]) => names(steps, 'duplicate_payment').length;
  t.is(found(pairs(12).flat()), 4);
  t.is(found([...pairs(12).flat(), ...pair(13, { tool_call_key: 'c1' })]), 5);
  t.is(found([...pairs(12).flat(), ...pair(13, { usd: 5 })]), 5, 'dollars are no cents');
  const prices = pairs(12, index => index % 2).map((steps, index) =>
    steps.map(step => ({ ...step, usd: 0.05 * (index + 1) })),
  );
  t.is(found(prices.flat()), 12, 'two agents alone teach nothing of others');
});
