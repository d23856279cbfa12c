import test from 'ava';
import { catalog, detectorNames } from '#shared/detection/detectors/index.ts';
import { normalizeEvent } from '#shared/events/input/event_normalize.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { generate } from '#bin/demo/generate.ts';
import { ratesOf } from '#test/worlds/log.ts';
import { nearMisses } from '#bin/demo/near_misses.ts';
import { scenarios } from '#bin/demo/scenarios/index.ts';
import { library } from '#test/worlds/library.ts';

const afternoon = Date.parse('2026-11-20T15:00:00.000Z');
const sunday = Date.parse('2026-11-22T12:00:00.000Z');
const newYear = Date.parse('2027-01-01T03:00:00.000Z');

// Making a world takes a second or two, most of it for the signatures: several tests look at one.
const ofAfternoon = generate(1, afternoon);
const ofSunday = generate(3, sunday);
const large = { afternoon: generate(7, afternoon, { size: 22_500 }), sunday: generate(7, sunday, { size: 22_500 }) };

test('the same seed and time make the same world, ids and all; another seed another', t => {
  const text = JSON.stringify(ofAfternoon);
  t.true(text === JSON.stringify(generate(1, afternoon)));
  t.false(text === JSON.stringify(generate(2, afternoon)));
});

test('every event is one the service takes, and is priced', t => {
  for (const [now, { events }] of [[sunday, ofSunday] as const, [newYear, generate(3, newYear)] as const]) {
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
  const { events, day } = ofAfternoon;
  const times = events.map(event => Date.parse(event.occurred_at));
  t.true(Math.max(...times) <= afternoon && Math.max(...times) > afternoon - HOUR);
  t.true(Math.min(...times) < afternoon - 30 * DAY);
  t.is(day, afternoon - DAY);
  const ofDay = times.filter(time => time >= day).length;
  t.true(events.length > 11_000 && events.length < 14_000, `${events.length} events`);
  t.true(ofDay > 10 * ((times.length - ofDay) / 34), 'the day is much busier than the days before');
});

test('events are sent nearly in the order in which they happened', t => {
  const times = ofAfternoon.events.map(event => Date.parse(event.occurred_at));
  const late = times.filter((time, index) => time < (times[index - 1] ?? 0)).length;
  t.true(late > 0 && late < times.length / 20, `${late} of ${times.length} are late`);
});

test('a larger world has more agents, a smaller one has not fewer', t => {
  const agents = ({ events }: typeof ofAfternoon) => new Set(events.map(event => event.agent?.external_id)).size;
  t.true(agents(large.afternoon) > 1.7 * agents(ofAfternoon));
  t.true(agents(generate(1, afternoon, { size: 1_000 })) >= agents(ofAfternoon));
});

test('every scenario is planted once, within the day, with agents of its own, and its label names its events', t => {
  const { events, labels, day } = ofAfternoon;
  const byId = new Map(events.map(event => [event.id, event]));
  t.is(labels.length, scenarios.length);
  const befallen = labels.flatMap(({ agents }) => agents.map(({ external_id }) => external_id));
  t.is(new Set(befallen).size, befallen.length);
  for (const { scenario, agents, event_ids, from, to, detectors: names } of labels) {
    const planted = event_ids.map(id => byId.get(id));
    const theirs = agents.map(({ external_id }) => external_id);
    t.deepEqual([...new Set(planted.map(event => event?.agent?.external_id))].toSorted(), theirs.toSorted(), scenario);
    const times = planted.map(event => timestamp(Date.parse(event?.occurred_at ?? ''))).toSorted();
    t.is(times[0], from);
    t.is(times.at(-1), to);
    t.true(from >= timestamp(day));
    t.true(
      names.every(name => detectorNames.includes(name)),
      scenario,
    );
  }
});

test('every detector has a scenario of its own in the library, but for what a world cannot show', t => {
  const meant = new Set(library.map(({ detectors: [first] }) => first));
  t.deepEqual(
    catalog.filter(({ name, off_by_default }) => !off_by_default && !meant.has(name)).map(({ name }) => name),
    ['silent_source'],
  );
});

for (const [name, now] of [['afternoon', afternoon] as const, ['sunday', sunday] as const])
  test(`normal traffic holds what looks suspicious and must stay silent: ${name}`, t => {
    const { events, labels, near_misses, day } = large[name];
    const planted = new Set(labels.flatMap(label => label.event_ids));
    const ofDay = new Map(events.filter(event => Date.parse(event.occurred_at) >= day).map(event => [event.id, event]));
    for (const kind of nearMisses) {
      // Offices are closed.
      if (now === sunday && officeHours.has(kind)) continue;
      const ids = near_misses.get(kind) ?? [];
      t.true(ids.length > 0 && ids.every(id => ofDay.has(id) && !planted.has(id)), kind);
    }
    t.true(new Set([...ofDay.values()].map(event => event.occurred_at.slice(23))).size >= 5, 'time zones');
    const salaries = [...ofDay.values()].filter(event => event.description === 'Salary');
    t.true(salaries.length >= 24, 'a monthly pay day');
    const busy = [...ofDay.values()].filter(event => event.payment.payee.name === 'Paperclip & Co');
    if (now === afternoon) t.true(new Set(busy.map(event => event.agent?.external_id)).size >= 5, 'a busy shop');
  });

const officeHours = new Set<string>([
  'shop that many agents pay',
  'back after 20 days',
  'partial refund',
  'captured six days later',
  'confirmed by a second source',
]);
