import test from 'ava';
import { learnCountry, nowherePaid, shareOfCountry } from '#shared/detection/model/countries_paid.ts';
import { largestPaid, learnLargest, nothingPaid } from '#shared/detection/model/largest_paid.ts';
import { DAY } from '#shared/values/time.ts';
import { every, type EventStep, HOUR, MINUTE, noon } from '#test/helpers/play.ts';
import { conduct } from './judged.ts';

/** Ten agents that pay up to `most` dollars, three times a day for ten days, and one that came three hours ago. */
const organization = (most: number, country = 'US'): EventStep[] => [
  ...Array.from({ length: 10 }, (_, agent) =>
    every(8 * HOUR, 30, noon - 10 * DAY, {}).map((step, index) => ({
      ...step,
      at: step.at + agent * MINUTE,
      agent_id: `other-${agent}`,
      usd: (most * (1 + ((index + agent) % 10))) / 10,
      payee_id: `shop-${agent}-${index % 6}`,
      payee_country: country,
    })),
  ).flat(),
  ...every(HOUR, 3, noon - 3 * HOUR, { agent_id: 'young', usd: 40, payee_id: 'shop-1-1', payee_country: country }),
];
const paid = (usd: number, more: Partial<EventStep> = {}): EventStep => ({
  at: noon,
  agent_id: 'young',
  usd,
  payee_id: 'stranger',
  ...more,
});

test('a payment that is many times the most that any agent has paid is told, however little is known of its agent', t => {
  const [told, ...more] = conduct([...organization(200), paid(4_000)]);
  t.deepEqual(more, []);
  t.is(told?.title, '$4,000.00 to {payee}, 20 times the most that any agent here has paid');
  t.regex(
    told?.explanation ?? '',
    /^\$4,000\.00 to \{payee\} is 20 times the most that any of the organization's agents is known to have paid, \$200\.00; the most of this agent was \$40\.00/,
  );
  t.deepEqual(conduct([...organization(4_000), paid(4_000)]), [], 'others pay as much');
  t.deepEqual(conduct([...organization(200), paid(300)]), [], 'a little more');
});

test('what is paid at most is known after a hundred payments that cost something, and of two agents', t => {
  const largest = nothingPaid();
  for (let count = 0; count < 99; count += 1) learnLargest(largest, `agent-${count % 5}`, 10 + (count % 5));
  learnLargest(largest, 'agent-0', 0);
  t.is(largestPaid(largest, 'agent-0', 10), null);
  learnLargest(largest, 'agent-0', 10);
  t.deepEqual(largestPaid(largest, 'agent-0', 10), { own: 10, all: 14, payments: 100 });
  t.is(largestPaid(largest, 'agent-0', 100), null, 'nobody else pays as much');
  learnLargest(largest, 'agent-4', 20);
  t.deepEqual(largestPaid(largest, 'agent-4', 12), { own: 20, all: 20, payments: 101 }, 'more than is at hand');
  t.is(largest.most.length, 2);
});

test('an authorization that is canceled is nothing that was paid', t => {
  const canceled: Partial<EventStep> = { agent_id: 'other-3', payment_id: 'slip', usd: 9_000, payee_id: 'shop-3-1' };
  const told = conduct([
    ...organization(200),
    { at: noon - 2 * HOUR, ...canceled, type: 'payment.authorized' },
    { at: noon - 2 * HOUR + MINUTE, ...canceled, type: 'payment.canceled' },
    paid(4_000),
  ]);
  t.true(told.some(({ title }) => title === '$4,000.00 to {payee}, 20 times the most that any agent here has paid'));
});

test('a country that most agents pay to is no news of one that has not paid there', t => {
  const home = every(12 * HOUR, 14, noon - 7 * DAY, { agent_id: 'young', usd: 30 }).map((step, index) => ({
    ...step,
    usd: 26 + (index % 5),
    payee_id: `dutch-${index % 7}`,
    payee_country: 'NL',
  }));
  const abroad = paid(60, { payee_country: 'DE' });
  const others = (country: string) => organization(100, country).filter(({ agent_id }) => agent_id !== 'young');
  const told = (country: string) => conduct([...others(country), ...home, abroad]);
  t.deepEqual(told('DE'), []);
  t.is(told('NL')[0]?.detector, 'country_change');
});

test('of few agents it is not known where all pay to', t => {
  const countries = nowherePaid();
  learnCountry(countries, 'DE', true);
  t.is(shareOfCountry(countries, 'DE'), 0.25);
  for (let agent = 0; agent < 6; agent += 1) learnCountry(countries, 'DE', true);
  learnCountry(countries, 'FR', false);
  t.deepEqual(
    ['DE', 'FR', 'US'].map(country => shareOfCountry(countries, country)),
    [0.7, 0.1, 0],
  );
});
