import test from 'ava';
import { learnPeers, type PaidByPeers, peersOf } from '#shared/detection/model/peers.ts';
import { expectedAbove, expectedOfNewConduct } from '#shared/detection/model/rarity.ts';
import {
  learnDay,
  learnFanIn,
  learnSpread,
  noSpreads,
  strengthOfFanIn,
  spreadOf,
  Spreads,
  teaches,
} from '#shared/detection/model/spreads.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import { diceOf } from '../script.ts';

const dice = diceOf(11);
/** Exponential draws with this mean. */
const draws = (count: number, mean: number) =>
  Array.from({ length: count }, () => -mean * Math.log((dice(1_000_000) + 1) / 1_000_001));

test('within what is known, how much is to be expected goes by rank', t => {
  const values = Array.from({ length: 99 }, (_, index) => index + 1);
  t.is(expectedAbove(50, { values, per_month: 100 }, 1), 51);
  t.is(expectedAbove(1, { values, per_month: 100 }, 1), 100);
  t.is(expectedAbove(5, { values: [], per_month: 100 }, 1), Infinity);
});

test('beyond it the less is to be expected the further it is, the narrower the record and the narrower others are', t => {
  const values = draws(60, 0.2);
  const at = (value: number, spread = 0.2, list = values) =>
    expectedAbove(value, { values: list, per_month: 60 }, spread);
  const most = Math.max(...values);
  const steps = [1, 1.5, 2, 3, 5].map(times => at(most * times));
  t.deepEqual(
    steps,
    steps.toSorted((a, b) => b - a),
  );
  t.true(at(most * 3, 1) > at(most * 3, 0.1), 'where others differ more');
  t.true(at(2, 0.2, draws(60, 0.6)) > at(2, 0.2, draws(60, 0.1)), 'where its own payments differ more');
  t.true(
    at(2, 0.2, [0, 0]) >
      at(
        2,
        0.2,
        Array.from({ length: 60 }, () => 0),
      ),
    'where less is known',
  );
});

test('what is hardly more than ever before is the largest once in as many as there were, whatever the tail looks like', t => {
  const bimodal = [...Array.from({ length: 30 }, (_, index) => index / 100), 5];
  const at = (value: number) => expectedAbove(value, { values: bimodal, per_month: 32 }, 0.35);
  t.true(at(5.01) > 0.9 && at(5.01) <= 1, String(at(5.01)));
  t.true(at(10) < 0.1, String(at(10)));
});

test('of draws of one kind not many fewer exceed a value than are expected, and hardly ever more', t => {
  let expected = 0;
  let seen = 0;
  for (let round = 0; round < 400; round += 1) {
    const values = draws(100, 0.3);
    const value = 2;
    expected += expectedAbove(value, { values, per_month: 1_000 }, 0.3);
    seen += draws(1_000, 0.3).filter(each => each >= value).length;
  }
  t.true(expected / seen > 0.7 && expected / seen < 3.5, String(expected / seen));
});

test('new conduct is likelier the shorter a record is', t => {
  const [day, week, month] = [1 / 30, 7 / 30, 1].map(expectedOfNewConduct);
  t.true((day ?? 0) > 2 * (week ?? 0) && (week ?? 0) > 2 * (month ?? 0));
});

test('what is usual among the agents of an organization is learned from the preset on', t => {
  const spreads = noSpreads();
  const preset = spreadOf(spreads, 'amount');
  for (let day = 0; day < 200; day += 1) learnSpread(spreads, 'amount', draws(40, 0.1));
  t.true(spreadOf(spreads, 'amount') < preset / 3, String(spreadOf(spreads, 'amount')));
  t.is(spreadOf(spreads, 'spend'), spreadOf(noSpreads(), 'spend'), 'one thing teaches nothing about another');
  learnSpread(spreads, 'pace', [1, 2]);
  t.is(spreadOf(spreads, 'pace'), spreadOf(noSpreads(), 'pace'), 'two values teach nothing');
});

test('where much is known an eighth of the days teaches, and what is usual is followed as before', t => {
  const spreads = noSpreads();
  const lessons = new Map<string, number>();
  const total = () => [...lessons.values()].reduce((sum, count) => sum + count, 0);
  /** Eight agents, whose days begin one after the other. */
  const live = (days: number, mean: number) => {
    for (let day = 0; day < days; day += 1) {
      const agent = `agt_${day % 8}`;
      const at = Math.floor(day / 8) * DAY;
      learnDay(spreads, at);
      if (!teaches(spreads, agent, at)) continue;
      lessons.set(agent, (lessons.get(agent) ?? 0) + 1);
      learnSpread(spreads, 'amount', draws(40, mean));
    }
  };
  live(5_000, 0.1);
  t.is(total(), 5_000);
  lessons.clear();
  const before = spreadOf(spreads, 'amount');
  live(24_000, 0.4);
  t.true(Math.abs(total() - 24_000 / 8) < 300, String(total()));
  t.is(lessons.size, 8);
  t.true(Math.max(...lessons.values()) < 2 * Math.min(...lessons.values()), 'each teaches in its turn');
  t.true(Math.abs(spreadOf(spreads, 'amount') / before - 4) < 0.4, String(spreadOf(spreads, 'amount') / before));
});

test('a fan-in of many at once is rare sooner than one of a few in a day, and neither is in a young log', t => {
  const [few, many] = [strengthOfFanIn(5, 20 * HOUR), strengthOfFanIn(7, HOUR)];
  const after = (days: number, strength: number) => {
    const spreads = noSpreads();
    for (let day = 0; day < days; day += 1) learnDay(spreads, day * DAY);
    return learnFanIn(spreads, { strength, usd: 50 });
  };
  t.true(after(30, few) > 0.1 && after(30, many) > 0.1);
  t.true(after(100, few) > 0.1 && after(100, many) < 0.1);
  t.true(after(2_000, few) < 0.1 && after(2_000, many) < 0.1);
});

