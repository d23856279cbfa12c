import test from 'ava';
import { isPriceTag } from '#shared/detection/model/price_tags.ts';
import { isUsualHere, type SeenOften } from '#shared/detection/model/seen_often.ts';
import { priceKey } from '#shared/values/amount_keys.ts';
import { DAY } from '#shared/values/time.ts';
import { every, type EventStep, HOUR, MINUTE, noon, play } from '#test/helpers/play.ts';
import { conduct } from '../conduct/judged.ts';

/** What agents of an organization do so often that it is no news there. */

/** An agent's calls of two cents every hour beside what it buys for $5, and then `asked` of them for more. */
function calls(agent: number, usd: number, { asked = 1, payee = agent } = {}): EventStep[] {
  const call = { agent_id: `agt_${agent}`, payee_id: `api_${payee}`, resource_key: 'quotes', rail: 'x402' as const };
  const start = noon + agent * DAY;
  const bought = every(5 * HOUR, 9, start - 2 * DAY + MINUTE, { ...call, resource_key: 'report', usd: 5 });
  return [
    ...every(HOUR, 40, start - 2 * DAY, { ...call, usd: 0.02 }),
    ...bought,
    ...every(MINUTE, asked, start, { ...call, usd }),
  ];
}
const leaps = (steps: EventStep[]) =>
  conduct(steps).flatMap(({ detector, subject }) => (detector === 'price_drift' ? [subject] : []));

test('a dearer call is told until it has been asked of three agents, five times; what is far dearer all the same', t => {
  const usual = [0, 1, 2, 3, 4, 5, 6].flatMap(agent => calls(agent, 0.3));
  t.deepEqual(leaps(usual), ['api_0', 'api_1', 'api_2', 'api_3', 'api_4']);
  t.deepEqual(leaps([...usual, ...calls(8, 0.2)]).at(-1), 'api_4', 'less is usual too');
  t.deepEqual(leaps([...usual, ...calls(8, 2)]).at(-1), 'api_8');
  t.deepEqual(leaps([...usual, ...calls(40, 0.3)]).at(-1), 'api_40', 'a month later nobody knows');
  const of_one = [0, 1, 2, 3, 4, 5, 6].flatMap(index =>
    calls(index, 0.3).map(step => ({ ...step, agent_id: 'agt_0' })),
  );
  t.is(leaps(of_one).length, 7, 'one agent says nothing of the others');
  const of_payee = [0, 1, 2, 3, 4, 5, 6].flatMap(agent => calls(agent, 0.3, { payee: 1 }));
  t.is(leaps(of_payee).length, 5, 'of cents one payee is enough');
  t.is(leaps([...of_payee, ...calls(8, 0.3)]).at(-1), 'api_8', 'and says nothing of another');
});

test('a dollar more is usual where three payees ask for it; a price that stays is told all the same', t => {
  const one_payee = [0, 1, 2, 3, 4, 5, 6].flatMap(agent => calls(agent, 3, { payee: 1 }));
  t.is(leaps(one_payee).length, 7, 'one payee says nothing of the others');
  const usual = [0, 1, 2, 3, 4, 5, 6].flatMap(agent => calls(agent, 3));
  t.deepEqual(leaps(usual), ['api_0', 'api_1', 'api_2', 'api_3', 'api_4']);
  t.deepEqual(leaps([...usual, ...calls(8, 3, { asked: 2 })]).at(-1), 'api_4');
  t.deepEqual(leaps([...usual, ...calls(8, 3, { asked: 3 })]).at(-1), 'api_8', 'a third time');
});

/** Two payments of an agent, some seconds apart. */
const twice = (
  agent: number,
  day: number,
  usd: number | null,
  more: Partial<EventStep> = {},
  gap = 15_000,
): EventStep[] =>
  every(gap, 2, noon + day * DAY, { agent_id: `agt_${agent}`, payee_id: `shop_${agent}_${day}`, usd, ...more });
const duplicates = (steps: EventStep[]) => play(steps, 'duplicate_payment').map(({ subject }) => subject);
const days = [0, 1, 2, 3, 4, 5, 6];

