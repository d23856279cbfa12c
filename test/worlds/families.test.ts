import test from 'ava';
import { createRandom } from '#bin/demo/random.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import { tally, type Watched } from '#test/bench/detectors/families/tally.ts';
import type { Hit } from './families/judge.ts';
import { merged } from './families/merge.ts';
import type { FamilyLabel } from './families/plant.ts';
import { familyWorld, phases } from './families/world.ts';
import { logOfArrivals } from './log.ts';

const NOW = Date.parse('2026-11-20T15:00:00Z');

for (const phase of phases)
  test(`a world of families is the same every time, and its labels name events that are sent: ${phase}`, t => {
    const worlds = [familyWorld(7, phase, NOW), familyWorld(7, phase, NOW)];
    const [sent = [], again] = worlds.map(world => [...world.events()]);
    t.true(JSON.stringify(sent) === JSON.stringify(again));
    const ids = new Set(sent.map(({ input }) => input.id));
    t.is(ids.size, sent.length);
    const labels = worlds[0]?.labels ?? [];
    t.true(labels.length > 0);
    // What is settled after the end is not sent.
    t.true(labels.every(label => label.event_ids.some(id => ids.has(id))));
    t.is(logOfArrivals(sent, NOW).length, sent.length);
    t.true(sent.every(({ received_at }, index) => received_at >= (sent[index - 1]?.received_at ?? 0)));
    t.true(sent.every(({ input, received_at }) => Date.parse(input.occurred_at) <= received_at));
  });

test('ordered streams become one ordered stream', t => {
  const random = createRandom('merge');
  const streams = Array.from({ length: 9 }, (_, index) =>
    Array.from({ length: index * 3 }, () => random.int(0, 50)).toSorted((a, b) => a - b),
  );
  const all = streams.flat().toSorted((a, b) => a - b);
  t.deepEqual(
    [
      ...merged(
        streams.map(stream => stream.values()),
        value => value,
      ),
    ],
    all,
  );
});

const label: FamilyLabel = {
  kind: 'takeover',
  strength: 'strong',
  agents: ['a'],
  from: NOW,
  to: NOW + HOUR,
  payments: ['p'],
  event_ids: ['planted'],
};
const watched: Watched = {
  labels: [label],
  agents: ['a', 'b'].map(id => ({ id, family: 'shopper', from: NOW - 30 * DAY, to: NOW })),
  events: 1_000,
  counted_from: NOW - 30 * DAY,
  disordered: false,
  is_behavioral: detector => detector !== 'runaway_loop',
};
const hit = (of: Partial<Hit>): Hit => ({
  detector: 'spend_velocity',
  agent_id: 'b',
  whichever_agent: false,
  subject: '',
  at: NOW,
  event_id: 'ordinary',
  score: 60,
  explanation: '',
  ...of,
});

test('an alert about what was planted answers it, and one that follows from it is neither right nor wrong', t => {
  const { found, agents, aftermath, alerts } = tally(watched, [
    hit({ agent_id: 'a', event_id: 'planted', at: NOW + HOUR }),
    hit({ agent_id: 'a', detector: 'amount_outlier', at: NOW + 20 * HOUR }),
  ]);
  t.deepEqual(found, [{ kind: 'takeover', strength: 'strong', found: true, by_any: true, delay: HOUR }]);
  t.deepEqual([alerts, aftermath], [2, 1]);
  t.true(agents.every(({ alarms, incidents }) => alarms === 0 && incidents === 0));
});

test('alerts of an agent within a day are one incident, and one that rests for longer than a day begins anew', t => {
  const { agents, alerts, incidents, never_closed } = tally(watched, [
    hit({ at: NOW - 9 * DAY }),
    hit({ at: NOW - 9 * DAY + 20 * HOUR }),
    hit({ at: NOW - 9 * DAY + HOUR, detector: 'amount_outlier' }),
    hit({ at: NOW - 5 * DAY }),
  ]);
  t.deepEqual([alerts, incidents, never_closed], [3, 2, 2]);
  t.like(agents[1], { months: 1, alarms: 3, incidents: 2 });
});

test('what a hard detector says of ordinary conduct is counted by itself', t => {
  const { agents, hard, found } = tally(watched, [
    hit({ detector: 'runaway_loop' }),
    hit({ detector: 'runaway_loop', agent_id: 'a', event_id: 'planted' }),
  ]);
  t.is(agents[1]?.alarms, 0);
  t.deepEqual([...hard], [['runaway_loop', 1]]);
  t.like(found[0], { found: false, by_any: true });
});
