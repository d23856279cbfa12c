import test from 'ava';
import { every, type EventStep, HOUR, MINUTE, noon, play, SECOND } from '#test/helpers/play.ts';
import { DAY } from '#shared/values/time.ts';

const told = (steps: EventStep[], params = {}) => play(steps, 'duplicate_payment', { params });

/** Twenty purchases in ten days, no two of one price. */
const varied = every(12 * HOUR, 20, noon - 12 * DAY).map((step, index) => ({
  ...step,
  usd: 81.3 + 7.7 * index,
  payee_id: `shop-${index % 4}`,
}));
const odd = { usd: 147.35, payee_id: 'shop-1' };
const again = (more: Partial<EventStep> = {}, gap = 5 * HOUR) => [
  { ...odd, ...more, at: noon },
  { ...odd, ...more, at: noon + gap },
];

test('an odd sum that is paid again within three days is told where the agent pays no sum twice', t => {
  for (const gap of [11 * MINUTE, 2 * HOUR, 18 * HOUR, 2.5 * DAY]) {
    const [finding, ...more] = told([...varied, ...again({}, gap)]);
    t.is(finding?.score, 60);
    t.is(finding?.title, 'Paid {payee} $147.35 twice');
    t.deepEqual(finding?.seqs, [21, 22]);
    t.regex(
      finding?.explanation ?? '',
      /a sum that no other of the agent's latest 22 payments has, .* again within 3 d, /,
    );
    t.deepEqual(more, []);
  }
  t.deepEqual(told([...varied, ...again({}, 3.5 * DAY)]), []);
  t.is(told([...varied, ...again({}, 3.5 * DAY)], { same_sum_window_s: 5 * 86_400 }).length, 1);
  t.is(told([...varied, ...again({}, 9 * MINUTE)])[0]?.score, 70, 'minutes later it is a duplicate as ever');
});

test('a pay run that is sent again hours later is told for each payment of it', t => {
  const run = (at: number) =>
    every(20 * SECOND, 6, at).map((step, index) => ({
      ...step,
      usd: 1_203.17 + 91.07 * index,
      payee_id: `p-${index}`,
    }));
  t.is(told([...varied, ...run(noon), ...run(noon + 5 * HOUR)]).length, 6);
});

test('what begins to be paid again and again is told until it is six payments', t => {
  const hourly = every(HOUR, 30, noon, odd);
  const found = told([...varied, ...hourly]);
  t.deepEqual(
    found.map(({ seqs }) => seqs.length),
    [2, 3, 4, 5, 6],
  );
  t.is(found[1]?.title, 'Paid {payee} $147.35 3 times');
  t.regex(found[1]?.explanation ?? '', /^3 payments of \$147\.35 to \{payee\} within 2 h, a sum that no other /);
});

test('a sum that was paid a day later, and then again, is told', t => {
  const copies = [0, DAY, DAY + 6 * HOUR].map(gap => ({ ...odd, at: noon + gap }));
  t.deepEqual(
    told([...varied, ...copies]).map(({ seqs }) => seqs),
    [[21, 22, 23]],
  );
  t.deepEqual(told([...varied, ...copies, { ...odd, at: noon + 7 * DAY + HOUR }]).length, 1, 'a week later no more');
});

test('what may be bought again is no odd sum: price tags, small sums, what comes daily, and what the agent pays at other times', t => {
  t.is(told([...varied, ...again()]).length, 1);
  for (const usd of [148, 147.5, 147.95, 147.99, 49.35])
    t.deepEqual(told([...varied, ...again({ usd })]), [], String(usd));
  for (const gap of [DAY, 22 * HOUR, 2 * DAY + HOUR]) t.deepEqual(told([...varied, ...again({}, gap)]), []);
  t.deepEqual(told([...varied, ...again({ resource_key: 'seat' }, DAY)]), [], 'the next day it is bought again');
  t.deepEqual(told([...varied.slice(-7), ...again()]), [], 'a short record tells nothing');
  t.deepEqual(told([{ ...odd, at: noon - 13 * DAY, payee_id: 'shop-2' }, ...varied, ...again()]), []);
  const other = every(7 * HOUR, 2, noon - 3 * DAY, { usd: 99.13, payee_id: 'shop-3' });
  t.deepEqual(
    told([...varied, ...other, ...again()]).map(({ title }) => title),
    ['Paid {payee} $99.13 twice'],
    'it has paid twice before',
  );
});

test('another call, one payment under two ids, what never settled and what was refunded in part are no odd sum paid twice', t => {
  const none = (steps: EventStep[], why: string) => t.deepEqual(told([...varied, ...steps]), [], why);
  const first = { ...odd, at: noon };
  const second = { ...odd, at: noon + 5 * HOUR };
  none(
    again().map((step, index) => ({ ...step, tool_call_key: `call ${index}` })),
    'another call',
  );
  none([{ ...first, type: 'payment.authorized' }, second], 'reported under two ids, or expired');
  none(
    [first, { ...first, at: noon + HOUR, type: 'payment.refunded', usd: 20, payment_id: 'pay_21' }, second],
    'rebooked',
  );
});

test('a window for invoices or calls that is shorter than that for odd sums stays as it is', t => {
  const round = { usd: 100, payee_id: 'shop-1', tool_call_key: 'one' };
  const pair = every(2.5 * DAY, 2, noon, round);
  t.deepEqual(told([...varied, ...pair]), []);
  t.deepEqual(told([...varied, ...every(300 * SECOND, 2, noon, round)], { same_call_window_s: 60 })[0]?.score, 70);
});

test('what was asked for on two days is paid twice, whenever a bank settles it', t => {
  const asked = (payment_id: string, ago: number, settled: number): EventStep[] => [
    { at: noon - ago, usd: 210, payment_id, type: 'payment.requested' },
    { at: noon + settled, usd: 210, payment_id },
  ];
  const settledTogether = (apart: number) =>
    [...asked('pay_a', apart, 0), ...asked('pay_b', 0, 2 * MINUTE)].toSorted((a, b) => a.at - b.at);
  t.deepEqual(told(settledTogether(DAY)), []);
  t.is(told(settledTogether(HOUR)).length, 1);
});
