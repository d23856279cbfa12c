import test from 'ava';
import { z } from 'zod';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { currencyPaid, type Payers, withPayer } from '#shared/detection/model/payers.ts';
import { expectedOfNewCurrency, learnDay, learnNewCurrency, noSpreads } from '#shared/detection/model/spreads.ts';
import { withEvent } from '#shared/events/log/payment.ts';
import { sql } from '#shared/platform/db.ts';
import { DAY } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { every, events, type EventStep, HOUR, MINUTE, noon } from '#test/helpers/play.ts';
import { world } from '#test/helpers/world.ts';
import { conduct } from './judged.ts';

/** Four weeks in which two suppliers are paid in pesos each other day, and what follows. */
const pesos = every(2 * DAY, 14, noon - 28 * DAY, { currency: 'MXN' }).flatMap((step, index): EventStep[] =>
  ['tolls', 'fuel'].map((payee_id, place) => ({
    ...step,
    at: step.at + place * HOUR,
    payee_id,
    usd: 30 + ((7 * index + place) % 11),
  })),
);
const paid = (more: Partial<EventStep> = {}): EventStep => ({ at: noon, usd: 33, payee_id: 'tolls', ...more });
const titles = (steps: EventStep[]) => conduct(steps).map(({ title }) => title);

test('a payee that is paid in another currency for the first time is told of, though the sum is ordinary', t => {
  const [told, ...more] = conduct([...pesos, paid({ currency: 'USD' })]);
  t.deepEqual(more, []);
  t.is(told?.detector, 'amount_outlier');
  t.is(told?.title, '$33.00 to {payee} in USD, which the agent has always paid in MXN');
  t.regex(
    told?.explanation ?? '',
    /^The agent paid \{payee\} in USD for the first time \(\$33\.00\); the 14 earlier payments to it at hand were in MXN /,
  );
});

test('nothing is told of the usual currency, a token, cents, a payee that is hardly known, or one that is paid in two', t => {
  t.deepEqual(titles([...pesos, paid({ currency: 'MXN' })]), []);
  t.deepEqual(titles([...pesos, paid({ currency: null })]), [], 'a token');
  t.deepEqual(titles([...pesos, paid({ currency: 'USD', usd: 0.4 })]), [], 'cents');
  const few = pesos.filter(({ payee_id }, index) => payee_id !== 'tolls' || index >= pesos.length - 4);
  t.deepEqual(titles([...few, paid({ currency: 'USD' })]), [], 'paid twice before');
  const both = pesos.map((step, index) => (index % 4 < 2 ? step : { ...step, currency: 'USD' }));
  t.deepEqual(titles([...both, paid({ currency: 'USD' })]), [], 'paid in both');
  t.deepEqual(titles([...both, paid({ currency: 'EUR' })]), [], 'nor of a third');
});

test('what is authorized in one currency and settled in another is one payment, and the next in either is ordinary', t => {
  const pair = (at: number, payment_id: string): EventStep[] => [
    paid({ at, payment_id, currency: 'MXN', type: 'payment.authorized' }),
    paid({ at: at + MINUTE, payment_id, currency: 'USD', usd: 33, price_key: 'in dollars', type: 'payment.settled' }),
  ];
  t.deepEqual(titles([...pesos, ...pair(noon, 'one'), paid({ at: noon + DAY, currency: 'USD' })]), []);
});

test('an organization that changes currencies all the time is told of none', t => {
  const often = noSpreads();
  for (let day = 0; day < 60; day += 1) learnDay(often, day * DAY);
  t.true(expectedOfNewCurrency(often) < 0.03);
  for (let time = 0; time < 6; time += 1) learnNewCurrency(often);
  t.true(expectedOfNewCurrency(often) > 0.1);
  for (let day = 60; day < 6_000; day += 1) learnDay(often, day * DAY);
  t.true(expectedOfNewCurrency(often) < 0.03, 'it is long ago');
});

test('a payee has the currencies that each of its first agents paid it in', t => {
  const [one] = events([{ at: noon, usd: 20 }]);
  const payment = one && withEvent(undefined, one);
  if (!payment) throw new Error('there is one');
  const before: Payers = [['agt_1', 20]];
  t.is(currencyPaid(before, 'agt_1'), null, 'as it was stored before currencies were');
  const known = withPayer(before, 'agt_1', payment, 'USD');
  t.deepEqual(known, [['agt_1', 20, 'USD']]);
  t.is(withPayer(known, 'agt_1', payment, 'USD'), known);
  t.is(withPayer(known, 'agt_1', payment), known);
  t.is(currencyPaid(known, 'agt_1'), 'USD');
  t.is(currencyPaid(known, 'agt_2'), null);
  const two = withPayer(known, 'agt_1', payment, 'EUR');
  t.deepEqual(two, [['agt_1', 20, 'EUR USD']]);
  t.is(currencyPaid(two, 'agt_1'), null);
  const many = ['CHF', 'GBP', 'SEK', 'NOK'].reduce((payers, each) => withPayer(payers, 'agt_1', payment, each), two);
  t.deepEqual(many, [['agt_1', 20, 'CHF EUR GBP USD']], 'no more than four');
});

test('the currency is read from the log as it was reported, whatever metadata say', async t => {
  const w = await world(t, { own_database: true });
  const org = await w.organization('freight');
  const of = { org_id: org.id, environment: w.tenant.environment };
  const start = Date.now() - 20 * DAY;
  const sent = (day: number, currency: string, cents = '60000') => {
    const metadata = { payment: { amount: { currency: 'EUR' } } };
    const payee = 'domain:tolls.example.com';
    return event({ agent: 'desk', at: start + day * DAY, cents, currency, payee, more: { metadata } });
  };
  const list = [...Array.from({ length: 12 }, (_, day) => sent(day, 'MXN')), sent(13, 'USD', '3300')];
  await w.client((await w.key(org.id)).key).post('/v1/events', { events: list });
  const { assessor } = w;
  const cache = createDetectionCache();
  for (let more = true; more;) {
    const analyzed = await analyzeRange(w.db, of, { limit: 5, detectors, cache, assessor, now: Date.now });
    more = (analyzed?.events ?? 0) > 0;
  }
  const told = await w.db.anyFirst(sql.type(z.object({ explanation: z.string() }))`
    select explanation from alerts where org_id = ${org.id} and detector = 'amount_outlier'`);
  t.is(told.length, 1);
  t.regex(told[0] ?? '', /in USD for the first time .* the 12 earlier payments to it at hand were in MXN/);
});
