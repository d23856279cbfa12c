import test from 'ava';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { budget, type Flow, flow, noon } from './flow.ts';

type Json = Record<string, unknown>;

/** The alerts about breaches, each with its evidence. */
async function breaches(w: Flow) {
  const alerts = await w.alerts('detector=mandate_breach');
  return Promise.all(
    alerts.map(async ({ id, ...alert }: Json) => ({ ...alert, ...(await w.as.get(`/v1/alerts/${id}/evidence`)).body })),
  );
}

test('payments beyond a budget are one alert a period, which grows, says what it has come to, and names them all', async t => {
  const w = await flow(t, { start: noon + 2 * DAY });
  await w.mandate([budget(10)]);
  const payments = ['1000', '1', '30', '5000'].map((cents, minute) =>
    w.pay({ at: minute * MINUTE, cents, payment_id: `p${minute}` }),
  );
  for (const payment of payments) {
    await w.send([payment]);
    await w.analyze();
  }
  const [alert, ...others] = await breaches(w);
  t.is(others.length, 0);
  t.deepEqual(
    alert.event_ids,
    payments
      .slice(1)
      .map(({ id }) => id)
      .toReversed(),
  );
  t.like(alert, { score: 100, payments: 3, settled: 3, spend_usd_micro: '50310000', other_event_ids: [] });
  t.regex(
    alert.explanation,
    /\$60\.31 with this payment, \$10\.00 allowed\. .* includes payment p3 at 2026-11-20 12:03:00 UTC/,
  );

  const tomorrow = ['1000', '1'].map(cents => w.pay({ at: DAY, cents }));
  await w.send(tomorrow);
  await w.analyze();
  const alerts = await breaches(w);
  const next = alerts.find(({ event_ids }) => !event_ids.includes(payments[1]?.id));
  t.like(next, { score: 70, payments: 1, event_ids: [tomorrow[1]?.id] });
  t.is(alerts.length, 2, 'another day is another alert');
});

test('as long as it is no graver, an alert about a period tells of the latest payment', async t => {
  const w = await flow(t);
  await w.mandate([budget(100)]);
  await w.send(['10000', '100', '200'].map((cents, minute) => w.pay({ at: minute * MINUTE, cents })));
  await w.analyze();
  const [alert] = await breaches(w);
  t.like(alert, { score: 70, payments: 2 });
  t.regex(alert.explanation, /\$103\.00 with this payment/);
});

test('a payment that is authorized and settled beyond a budget is one payment, and both of its events are behind the alert', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const events = ['payment.authorized', 'payment.settled'].map((type, minute) =>
    w.pay({ at: minute * MINUTE, type, payment_id: 'one', cents: '2000' }),
  );
  await w.send(events);
  await w.analyze();
  t.like((await breaches(w))[0], { payments: 1, settled: 1, spend_usd_micro: '20000000' });
  t.is((await breaches(w))[0].event_ids.length, 2);
});

test('too many payments are one alert, however many they are', async t => {
  const w = await flow(t);
  await w.mandate([{ type: 'payment.velocity', max: 2, window_s: 60 }]);
  await w.send(Array.from({ length: 30 }, (_, index) => w.pay({ at: index * 10_000, cents: String(index + 1) })));
  await w.analyze();
  const [alert, ...others] = await breaches(w);
  t.is(others.length, 0);
  t.like(alert, { payments: 28 });
  t.regex(alert.explanation, /6 payments within 1 min; 2 allowed/);
});

test('budgets of two lengths are told of by themselves, and what is wrong with a payment alone is told of it', async t => {
  const w = await flow(t);
  await w.mandate([
    budget(10),
    { ...budget(20), interval: 'monthly' },
    { type: 'payment.blocked_payees', payees: [{ domain: 'bad.example.com' }] },
  ]);
  const payments = [
    w.pay({ cents: '1500' }),
    w.pay({ at: MINUTE, cents: '1500' }),
    w.pay({ at: HOUR, cents: '1', payee: 'domain:bad.example.com' }),
  ];
  await w.send(payments);
  await w.analyze();
  const alerts = await breaches(w);
  t.deepEqual(alerts.map(({ payments: count, title }) => [count, title.startsWith('Payment to')]).toSorted(), [
    [1, true],
    [2, false],
    [3, false],
  ]);
  t.deepEqual(alerts.find(({ payments: count }) => count === 1).event_ids, [payments[2]?.id]);
});
