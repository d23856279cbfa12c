import test from 'ava';
import { DAY, SECOND } from '#shared/values/time.ts';
import { every, type EventStep, HOUR, MINUTE, noon } from '#test/helpers/play.ts';
import { conduct } from './judged.ts';

/** An agent that pays one of three shops $20 or so every six hours, for so many days until noon. */
const shopper = (days: number): EventStep[] =>
  every(6 * HOUR, days * 4, noon - days * DAY, {}).map((step, index) => ({
    ...step,
    usd: 18 + (index % 5),
    payee_id: `shop-${index % 3}`,
    payee_country: 'US',
  }));

test('an agent that nobody knows is no reason for an alert, whatever it pays and to whom', t => {
  const busy = every(10 * MINUTE, 60, noon, {}).map((step, index) => ({
    ...step,
    usd: 400 + index,
    payee_id: `p-${index}`,
  }));
  t.deepEqual(conduct([{ at: noon, usd: 9_000 }]), []);
  t.deepEqual(conduct(busy), []);
});

test('what is far from its record is told, with what is usual, how rare it is and what it counts', t => {
  const [first, ...others] = conduct([...shopper(20), { at: noon, usd: 900, payee_id: 'shop-1', payee_country: 'US' }]);
  t.deepEqual(others, []);
  t.regex(first?.title ?? '', /^\$900\.00 (to \{payee\}, from an agent that usually pays about \$20\.00|spent within)/);
  t.regex(
    first?.explanation ?? '',
    /\((about one in [\d,]+|less than one in 10,000) (payments|such periods|days with payments)\)/,
  );
  t.regex(
    first?.explanation ?? '',
    /something like this happens about once in [\d.,]+ (months|years)\. An alert is raised for what happens at most once in/,
  );
  t.deepEqual([first?.counted?.payments, first?.counted?.spend_micro, first?.conduct_at], [1, 900_000_000n, noon]);
});

test('several reasons are one alert, of the strongest, that says them all', t => {
  const abroad = { at: noon, usd: 900, payee_id: 'stranger', payee_country: 'BR' };
  const alerts = conduct([...shopper(20), abroad, { ...abroad, at: noon + HOUR }]);
  t.is(new Set(alerts.map(({ detector, subject }) => `${detector} ${subject}`)).size, 1);
  t.regex(alerts[0]?.explanation ?? '', / Also, /);
  const plain = conduct([...shopper(20), { at: noon, usd: 900, payee_id: 'shop-1', payee_country: 'US' }]);
  t.true((alerts[0]?.score ?? 0) > (plain[0]?.score ?? 0), 'the more reasons, the graver');
});

test('what an agent does all the time is not told: new payees, large sums, pay day', t => {
  const payouts = Array.from({ length: 20 }, (_, day) =>
    every(MINUTE, 25, noon - (20 - day) * DAY, {}).map((step, index) => ({
      ...step,
      usd: 50 + ((index * 37 + day * 11) % 400),
      payee_id: `person-${day}-${index}`,
    })),
  ).flat();
  t.deepEqual(conduct(payouts), []);
  const payday = [0, 1, 2, 3].flatMap(week =>
    every(SECOND, 12, noon - week * 14 * DAY, {}).map((step, index) => ({
      ...step,
      usd: 2_000 + index,
      payee_id: `staff-${index}`,
    })),
  );
  t.deepEqual(conduct(payday), []);
});

test('a report that comes late is held against what its own payee got, whatever payee the payment has by now', t => {
  const large = { usd: 3_000, payment_id: 'large', payee_country: 'US' };
  const told = conduct(
    [
      ...shopper(20),
      { at: noon - 10 * DAY + MINUTE, usd: 600, payee_id: 'landlord', payee_country: 'US' },
      { at: noon + MINUTE, ...large, payee_id: 'landlord', type: 'payment.requested' },
      { at: noon, ...large, payee_id: 'stranger' },
    ],
    { as_sent: true, budget: 10 },
  );
  const late = told.find(({ conduct_at }) => conduct_at === noon);
  t.regex(late?.explanation ?? '', /\$3,000\.00 to \{payee\} is 150 times what the agent usually pays/);
});

test('what cannot matter is not told, however rare it is', t => {
  const cheap = shopper(20).map(step => ({ ...step, usd: 0.001 }));
  t.deepEqual(conduct([...cheap, { at: noon, usd: 0.5, payee_id: 'shop-1', payee_country: 'US' }]), []);
});

test('twice what an even agent usually spends cannot matter, five times can', t => {
  const even = every(DAY, 22, noon - 22 * DAY, { usd: 311, payee_id: 'shop-1', payee_country: 'US' });
  const spent = (usd: number) => conduct([...even, { at: noon, usd, payee_id: 'shop-1', payee_country: 'US' }]);
  t.false(spent(620).some(({ title }) => title.includes('spent within')));
  t.is(spent(311 * 6)[0]?.title, '$1,866.00 spent within 24 h');
});

