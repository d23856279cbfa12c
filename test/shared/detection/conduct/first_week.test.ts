import test from 'ava';
import { drainOf } from '#shared/detection/conduct/look_at_first_week.ts';
import { emptyHistory } from '#shared/detection/model/history.ts';
import type { Payment } from '#shared/events/log/payment.ts';
import { alikeFirstWeeks } from '#shared/detection/model/first_weeks.ts';
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
    /^The agent first paid \{payee\} on 2026-11-12, and made 4 payments of \$1 or more to it on 4 of the seven days from then on \(UTC\), \$144\.00 in total; none of the 2\d payees at hand that it began to pay before was paid on as many days of the first week, and none of some 2\d that the organization's agents began to pay \(about one in \d+ new payees\)\. This covers 4 payments, \$144\.00 in total\. Going by what is usual/,
  );
  t.is(first?.seqs.length, 4);
});

test('its days are one alert, however far apart and in which order they are told, and those of another payee another', t => {
  const later = drip(7).map((step, index) => ({ ...step, at: step.at + index * HOUR }));
  const told = toldOf(later);
  t.deepEqual(
    told.map(({ title }) => title.split(' ')[0]),
    ['4', '5', '6', '7'],
  );
  const [day, ...others] = drip(5);
  const late = conduct([...buyer.filter(({ at }) => at < noon), ...others, ...(day ? [day] : [])].toSorted(byArrival), {
    as_sent: true,
  });
  t.deepEqual([...new Set(late.map(({ subject }) => subject))], ['stranger']);
  const earlier = drip(7, { payee_id: 'other' }).map(step => ({ ...step, at: step.at - 3 * DAY }));
  t.not(toldOf([...earlier, ...drip(7)], 'other').length, 0);
  t.not(toldOf([...earlier, ...drip(7)]).length, 0);
});

test('whom an agent pays in its own first week is no drain: it may have paid them before anybody looked', t => {
  const paid = (payee_id: string, at: number): Payment =>
    ({
      payment_id: `${payee_id} ${at}`,
      payee_id,
      paid_at: at,
      paid_micro: 36_000_000n,
      refunded_micro: 0n,
    }) as Payment;
  const since = noon - 6 * DAY;
  const isDrain = (first: number, complete_from: number) => {
    const drip = every(DAY, 5, since).map(({ at }) => paid('stranger', at));
    const payments = [paid('shop', first), ...drip];
    const paid_payees = new Map([
      ['shop', first],
      ['stranger', since],
    ]);
    const history = { ...emptyHistory(), payments, paid: payments, paid_payees, complete_from };
    const [payment = paid('', 0)] = drip.slice(-1);
    const [event, payee] = [{ agent_id: 'agt_1', payee_id: 'stranger' }, { payers: [] }] as never[];
    return (
      drainOf(
        event ?? ({} as never),
        { history, payment, payee: payee as never },
        { asks: { new_payee_usd: 100 } as never },
      ) !== null
    );
  };
  t.false(isDrain(since - 6 * DAY, -Infinity));
  t.true(isDrain(since - 8 * DAY, -Infinity));
  t.false(isDrain(since - 2 * DAY, since - 2 * DAY), 'how old it is is not at hand');
});

/** As it occurred, but for the first day of a drip, which arrives last. */
const byArrival = (a: EventStep, b: EventStep) => arrivalOf(a) - arrivalOf(b);
const arrivalOf = ({ at, payee_id }: EventStep) => (payee_id === 'stranger' && at < until + HOUR ? noon : at);

/** Payments to one payee within two days, none of them larger than any other. */
const again = (count: number, step: Partial<EventStep> = {}): EventStep[] =>
  every(8 * HOUR, count, until).map((each, index) => ({
    ...each,
    usd: 30 + (index % 5),
    payee_id: 'stranger',
    ...step,
  }));

