import test from 'ava';
import { expectedAbove, expectedOfNewConduct } from '#shared/detection/model/rarity.ts';
import {
  learnDay,
  learnFanIn,
  learnSpread,
  noSpreads,
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

test('of draws of one kind not many fewer exceed a value than are expected, and hardly ever more', t => {
  let expected = 0;
  let seen = 0;
  for (let round = 0; round < 400; round += 1) {
    const values = draws(100, 0.3);
    const value = 2;
    expected += expectedAbove(value, { values, per_month: 1_000 }, 0.3);
    seen += draws(1_000, 0.3).filter(each => each >= value).length;
  }
  t.true(expected / seen > 0.7 && expected / seen < 3, String(expected / seen));
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

test('a fan-in is rare where there was none in many days of agents, and common in a young log', t => {
  const spreads = noSpreads();
  t.true(learnFanIn(spreads, 5, 20 * HOUR) >= 0.5);
  t.true(learnFanIn(spreads, 5, 20 * HOUR) > 1, 'there was one');
  for (let day = 0; day < 2_000; day += 1) learnDay(spreads, day * DAY);
  const slow = learnFanIn(structuredClone(spreads), 5, 20 * HOUR);
  t.true(slow < 0.08, String(slow));
  learnFanIn(spreads, 5, 20 * HOUR);
  t.true(learnFanIn(structuredClone(spreads), 6, HOUR) < learnFanIn(structuredClone(spreads), 5, 20 * HOUR));
});

test('what is learned does not grow with what it is learned from, and can be stored', t => {
  const spreads = noSpreads();
  for (let day = 0; day < 20_000; day += 1) {
    learnDay(spreads, day * DAY);
    learnSpread(spreads, 'amount', draws(5, 1));
    learnFanIn(spreads, 5 + (day % 96), day * 1_000);
  }
  const stored = JSON.stringify(spreads);
  t.true(stored.length < 6_000, String(stored.length));
  t.deepEqual(Spreads.parse(JSON.parse(stored)), spreads);
});
