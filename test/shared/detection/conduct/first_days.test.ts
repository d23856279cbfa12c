import test from 'ava';
import { firstDayAt, firstDaysOf, learnFirstDay, noFirstDays } from '#shared/detection/model/first_days.ts';
import { emptyHistory, type History, remember } from '#shared/detection/model/history.ts';
import { withEvent } from '#shared/events/log/payment.ts';
import { DAY } from '#shared/values/time.ts';
import { every, events, type EventStep, HOUR, noon } from '#test/helpers/play.ts';
import { noSpreads } from '#shared/detection/model/spreads.ts';
import { conduct } from './judged.ts';

/** Thirty agents that pay twice a day for so many days, each about what it always pays: from $10 to $160. */
const organization = (days: number): EventStep[] =>
  Array.from({ length: 30 }, (_, agent) =>
    every(12 * HOUR, 2 * days, noon - days * DAY, {}).map((step, index) => ({
      ...step,
      agent_id: `other-${agent}`,
      usd: 10 * 2 ** (agent % 5) * (0.8 + 0.1 * ((index + agent) % 5)),
      payee_id: `shop-${agent}`,
    })),
  ).flat();
const newcomer = (usd: number, payments = 4) =>
  every(HOUR / 4, payments, noon, { agent_id: 'newcomer', usd }).map((step, index) => ({
    ...step,
    payee_id: `stranger-${index}`,
  }));

/** When an agent's first day is known, as its payments come in. */
function daysOf(steps: EventStep[], given: Partial<History> = {}) {
  const history = { ...emptyHistory(), ...given };
  return events(steps).map(event => {
    remember(history, withEvent(history.by_id.get(event.payment_id), event));
    return firstDayAt(history, event.occurred_at);
  });
}

test('what an agent spends on its first day is known once, with the first payment after it', t => {
  const steps = [0, 5, 23, 25, 26, 80].map(hours => ({ at: noon + hours * HOUR, usd: 10 }));
  t.deepEqual(daysOf(steps), [null, null, null, 30, null, null]);
  const late = [0, 25, 5, 30].map(hours => ({ at: noon + hours * HOUR, usd: 10 }));
  t.deepEqual(daysOf(late), [null, 10, null, null], 'what comes late teaches nothing');
});

test('of an agent so busy that its first payments are not at hand nothing is known', t => {
  const steps = [21, 23.5, 24.5, 25].map(after => ({ at: noon + after * HOUR, usd: 1 }));
  t.deepEqual(daysOf(steps, { complete_from: noon + 20 * HOUR }), [null, null, null, null]);
});

test('an agent teaches one first day, however often a payment after it changes', t => {
  const spreads = noSpreads();
  const held = (at: number, payment_id: string): EventStep[] => [
    { at, payment_id, usd: 60, type: 'payment.authorized' },
    ...[12, 14, 16].map((usd, index) => ({ at: at + (index + 1) * HOUR, payment_id, usd })),
  ];
  conduct(
    [0, 3, 6, 30, 60].flatMap((hours, index) => held(noon + hours * HOUR, `stay ${index}`)),
    { spreads },
  );
  t.deepEqual([spreads.first_days.count, spreads.first_days.agents], [1, 1]);
});

test('the more an agent spends on its first day beside others the rarer it is, and of few nothing is known', t => {
  const days = noFirstDays();
  for (let agent = 0; agent < 11; agent += 1) learnFirstDay(days, Math.log(10 + agent));
  t.is(firstDaysOf(days), null);
  learnFirstDay(days, Math.log(30));
  const known = firstDaysOf(days);
  const [some = 1, much = 1] = [100, 10_000].map(usd => known?.shareAbove(Math.log(usd)));
  t.true(some < 0.1 && much < some / 10, `${some} ${much}`);
  for (let agent = 0; agent < 5_000; agent += 1) learnFirstDay(days, Math.log(10));
  t.is(days.agents, 5_012);
  t.is(days.count, 2_000);
});

test('in an older log a new agent is seldom, and told of sooner than in the first days', t => {
  const told = (days: number, usd: number) =>
    conduct([...organization(days), ...newcomer(usd, 1)]).map(({ title }) => title);
  t.deepEqual(told(30, 1_000), ['$1,000.00 spent within 24 h by a new agent']);
  t.deepEqual(told(3, 1_000), []);
  t.deepEqual(told(30, 200), [], 'others spend as much');
});

test('a young agent that pays many times what it did, and more than others spend in a day, is told of without a record', t => {
  const young = newcomer(12).map((step, index) => ({ ...step, at: step.at - 30 * HOUR, usd: 11 + index }));
  const pays = (agent_id: string, usd: number, day = 0) => ({
    at: noon - day * DAY,
    agent_id,
    usd,
    payee_id: 'escrow',
  });
  // Two agents have paid as much before.
  const large = [pays('other-4', 8_000, 9), pays('other-9', 8_000, 8)];
  const told = (usd: number) =>
    conduct([...organization(30), ...large, ...young, pays('newcomer', usd)]).filter(({ title }) =>
      title.includes('new agent'),
    );
  t.deepEqual(told(60), []);
  t.is(told(9_000)[0]?.title, '$9,000.00 to {payee} from a new agent that paid $14.00 at most');
  t.regex(
    told(9_000)[0]?.explanation ?? '',
    /is 643 times the largest of the agent's 4 earlier payments, \$14\.00; on their whole first day, nine in ten other agents spent \$\d+\.\d+ or less/,
  );
});

test('where agents begin with small payments and a large one, nothing is told of those that do', t => {
  const beginning = (agent_id: string, at: number): EventStep[] =>
    [2, 2.1, 2.2, 800].map((usd, index) => ({
      at: at + index * HOUR,
      agent_id,
      usd,
      payee_id: `${agent_id} ${index}`,
    }));
  const others = organization(30).map((step, index) => ({ ...step, payment_id: `other ${index}` }));
  const alike = Array.from({ length: 8 }, (_, agent) => [
    ...beginning(`buyer-${agent}`, noon - (29 - agent) * DAY),
    { at: noon - (27 - agent) * DAY, agent_id: `buyer-${agent}`, usd: 3, payee_id: 'shop' },
  ]).flat();
  t.deepEqual(
    conduct([...others, ...alike, ...beginning('newcomer', noon)]).filter(({ title }) => title.includes('new agent')),
    [],
  );
});