test('a runaway agent is told of while it runs, and is one alert', t => {
  const loop = every(4 * SECOND, 300, noon, { usd: 5, payee_id: 'shop-1', payee_country: 'US' });
  const alerts = conduct([...shopper(10), ...loop]);
  t.true(alerts.length > 1);
  t.is(new Set(alerts.map(({ detector, subject }) => `${detector} ${subject}`)).size, 1);
  t.true((alerts[0]?.seqs.length ?? 0) < 100, 'before it has spent everything');
  t.true(alerts.every(({ seqs, counted }) => counted?.payments === seqs.length));
});

test('many more payments than usual are told though each of them, and their sum, are ordinary', t => {
  const amounts = [2, 90, 5, 4, 150, 3, 8, 40];
  const errands = every(3 * HOUR, 8 * 21, noon - 21 * DAY, { payee_id: 'shop-1', payee_country: 'US' });
  const varied = errands.map((step, index) => ({ ...step, usd: amounts[(index * 5) % 8] ?? 1 }));
  const many = every(4 * MINUTE, 70, noon, { usd: 8, payee_id: 'shop-1', payee_country: 'US' });
  const [first] = conduct([...varied, ...many]);
  t.is(first?.detector, 'spend_velocity');
  t.regex(first?.title ?? '', /^\$[\d.]+ spent within (6 h|24 h), in \d+ payments$/);
  t.regex(first?.explanation ?? '', /the median was \d+ payments? and the maximum \d+/);
  t.is(first?.counted?.payments, first?.seqs.length);
  t.deepEqual(conduct([...varied, ...many.slice(0, 3)]), [], 'a few more are chance');
});

test('in its first days an agent is held against what it did hours ago', t => {
  const morning = every(20 * MINUTE, 40, noon - 20 * HOUR, {}).map((step, index) => ({
    ...step,
    usd: 18 + (index % 5),
    payee_id: `shop-${index % 3}`,
  }));
  const [first] = conduct([...morning, { at: noon, usd: 4_000, payee_id: 'shop-1' }]);
  t.regex(first?.explanation ?? '', /of its 40 payments outside these 6 h \(over 24 h\)/);
});

test('an agent on its first day is held against other agents on its rail, where they are alike', t => {
  const newcomer = every(HOUR, 4, noon, { usd: 2_000, agent_id: 'newcomer', payee_id: 'shop-1' });
  const alike = agents(agent => 15 + (agent % 7));
  const told = conduct([...alike, ...newcomer]);
  const explanations = told.map(({ explanation }) => explanation).join(' ');
  t.regex(
    explanations,
    /on their first days, other agents spent a median of \$\d+\.\d+, and nine in ten spent \$[\d,.]+ or less/,
  );
  t.regex(
    explanations,
    /the agent has no record of other days yet; of other agents on the same rail, nine in ten payments are \$2\d\.\d+ or less/,
  );
  t.true(told.every(({ counted, seqs }) => counted?.payments === seqs.length));
  t.deepEqual(conduct([...alike, ...newcomer.map(step => ({ ...step, usd: 25 }))]), [], 'it pays what others pay');
  t.deepEqual(conduct([...agents(agent => 10 ** (agent % 4)), ...newcomer]), [], 'where agents differ it is nothing');
  t.deepEqual(conduct(newcomer), [], 'where there are no others, nobody knows');
});

/** Thirty agents that pay four times a day for five days, each about what it always pays. */
const agents = (usdOf: (agent: number) => number, more: Partial<EventStep> = {}): EventStep[] =>
  Array.from({ length: 30 }, (_, agent) =>
    every(6 * HOUR, 20, noon - 5 * DAY, {}).map((step, index) => ({
      ...step,
      ...more,
      agent_id: `other-${agent}`,
      usd: usdOf(agent) * (0.7 + 0.2 * ((index + agent) % 5)),
      payee_id: `shop-${index % 3}`,
    })),
  ).flat();

test('while its record is short an agent is drawn toward its peers, on its rail and where they are alike', t => {
  const own = { agent_id: 'young', payee_id: 'shop-1' };
  const young = every(4 * HOUR, 8, noon - 36 * HOUR, { ...own, usd: 20 }).map((step, index) => ({
    ...step,
    usd: 14 + 2 * (index % 4),
  }));
  const misuse = every(10 * MINUTE, 3, noon + MINUTE, { ...own, usd: 65 });
  const told = (others: EventStep[]) => conduct([...others, ...young, ...misuse]);
  const [first] = told(agents(agent => 18 + (agent % 5)));
  t.regex(first?.explanation ?? '', /; of other agents on the same rail, nine in ten payments are \$\d\d\.\d+ or less/);
  t.is(first?.counted?.payments, first?.seqs.length);
  t.notRegex(told(agents(agent => 2 ** (agent % 8))).at(0)?.explanation ?? '', /other agents on/, 'they differ');
  t.notRegex(told(agents(() => 20, { rail: 'ach' })).at(0)?.explanation ?? '', /other agents on/, 'another rail');
});