test('a new payee that gets much more in its first week than others do is told of, however few days that takes', t => {
  t.deepEqual(toldOf(again(3)), [], 'three payments come to less than matters');
  const told = toldOf(again(6));
  t.deepEqual([...new Set(told.map(({ detector }) => detector))], ['new_payee_high_amount']);
  const last = told.at(-1);
  t.is(last?.title, '6 payments to {payee}, new to the agent: $190.00');
  t.regex(
    last?.explanation ?? '',
    /^The agent first paid \{payee\} on 2026-11-12, and made 6 payments of \$1 or more to it on the first seven days \(UTC\), \$190\.00 in total; of the 2\d payees at hand that it began to pay before, none got more than \$\d\d\.00 in its first week \(about one in [\d,]+ new payees\)\. This covers 6 payments, \$190\.00 in total\. Going by what is usual/,
  );
  t.is(last?.seqs.length, 6);
});

test('what a payee gets in its first week is not told of where others got as much, or where many agents pay it', t => {
  const bought = buyer.flatMap(step => [0, 1, 2, 3, 4].map(hours => ({ ...step, at: step.at + hours * HOUR })));
  const toldBeside = (steps: EventStep[]) =>
    conduct([...bought.filter(({ at }) => at < noon), ...steps]).filter(({ title }) =>
      title.includes('new to the agent'),
    );
  t.deepEqual(toldBeside(again(6)), []);
  const crowd = Array.from({ length: 5 }, (_, index) => again(6, { agent_id: `agt_${index + 1}` })).flat();
  t.deepEqual(
    toldOf(crowd).filter(({ title }) => title.includes('new to the agent')),
    [],
  );
});

test('one drain does not excuse the next, whether its alert is open or was resolved as justified', t => {
  const paid = [
    ...buyer.map(step => ({ ...step, at: step.at - 16 * DAY })).filter(({ at }) => at < until - DAY),
    ...again(6, { payee_id: 'earlier' }).map(step => ({ ...step, at: step.at - 9 * DAY })),
    ...again(6),
  ];
  for (const resolved of [[], ['earlier']])
    t.true(
      conduct(paid, { resolved }).some(({ subject }) => subject === 'stranger'),
      resolved.join(),
    );
});

test('it is not told of for little money, nor for cents', t => {
  t.deepEqual(toldOf(drip(7, { usd: 14 })), []);
  t.not(toldOf(drip(7, { usd: 15 })).length, 0);
  const calls = drip(7).flatMap(step => every(MINUTE, 30, step.at).map(call => ({ ...step, ...call, usd: 0.9 })));
  t.false(toldOf(calls).some(({ title }) => title.includes('new to the agent')));
});

test('what four other agents pay as well is a provider, and what three pay may be a drain of all', t => {
  const drained = (agents: number) =>
    Array.from({ length: agents }, (_, index) => drip(6, { agent_id: `agt_${index + 1}` })).flat();
  t.not(toldOf(drained(4)).length, 0);
  t.deepEqual(toldOf(drained(5)), []);
});

test('neither one payment that is authorized again and again nor a back-fill from the newest on teaches that payees begin so', t => {
  const other = { agent_id: 'agt_2', payee_id: 'tab', usd: 20 };
  const tab = every(DAY, 3, until - 9 * DAY, other);
  const raised = every(HOUR, 20, until - 6 * DAY - 6 * HOUR).map((step, index) => ({
    ...other,
    ...step,
    usd: 20 + index,
    payment_id: 'pay_tab',
    type: 'payment.authorized' as const,
  }));
  const crowd = [2, 3, 4].flatMap(agent =>
    buyer.map(step => ({ ...step, agent_id: `agt_1${agent}`, payee_id: `${step.payee_id}-${agent}` })),
  );
  t.not(toldOf([...crowd.filter(({ at }) => at < noon), ...tab, ...raised, ...drip(4)]).length, 0);
  const backwards = every(DAY, 30, until - 40 * DAY, other).toReversed();
  const told = conduct(
    [...backwards, ...[...buyer.filter(({ at }) => at < noon), ...drip(5)].toSorted((a, b) => a.at - b.at)],
    { as_sent: true },
  );
  t.true(told.some(({ subject }) => subject === 'stranger'));
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
  t.is(alikeFirstWeeks([9, 1, 0, 0, 0, 0, 0], 4), null);
  t.deepEqual(alikeFirstWeeks([99, 10, 2, 0, 0, 0, 0], 4), { all: 99, as_many: 0 });
  t.deepEqual(alikeFirstWeeks([10, 10, 10, 12, 0, 0, 0], 4), { all: 10, as_many: 10 });
});
