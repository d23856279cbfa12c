import test from 'ava';
import { detectors, verdictDetectors } from '#shared/detectors/index.ts';
import { normalizeEvent } from '#shared/resources/events/event_normalize.ts';
import { DAY, HOUR, timestamp } from '#shared/time.ts';
import { assessWorld } from '#bin/demo/assess.ts';
import { generate } from '#bin/demo/generate.ts';
import { type JudgedAlert, judgeWorld, ratesOf } from '#bin/demo/judge.ts';
import { scenarios } from '#bin/demo/scenarios/index.ts';
import { type Score, score } from '#bin/demo/score.ts';

const afternoon = Date.parse('2026-11-20T15:00:00.000Z');
const sunday = Date.parse('2026-11-22T12:00:00.000Z');
/** As an organization has them that has turned nothing on or off. */
const usual = detectors.filter(detector => !detector.off_by_default);
const newYear = Date.parse('2027-01-01T03:00:00.000Z');

test('the same seed and time make the same world, ids and all; another seed another', t => {
  const text = (seed: number) => JSON.stringify(generate(seed, afternoon));
  t.true(text(1) === text(1));
  t.false(text(1) === text(2));
});

test('every event is one the service takes, and is priced', t => {
  for (const now of [afternoon, sunday, newYear]) {
    const { events } = generate(3, now);
    const rates = ratesOf(now);
    const refused = events.flatMap(event => {
      const checked = normalizeEvent(event, { now, max_age_days: 400, rates });
      return checked.ok ? checked.warnings : checked.issues;
    });
    t.deepEqual(refused, []);
    t.is(new Set(events.map(event => event.id)).size, events.length);
  }
});

test('a world has its day, thinner weeks before it, and nothing in the future', t => {
  const { events, day } = generate(4, afternoon);
  const times = events.map(event => Date.parse(event.occurred_at));
  t.true(Math.max(...times) <= afternoon && Math.max(...times) > afternoon - HOUR);
  t.true(Math.min(...times) < afternoon - 30 * DAY);
  t.is(day, afternoon - DAY);
  const ofDay = times.filter(time => time >= day).length;
  t.true(events.length > 8_000 && events.length < 12_000, `${events.length} events`);
  t.true(ofDay > 10 * ((times.length - ofDay) / 34), 'the day is much busier than the days before');
});

test('events are sent nearly in the order in which they happened', t => {
  const times = generate(5, afternoon).events.map(event => Date.parse(event.occurred_at));
  const late = times.filter((time, index) => time < (times[index - 1] ?? 0)).length;
  t.true(late > 0 && late < times.length / 20, `${late} of ${times.length} are late`);
});

test('a larger world has more agents', t => {
  const agents = (size: number) => new Set(generate(1, afternoon, size).events.map(event => event.agent?.external_id));
  t.is(agents(10_000).size, 40);
  t.is(agents(1_000).size, 40);
  t.true(agents(40_000).size > 150);
});

test('every scenario is planted once, within the day, with an agent of its own, and its label names its events', t => {
  const { events, labels, day } = generate(6, afternoon);
  const byId = new Map(events.map(event => [event.id, event]));
  t.is(labels.length, scenarios.length);
  t.is(new Set(labels.map(({ agent }) => agent.external_id)).size, labels.length);
  for (const { scenario, agent, event_ids, from, to, detectors: names } of labels) {
    const planted = event_ids.map(id => byId.get(id));
    t.true(planted.length > 0 && planted.every(event => event?.agent?.external_id === agent.external_id), scenario);
    const times = planted.map(event => timestamp(Date.parse(event?.occurred_at ?? ''))).toSorted();
    t.is(times[0], from);
    t.is(times.at(-1), to);
    t.true(from >= timestamp(day));
    t.true(
      names.every(name => detectors.some(detector => detector.name === name)),
      scenario,
    );
  }
});

test('normal traffic holds what must stay silent', t => {
  const { events, labels, day } = generate(7, afternoon);
  const planted = new Set(labels.flatMap(label => label.event_ids));
  const normal = events.filter(event => !planted.has(event.id) && Date.parse(event.occurred_at) >= day);
  const count = (is: (event: (typeof events)[number]) => boolean) => normal.filter(is).length;
  t.true(count(event => event.description === 'Salary') >= 24, 'a monthly pay day');
  t.true(count(event => event.description === 'Wages') >= 14, 'a weekly one');
  t.true(count(event => event.description?.endsWith(', monthly') ?? false) >= 14, 'subscriptions');
  t.true(count(event => event.context?.run_id?.startsWith('nightly_') ?? false) >= 40, 'a batch of small calls');
  const again = normal.filter(event => event.context?.attempt === 2);
  t.true(again.length >= 10 && again.every(event => event.type !== 'payment.failed'), 'retries that pay once');
  const busy = normal.filter(event => event.payment.payee.name === 'Paperclip & Co');
  t.true(new Set(busy.map(event => event.agent?.external_id)).size >= 3, 'a shop that many agents pay');
});

for (const [name, now] of Object.entries({ afternoon, sunday, newYear })) {
  test(`every scenario is found, with at most 2 false alarms in 10,000 normal events: ${name}`, async t => {
    const scores: Score<JudgedAlert>[] = [];
    for (const seed of [11, 12, 13, 14, 15]) {
      const world = generate(seed, now);
      scores.push(score(world, judgeWorld(world.events, now, usual, await assessWorld(world, now))));
    }
    const missed = scores.flatMap(({ answers }) => answers.filter(({ alerts }) => alerts.length === 0));
    t.deepEqual(
      missed.map(({ label }) => `${label.scenario}: ${label.variant}`),
      [],
    );
    const normal = scores.reduce((sum, { normal_events }) => sum + normal_events, 0);
    const alarms = scores.flatMap(({ false_alarms }) => false_alarms);
    const told = alarms.map(({ detector, agent_id, title }) => `${detector} ${agent_id} ${title}`).join('\n');
    const judged = new Set(verdictDetectors.map(detector => detector.name));
    t.deepEqual(
      [...alarms, ...scores.flatMap(({ while_learning }) => while_learning)].filter(alert =>
        judged.has(alert.detector),
      ),
      [],
      'what is authorized and within its mandate is never told of',
    );
    t.true(
      alarms.length <= (2 * normal) / 10_000,
      `${alarms.length} false alarms in ${normal} normal events:\n${told}`,
    );
  });
}
