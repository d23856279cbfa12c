import test from 'ava';
import { shareOfFirstWeeks } from '#shared/detection/model/first_weeks.ts';
import { DAY } from '#shared/values/time.ts';
import { every, type EventStep, HOUR, MINUTE, noon } from '#test/helpers/play.ts';
import { conduct } from './judged.ts';

/** An agent that buys $35 or so from somebody new every second day for sixty days, and again two days and a month later. */
const buyer: EventStep[] = every(2 * DAY, 30, noon - 60 * DAY).flatMap((step, index) =>
  [0, 2 * DAY, 30 * DAY].map((later, time) => ({
    ...step,
    // At any hour of the day.
    at: step.at + later + ((7 * index + 5 * time) % 24) * HOUR,
    usd: 28 + ((index + 3 * time) % 9),
    payee_id: `shop-${index}`,
  })),
);

const until = noon - 8 * DAY;
const drip = (count: number, step: Partial<EventStep> = {}): EventStep[] =>
  every(DAY, count, until).map((each, index) => ({
    ...each,
    // A little earlier or later each day.
    at: each.at + (index % 3) * 20 * MINUTE - 20 * MINUTE * (index % 2),
    usd: 36,
    payee_id: 'stranger',
    ...step,
  }));

const toldOf = (steps: EventStep[], payee_id = 'stranger') =>
  conduct([...buyer.filter(({ at }) => at < noon), ...steps]).filter(({ subject }) => subject === payee_id);

test('a new payee that is paid day after day is told of, where others are paid once or twice in their first week', t => {
  t.deepEqual(toldOf(drip(3)), [], 'three days say nothing');
  const [first] = toldOf(drip(4));
  t.is(first?.detector, 'new_payee_high_amount');
  t.is(first?.title, '4 payments on 4 days to {payee}, new to the agent: $144.00');
  t.regex(
    first?.explanation ?? '',
    /^The agent made 4 payments to \{payee\}, \$144\.00 in total, on 4 of the first 4 days since it first paid it; of the 2\d payees that it began to pay before, none was paid on as many days of the first week, and of the payees that the organization's agents began to pay, 1\.\d% were \(about one in \d+ new payees\)\. This covers 4 payments, \$144\.00 in total\. Going by what is usual/,
  );
  t.is(first?.seqs.length, 4);
  t.is(toldOf(drip(6)).at(-1)?.title, '6 payments on 6 days to {payee}, new to the agent: $216.00');
});

test('it is not told of for little money, nor for cents', t => {
  t.deepEqual(toldOf(drip(7, { usd: 14 })), []);
  t.not(toldOf(drip(7, { usd: 15 })).length, 0);
  const calls = drip(7).flatMap(step => every(MINUTE, 30, step.at).map(call => ({ ...step, ...call, usd: 0.9 })));
  t.false(toldOf(calls).some(({ title }) => title.includes('new to the agent')));
});

test('what two other agents pay as well is a provider, and what one other pays is not', t => {
  const joined = (agents: number) => [
    ...Array.from({ length: agents }, (_, index) =>
      every(DAY, 2, until - 4 * DAY).map(step => ({
        ...step,
        agent_id: `agt_${index + 2}`,
        usd: 12,
        payee_id: 'stranger',
      })),
    ).flat(),
    ...drip(6),
  ];
  t.not(toldOf(joined(1)).length, 0);
  t.deepEqual(toldOf(joined(2)), []);
});

test('an agent that has always begun so with its payees goes on doing so', t => {
  const regular: EventStep[] = every(9 * DAY, 9, noon - 90 * DAY).flatMap((step, index) =>
    every(DAY, 6, step.at).map(each => ({ ...each, usd: 30 + (index % 5), payee_id: `regular-${index}` })),
  );
  t.deepEqual(
    conduct([...regular, ...drip(6)]).filter(({ subject }) => subject === 'stranger'),
    [],
  );
});

test('nothing is known of how new payees begin before there were ten', t => {
  t.is(shareOfFirstWeeks([9, 1, 0, 0, 0, 0, 0], 4), null);
  t.is(shareOfFirstWeeks([99, 10, 2, 0, 0, 0, 0], 4), 0.005);
  t.is(shareOfFirstWeeks([99, 10, 9.5, 9.5, 0, 0, 0], 4), 0.1);
});
