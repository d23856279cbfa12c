import test from 'ava';
import { z } from 'zod';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { currencyPaid, type CurrenciesPaid, withCurrency } from '#shared/detection/model/currencies_paid.ts';
import { expectedOfNewCurrency, learnDay, learnNewCurrency, noSpreads } from '#shared/detection/model/spreads.ts';
import { readRange } from '#shared/events/ranges/load.ts';
import { sql } from '#shared/platform/db.ts';
import { DAY } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { every, type EventStep, HOUR, MINUTE, noon } from '#test/helpers/play.ts';
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
  t.is(told?.title, '$33.00 to {payee} in USD, which the agent pays in MXN');
  t.regex(
    told?.explanation ?? '',
    /^The agent paid \{payee\} \$33\.00 in USD; its other payments of \$1 or more to it, as far as their currency is known, were in MXN /,
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

test('a currency is an agent’s usual one after three payments, until there is another', t => {
  const after = (...currencies: (string | null)[]) =>
    currencies.reduce<CurrenciesPaid>((noted, each) => withCurrency(noted, 'agt_1', each, true), []);
  t.is(currencyPaid(after('USD', 'USD'), 'agt_1'), null);
  t.is(currencyPaid(after('USD', 'USD', 'USD'), 'agt_1'), 'USD');
  t.is(currencyPaid(after('USD', 'USD', 'USD'), 'agt_2'), null);
  for (const other of ['EUR', null])
    t.is(currencyPaid(after('USD', 'USD', 'USD', other, 'USD', 'USD', 'USD'), 'agt_1'), null, String(other));
  t.is(currencyPaid(after(null, 'USD', 'USD', 'USD'), 'agt_1'), null, 'a token first');
  const three = after('USD', 'USD', 'USD');
  t.is(withCurrency(three, 'agt_1', 'USD', true), three, 'what adds nothing changes nothing');
  t.deepEqual(withCurrency([], 'agt_1', 'USD', true), [['agt_1', 'USD', 1]]);
  t.deepEqual(withCurrency([['agt_1', 'USD', 1]], 'agt_1', 'USD', false), [['agt_1', 'USD', 1]], 'the same payment');
  const full = Array.from({ length: 16 }, (_, agent): CurrenciesPaid[number] => [`agt_${agent}`, 'USD', 3]);
  t.is(withCurrency(full, 'agt_16', 'EUR', true), full);
});

test('cents and what has no price teach nothing', t => {
  const small = every(HOUR, 6, noon - 12 * HOUR, { payee_id: 'fuel', currency: 'EUR' });
  for (const usd of [0.4, null])
    t.is(
      titles([...pesos, ...small.map(step => ({ ...step, usd })), paid({ currency: 'USD' })]).length,
      1,
      String(usd),
    );
});

test('the currency is read from the log as it was reported, whatever metadata say', async t => {
  const w = await world(t, { own_database: true });
  const org = await w.organization('freight');
  const of = { org_id: org.id, environment: w.tenant.environment };
  const start = Date.now() - 20 * DAY;
  const metadata = { payment: { amount: { currency: 'EUR' } } };
  const sent = (day: number, currency: string, cents = '60000') => {
    const payee = 'domain:tolls.example.com';
    return event({ agent: 'desk', at: start + day * DAY, cents, currency, payee, more: { metadata } });
  };
  const in_dollars = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
  const inTokens = (more: object) => {
    const made = event({ agent: 'caller', at: start, rail: 'x402', payee: 'domain:calls.example.com' });
    const payment = made['payment'] as object;
    return {
      ...made,
      ...more,
      payment: { ...payment, amount: { value: '33000000', unit: 'atomic', asset: in_dollars } },
    };
  };
  const list = [
    ...Array.from({ length: 12 }, (_, day) => sent(day, 'MXN')),
    sent(13, 'USD', '3300'),
    inTokens({}),
    inTokens({ metadata }),
  ];
  const { body } = await w.client((await w.key(org.id)).key).post('/v1/events', { events: list });
  t.is(body.accepted, list.length);
  const currencies = (await readRange(w.db, of, 0, 100)).map(({ currency }) => currency);
  t.deepEqual(currencies, [...Array.from({ length: 12 }, () => 'MXN'), 'USD', null, null]);
  const { assessor } = w;
  const cache = createDetectionCache();
  for (let more = true; more;) {
    const analyzed = await analyzeRange(w.db, of, { limit: 5, detectors, cache, assessor, now: Date.now });
    more = (analyzed?.events ?? 0) > 0;
  }
  const told = await w.db.anyFirst(sql.type(z.object({ explanation: z.string() }))`
    select explanation from alerts where org_id = ${org.id} and detector = 'amount_outlier'`);
  t.is(told.length, 1);
  t.regex(told[0] ?? '', /\$33\.00 in USD; .* were in MXN/);
});