test('in a young log a fan-in of large sums is rare sooner than one of small ones', t => {
  const strong = strengthOfFanIn(8, 5 * HOUR);
  const after = (days: number, usd: number) => {
    const spreads = noSpreads();
    for (let day = 0; day < days; day += 1) learnDay(spreads, day * DAY);
    return learnFanIn(spreads, { strength: strong, usd });
  };
  t.true(after(60, 0.5) > 0.1 && after(60, 100) < 0.1);
  t.true(after(20, 100) > 0.1, 'nothing is known yet');
});

test('a fan-in is rare where there was none in many days of agents, and common in a young log', t => {
  const spreads = noSpreads();
  t.true(learnFanIn(spreads, { strength: strengthOfFanIn(5, 20 * HOUR), usd: 50 }) >= 0.5);
  t.true(learnFanIn(spreads, { strength: strengthOfFanIn(5, 20 * HOUR), usd: 50 }) > 1, 'there was one');
  for (let day = 0; day < 2_000; day += 1) learnDay(spreads, day * DAY);
  const slow = learnFanIn(structuredClone(spreads), { strength: strengthOfFanIn(5, 20 * HOUR), usd: 50 });
  t.true(slow < 0.08, String(slow));
  learnFanIn(spreads, { strength: strengthOfFanIn(5, 20 * HOUR), usd: 50 });
  t.true(
    learnFanIn(structuredClone(spreads), { strength: strengthOfFanIn(6, HOUR), usd: 50 }) <
      learnFanIn(structuredClone(spreads), { strength: strengthOfFanIn(5, 20 * HOUR), usd: 50 }),
  );
});

/** What so many agents on a rail teach on so many days each: payments of about `usdOf(agent)`, those of some agents with a misuse among them. */
function taught(usdOf: (agent: number) => number, { misused = 0, count = 10, agents = 25 } = {}) {
  const peers: Record<string, PaidByPeers> = {};
  for (let day = 0; day < 20; day += 1)
    for (let agent = 0; agent < count; agent += 1) {
      const ordinary = Array.from({ length: 40 }, () => Math.log(usdOf(agent)) - draws(1, 1).reduce((a, b) => a + b));
      const misuse = Array.from({ length: agent < misused ? 8 : 0 }, () => Math.log(900));
      learnPeers(peers, 'card', `agt_${agent % agents}`, [...ordinary, ...misuse]);
    }
  return peers;
}

test('one agent among many that pays far more or far less does not make strangers of the others, a fifth of them do', t => {
  const of25 = (usdOf: (agent: number) => number) => peersOf(taught(usdOf, { count: 25 }), 'card');
  const others = of25(() => 100);
  for (const times of [150, 1 / 150]) {
    const beside = of25(agent => (agent === 7 ? 100 * times : 100));
    t.true(Math.abs((beside?.high ?? Infinity) - (others?.high ?? 0)) < 0.3, `${times} times: ${beside?.high}`);
  }
  t.is(
    of25(agent => (agent % 5 === 2 ? 15_000 : 100)),
    null,
  );
});

test('peers tell what an agent pays where they are alike, and the less the more they differ', t => {
  const alike = peersOf(
    taught(() => 100),
    'card',
  );
  t.true((alike?.weight ?? 0) > 20, String(alike?.weight));
  t.true(Math.abs((alike?.high ?? 0) - Math.log(95)) < 0.4, String(alike?.high));
  const differing = peersOf(
    taught(agent => 100 * 1.4 ** agent),
    'card',
  );
  t.true(differing === null || differing.weight < (alike?.weight ?? 0) / 2, String(differing?.weight));
  t.is(
    peersOf(
      taught(agent => 4 ** agent),
      'card',
    ),
    null,
    'each does something else',
  );
  t.is(
    peersOf(
      taught(() => 100),
      'x402',
    ),
    null,
    'nobody pays over that rail',
  );
});

test('one agent has no peers, however long it is known', t => {
  t.is(
    peersOf(
      taught(() => 100, { agents: 1 }),
      'card',
    ),
    null,
  );
  t.not(
    peersOf(
      taught(() => 100, { agents: 10 }),
      'card',
    ),
    null,
  );
});

test('one agent that is misused hardly changes what is usual among its peers', t => {
  const [before, after] = [0, 1].map(
    misused =>
      peersOf(
        taught(() => 100, { misused }),
        'card',
      )?.high ?? 0,
  );
  t.true(Math.abs((after ?? 0) - (before ?? 0)) < 0.25, `${before} ${after}`);
});

test('what was stored before peers were learned can still be read', t => {
  const { peers, ...stored } = noSpreads();
  t.deepEqual(Spreads.parse(stored), { ...stored, peers });
});

test('what is learned does not grow with what it is learned from, and can be stored', t => {
  const spreads = noSpreads();
  for (let day = 0; day < 20_000; day += 1) {
    learnDay(spreads, day * DAY);
    learnSpread(spreads, 'amount', draws(5, 1));
    learnPeers(spreads.peers, ['card', 'x402', 'sepa'][day % 3] ?? '', `agt_${day}`, draws(9, 1));
    learnFanIn(spreads, { strength: strengthOfFanIn(5 + (day % 96), day * 1_000), usd: 5 ** (day % 5) });
  }
  const stored = JSON.stringify(spreads);
  t.true(stored.length < 6_000, String(stored.length));
  t.deepEqual(Spreads.parse(JSON.parse(stored)), spreads);
});