test('equal payments within minutes are told until three agents have made them at three payees, five times on four days', t => {
  const usual = days.flatMap(day => twice(day, day, 15));
  t.deepEqual(duplicates(usual), ['shop_0_0', 'shop_1_1', 'shop_2_2', 'shop_3_3', 'shop_4_4']);
  const last = (steps: EventStep[]) => duplicates([...usual, ...steps]).at(-1);
  t.is(last(twice(9, 9, 15)), 'shop_4_4');
  t.is(last(twice(9, 9, 35)), 'shop_9_9', 'of more money');
  t.is(last(twice(9, 9, null, { price_key: 'some' })), 'shop_9_9', 'nobody knows of how much');
  t.is(last(twice(9, 9, 15, { tool_call_key: 'one' })), 'shop_9_9', 'for one call');
  t.is(last(twice(9, 9, 15, { resource_key: 'one' })), 'shop_9_9', 'for one resource');
  t.is(last(twice(9, 9, 15, {}, 31_000)), 'shop_9_9', 'as long apart as a client waits');
  t.is(last(twice(9, 40, 15)), 'shop_9_40', 'a month later nobody knows');
  const told = (steps: EventStep[]) => duplicates([...steps, ...twice(9, 9, 15)]).at(-1);
  t.is(told(days.flatMap(day => twice(day, 0, 15))), 'shop_9_9', 'a day says little');
  t.is(told(days.flatMap(day => twice(day % 2, day, 15))), 'shop_9_9', 'and so do two agents');
  t.is(told(days.flatMap(day => twice(day, day, 15, { payee_id: 'shop' }))), 'shop_9_9', 'one payee');
  t.is(told(days.flatMap(day => twice(day, day, 5))), 'shop_9_9', 'less money');
  t.is(told(days.flatMap(day => twice(day, day, 150))), 'shop_9_9', 'what is always told');
  t.is(duplicates(days.flatMap(day => twice(day, day, 150))).length, 7, 'a hundred dollars are');
});

test('what is usual is remembered in a size that does not grow', t => {
  const seen: SeenOften = {};
  for (let index = 0; index < 3_000; index += 1)
    isUsualHere(seen, 'repeat', {
      agent_id: `a${index % 90}`,
      payee_id: `p${index}`,
      at: index * HOUR,
      steps: [index % 3],
    });
  t.is(Object.keys(seen).length, 3);
  t.true(Object.values(seen).every(list => list.length <= 24));
  const deed = { agent_id: 'a', payee_id: 'p', at: 3_000 * HOUR, steps: [2] };
  t.true(isUsualHere(seen, 'repeat', deed, { days: 4 }));
  for (let index = 0; index < 3_000; index += 1)
    isUsualHere(seen, 'repeat', { ...deed, payee_id: `p${index}`, steps: [2] });
  t.true(isUsualHere(seen, 'repeat', deed, { days: 4 }), 'a storm of a day drives nothing out');
});

test('whom agents paid on the first day of a log is not new', t => {
  const all = Array.from({ length: 200 }, (_, agent) =>
    every(12 * HOUR, 3, noon + agent, { agent_id: `agt_${agent}`, payee_id: `usual_${agent}` }),
  ).flat();
  const crowd = Array.from({ length: 12 }, (_, agent) => ({
    at: noon + 30 * HOUR + agent * MINUTE,
    agent_id: `agt_${agent}`,
  }));
  const told = (hours: number) =>
    play(
      [
        ...all,
        ...[{ at: noon + hours * HOUR, agent_id: 'agt_50' }, ...crowd].map(step => ({ ...step, payee_id: 'pye_new' })),
      ].toSorted((a, b) => a.at - b.at),
      'payee_fan_in',
      { byBudget: true },
    ).length;
  t.is(told(26), 9);
  t.is(told(22), 0);
});

test('a price tag is one in whatever currency it is', t => {
  const is = (minor: string, code: string, usd: number) =>
    isPriceTag({ paid_micro: BigInt(Math.round(usd * 1e6)), price_key: priceKey(minor, code) });
  t.true(is('49900', 'EUR', 574.45));
  t.true(is('4995', 'GBP', 66.43));
  t.true(is('7500', 'CHF', 93.75));
  t.true(is('1234500', 'EUR', 14_320.2));
  for (const [minor, code, usd] of [
    ['199900', 'EUR', 2_338.83],
    ['179900', 'GBP', 2_392.67],
    ['189900', 'AUD', 1_234.35],
    ['249900', 'EUR', 2_873.85],
    ['10000000', 'EUR', 110_130],
  ] as const)
    t.true(is(minor, code, usd), minor);
  t.false(is('49937', 'EUR', 574.88));
  t.false(is('1234600', 'EUR', 14_321.36), 'no round sum');
  t.false(is('57445', 'USD', 574.45));
});
