import test from 'ava';
import { generate } from '#bin/demo/generate.ts';
import { type RaisedAlert, score } from '#bin/demo/score.ts';

const world = generate(1, Date.parse('2026-11-20T15:00:00.000Z'));
const [loop] = world.labels;
const planted = new Set(world.labels.flatMap(label => label.event_ids));
const normal = world.events.filter(event => !planted.has(event.id));
const ofDay = normal.filter(event => Date.parse(event.occurred_at) >= world.day).map(event => event.id);
const before = normal.filter(event => Date.parse(event.occurred_at) < world.day).map(event => event.id);

const alert = (detector: string, event_ids: (string | undefined)[], points = 80): RaisedAlert => ({
  detector,
  severity: 'high',
  score: points,
  title: '',
  event_ids: event_ids.filter(id => id !== undefined),
});

test('a scenario is found by an alert of a detector that may answer it and names one of its events', t => {
  const result = score(world, [alert('runaway_loop', [ofDay[0], loop?.event_ids[3]])]);
  t.is(result.found, 1);
  t.is(result.missed, world.labels.length - 1);
  t.is(result.answers[0]?.alerts.length, 1);
  t.deepEqual(result.false_alarms, []);
});

test('the alert it was planted for comes first, whatever the scores', t => {
  const [first] = score(world, [
    alert('velocity_count', [loop?.event_ids[0]], 99),
    alert('runaway_loop', [loop?.event_ids[0]], 60),
  ]).answers;
  t.deepEqual(
    first?.alerts.map(({ detector }) => detector),
    ['runaway_loop', 'velocity_count'],
  );
});

test('an alert of another detector, or about normal events, is a false alarm', t => {
  const result = score(world, [
    alert('new_payee_high_amount', [loop?.event_ids[0]]),
    alert('runaway_loop', [ofDay[0]]),
  ]);
  t.is(result.found, 0);
  t.is(result.false_alarms.length, 2);
  t.is(result.normal_events, ofDay.length);
  t.is(result.false_alarms_per_10000, 20_000 / ofDay.length);
});

test('what is said of the weeks before only is kept apart', t => {
  const result = score(world, [alert('spend_velocity', [before[0]]), alert('spend_velocity', [ofDay[0], before[0]])]);
  t.is(result.while_learning.length, 1);
  t.is(result.false_alarms.length, 1);
});

test('a scenario that was merely added to an older alert says so', t => {
  const ids = loop?.event_ids ?? [];
  t.true(score(world, [alert('runaway_loop', [ids[0], before[0]])]).answers[0]?.joined);
  t.false(score(world, [alert('runaway_loop', [ids[0]])]).answers[0]?.joined);
  t.false(
    score(world, [alert('runaway_loop', [ids[0], before[0]]), alert('velocity_count', [ids[0]])]).answers[0]?.joined,
  );
  t.is(score(world, [alert('runaway_loop', [ids[0], before[0]])]).joined, 1);
});
