import test from 'ava';
import { detectors, timedDetectors, verdictDetectors } from '#shared/detection/detectors/index.ts';
import { assessWorld } from '#test/worlds/assess.ts';
import { generate } from '#bin/demo/generate.ts';
import { judgeWorld } from '#test/worlds/judge.ts';
import { score } from '#bin/demo/score.ts';
import { turnOf } from '#test/helpers/runs.ts';
import { screenWorld } from '#test/worlds/screen_world.ts';

const afternoon = Date.parse('2026-11-20T15:00:00.000Z');
const monday = Date.parse('2026-11-23T17:30:00.000Z');
const sunday = Date.parse('2026-11-22T12:00:00.000Z');
const newYear = Date.parse('2027-01-01T03:00:00.000Z');
/** As an organization has them that has turned nothing on or off. */
const usual = detectors.filter(detector => !detector.off_by_default);

const days = [
  ['an afternoon', 11, afternoon],
  ['a Sunday', 12, sunday],
  ['New Year', 13, newYear],
  ['a Monday, as the demo is without a seed', 1, monday],
] as const;

for (const [name, seed, now] of turnOf(days, 0, 4))
  test(`every scenario of the demo is found, with at most two false alarms a day: ${name}`, async t => {
    const world = generate(seed, now);
    const verdictOf = await assessWorld(world, now);
    const alerts = judgeWorld(world.events, now, usual, {
      verdictOf,
      screened: await screenWorld(world.events),
      timed: timedDetectors,
    });
    const { answers, false_alarms, while_learning } = score(world, alerts);
    const missed = answers.filter(answer => answer.alerts.length === 0);
    t.deepEqual(
      missed.map(({ label }) => `${label.scenario}: ${label.variant}`),
      [],
    );
    const judged = new Set(verdictDetectors.map(detector => detector.name));
    t.deepEqual(
      [...false_alarms, ...while_learning].filter(alert => judged.has(alert.detector)),
      [],
      'what is authorized and within its mandate is never told of',
    );
    const told = false_alarms.map(({ detector, agent_id, title }) => `${detector} ${agent_id} ${title}`).join('\n');
    t.true(false_alarms.length <= 2, told);
  });