test('what an agent did before is expected of it again, whatever its peers do', t => {
  const own = { agent_id: 'lessor', payee_id: 'landlord' };
  const small = every(12 * HOUR, 8, noon - 5 * DAY, { ...own, usd: 20 });
  const rent = (at: number) => ({ ...own, at, usd: 900, payee_id: `landlord-${at}` });
  const told = conduct([...agents(agent => 18 + (agent % 5)), ...small, rent(noon - 2 * DAY), rent(noon + MINUTE)]);
  t.is(told.filter(({ conduct_at }) => conduct_at === noon + MINUTE).length, 0);
});

/** An agent that pays a cent every half an hour, for so many days until noon. */
const poller = (days: number): EventStep[] =>
  every(30 * MINUTE, days * 48, noon - days * DAY, { usd: 0.01, payee_id: 'api', payee_country: 'US' });

test('what an agent did before its payments at hand counts: a rare task beside a busy one', t => {
  const invoices = (at: number) =>
    every(MINUTE, 12, at + SECOND, {}).map((step, index) => ({
      ...step,
      usd: 300 + index,
      payee_id: `supplier-${index}`,
      payee_country: 'US',
    }));
  const fortnight = [28, 14].flatMap(days => invoices(noon - days * DAY));
  t.deepEqual(
    conduct([...poller(40), ...fortnight, ...invoices(noon)]).filter(found => (found.conduct_at ?? 0) >= noon),
    [],
  );
  t.true(conduct([...poller(40), ...invoices(noon)]).length > 0, 'for the first time it is told');
});

test('a payment that could begin a new task is told the sooner the longer the record is, and one to a known payee before', t => {
  const told = (days: number, payee_id: string) =>
    conduct([...poller(days), { at: noon + SECOND, usd: 900, payee_id, payee_country: 'US' }]).length;
  t.deepEqual([told(1.5, 'stranger'), told(5, 'stranger')], [0, 1]);
  t.is(told(1.5, 'api'), 1);
});

test('a payment that is older than all at hand is named by what is told of it', t => {
  const polling = every(5 * MINUTE, 12 * 24 * 10, noon - 10 * DAY, { usd: 3 });
  const spree = every(20 * SECOND, 150, noon - 3 * DAY, { usd: 3 });
  const told = conduct([...polling, ...spree], { as_sent: true });
  t.true(told.length > 0);
  for (const { seqs } of told) t.true(seqs.length > 0);
});

test('the hour counts: what is ordinary at noon for an agent that pays by day is told at night', t => {
  const byDay = Array.from({ length: 90 }, (_, index) => {
    const day = Math.floor(index / 3);
    const at = noon - (30 - day) * DAY + (index % 3) * 2 * HOUR;
    return { at, usd: 10 * 2 ** ((day + (index % 3)) % 5), payee_id: 'shop', payee_country: 'US' };
  });
  const much = { usd: 200, payee_id: 'shop', payee_country: 'US' };
  t.deepEqual(conduct([...byDay, { ...much, at: noon }]), []);
  const [alert] = conduct([...byDay, { ...much, at: noon + 12 * HOUR }]);
  const { explanation = '' } = alert ?? {};
  t.true(
    explanation.includes(
      ' The time of day, 00:00 UTC, is unusual for this agent (none of its 90 other active hours was within 2 hours of it), which makes this 10 times as rare. ',
    ),
    explanation,
  );
});

test('the alert budget decides how rare it has to be', t => {
  const steps = [...shopper(20), { at: noon, usd: 45, payee_id: 'shop-1', payee_country: 'US' }];
  const told = [0.01, 0.1, 1, 10].map(budget => conduct(steps, { budget }).length);
  t.deepEqual(
    told,
    told.toSorted((a, b) => a - b),
  );
  t.is(told[0], 0);
  t.true((told.at(-1) ?? 0) > 0);
});

test('whoever sets parameters gets them', t => {
  const first = [{ at: noon, usd: 500 }];
  t.deepEqual(conduct(first), []);
  const [alert] = conduct(first, { set: 'spend_velocity' });
  t.is(alert?.title, '$500.00 spent within 1 h');
  t.is(alert?.conduct_at, undefined);
});

test('a high-risk country and a price above what was authorized are told from the first event on', t => {
  t.is(conduct([{ at: noon, usd: 5, payee_country: 'IR' }])[0]?.detector, 'country_change');
  const [charged] = conduct([
    { at: noon, usd: 5, payment_id: 'p', type: 'payment.authorized' },
    { at: noon + SECOND, usd: 9, payment_id: 'p' },
  ]);
  t.is(charged?.detector, 'price_drift');
});

test('what is told does not depend on how the log is cut', t => {
  const steps = [...shopper(15), ...every(MINUTE, 40, noon, { usd: 60, payee_id: 'new', payee_country: 'US' })];
  const whole = conduct(steps);
  t.true(whole.length > 0);
  for (const at_a_time of [1, 7, 33]) t.deepEqual(conduct(steps, { at_a_time }), whole);
});
