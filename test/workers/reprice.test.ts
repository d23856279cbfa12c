import test, { type ExecutionContext } from 'ava';
import { saveRates } from '#shared/events/input/fx_rates.ts';
import { oldestRepricing } from '#shared/events/ranges/repricings.ts';
import { asError } from '#shared/interface/errors.ts';
import { sql } from '#shared/platform/db.ts';
import { liesInTheData } from '#shared/platform/lies_in_the_data.ts';
import type { Services } from '#shared/platform/services.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { budget, flow, noon } from '#test/shared/assessment/flow.ts';
import { createHandler } from '#workers/handlers/reprice.ts';

/** A service with payments in a currency that no rate is known of, until one is loaded: 0.002 dollars to the unit. */
async function unpriced(t: ExecutionContext) {
  const w = await flow(t, { own_database: true });
  const loaded = { date: '2026-11-20', source: 'operator', usd_per_unit: '0.002' };
  return {
    ...w,
    loaded,
    loadRate: (usd_per_unit = loaded.usd_per_unit) =>
      saveRates(w.db, [{ currency: 'KPW', date: loaded.date, usd_per_unit }]),
    /** What the schedule does; answers with how many logs have something to be priced. */
    due: () => reconcileKind('reprice', w.services),
    /** What a worker does with the job. */
    reprice: (services: Services = w.services) => createHandler(services, new AbortController().signal)(w.tenant),
    spent: async () => (await w.as.get('/v1/agents')).body.data[0].spend_usd_minor_30d,
    payment: async (id: string) => {
      const { payment, usd_rate } = await w.detail(id);
      return { amount_usd_minor: payment.amount_usd_minor, usd_rate };
    },
  };
}

/** Has a payment of 1,000 cents authorized, analyzed and then priced; what its events have in common. */
async function priceAuthorized(w: Awaited<ReturnType<typeof unpriced>>) {
  const options = { payment_id: 'one', cents: '500000', currency: 'KPW' };
  await w.send([w.pay({ ...options, type: 'payment.authorized' })]);
  await w.analyze();
  await w.loadRate();
  await w.due();
  await w.reprice();
  return options;
}

test('a payment in euro counts from the first minute, by the rate that comes with the service', async t => {
  const w = await flow(t, { own_database: true });
  await w.mandate([budget(20)]);
  const [within, beyond] = [
    w.pay({ cents: '1000', currency: 'EUR' }),
    w.pay({ at: MINUTE, cents: '1000', currency: 'EUR' }),
  ];
  await w.send([within, beyond]);
  await w.analyze();
  t.deepEqual(await w.results([within, beyond]), ['compliant', 'breach budget_exceeded']);
  const read = (await w.as.get('/v1/events')).body.data[1];
  t.is(read.payment.amount_usd_minor, '1136');
  t.deepEqual(read.usd_rate, { usd_per_unit: '1.136072', date: '2026-09-29', source: 'reference' });
  t.is((await w.as.post('/v1/events', read)).status, 200, 'what was read can be sent again');
});

test('a payment that was stored without a price gets one when a rate is loaded, and its budget is held against it', async t => {
  const w = await unpriced(t);
  await w.mandate([budget(20)]);
  const [foreign, later] = [w.pay({ cents: '500000', currency: 'KPW' }), w.pay({ at: MINUTE, cents: '1500' })];
  await w.send([foreign, later]);
  await w.analyze();
  await w.due();
  await w.reprice();
  t.is(await w.due(), 0, 'there is no rate');
  t.deepEqual(await w.results([foreign, later]), ['unresolved currency_mismatch', 'unresolved currency_mismatch']);
  t.like(await w.payment(foreign.id), { amount_usd_minor: null, usd_rate: null });
  t.is(await w.spent(), '1500');
  const etag = (await w.as.get(`/v1/events/${foreign.id}`)).headers.get('etag');

  await w.loadRate();
  t.is(await w.due(), 1);
  await w.reprice();
  await w.recheck();
  t.like(await w.payment(foreign.id), { amount_usd_minor: '1000', usd_rate: w.loaded });
  t.not((await w.as.get(`/v1/events/${foreign.id}`)).headers.get('etag'), etag);
  t.is((await w.as.get('/v1/events')).body.data[1].payment.amount_usd_minor, '1000');
  t.like((await w.as.get('/v1/events?amount_max=10')).body.data, [{ id: foreign.id }]);
  t.is(await w.spent(), '2500');
  t.deepEqual(await w.results([foreign, later]), ['compliant', 'breach budget_exceeded']);
  const alerts = await w.alerts('detector=mandate_breach');
  t.deepEqual(
    alerts.map(({ event_ids }: { event_ids: string[] }) => event_ids),
    [[later.id]],
  );

  await w.loadRate('0.003');
  await w.due();
  await w.reprice();
  await w.recheck();
  t.like(await w.payment(foreign.id), { amount_usd_minor: '1000' }, 'a price that was given stays');
  t.is(await w.spent(), '2500');
});

test('what a mandate could not be held against for want of a rate of its own currency is evaluated when one arrives', async t => {
  const w = await unpriced(t);
  await w.mandate([{ ...budget(1_000_000), currency: 'KPW' }]);
  const [within, beyond] = [w.pay({ cents: '1500' }), w.pay({ at: MINUTE, cents: '1500' })];
  await w.send([within, beyond]);
  await w.analyze();
  const results = () => w.results([within, beyond]);
  await w.due();
  await w.recheck();
  t.deepEqual(await results(), ['unresolved currency_mismatch', 'unresolved currency_mismatch']);
  await saveRates(w.db, [{ currency: 'KPW', date: '2026-11-01', usd_per_unit: '0.002' }]);
  await w.due();
  await w.recheck();
  t.deepEqual(await results(), ['unresolved currency_mismatch', 'unresolved currency_mismatch'], 'not of their day');
  await w.loadRate('0.0000001');
  await w.due();
  await w.recheck();
  const [first] = await results();
  t.is(first, 'breach budget_exceeded');
  t.is((await w.alerts('detector=mandate_breach')).length, 1);
});

test('pricing that is cut off, comes twice or runs twice at once doubles nothing and leaves nothing out', async t => {
  const w = await unpriced(t);
  const { id } = await w.mandate([budget(1_000, 'per_mandate')]);
  const events = Array.from({ length: 150 }, (_, n) => w.pay({ at: n * 1_000, cents: '500000', currency: 'KPW' }));
  await w.send(events);
  await w.analyze();
  await w.loadRate();
  await w.due();
  let parts = 0;
  const transaction: Services['db']['transaction'] = handle =>
    w.services.db.transaction(async tx => {
      const done = await handle(tx);
      if ((parts += 1) === 2) throw new Error('the power went');
      return done;
    });
  await t.throwsAsync(w.reprice({ ...w.services, db: { ...w.services.db, transaction } }), {
    message: 'the power went',
  });
  t.is(await w.spent(), '100000', 'the first part stands, the second does not');
  await Promise.all([w.reprice(), w.reprice()]);
  await w.reprice();
  t.is(await w.spent(), '150000');
  await w.recheck();
  const results = await w.results([events[0], events[99], events[100]] as { id: string }[]);
  t.deepEqual(results, ['compliant', 'compliant', 'breach budget_exceeded']);
  t.is((await w.as.get(`/v1/mandates/${id}`)).body.state, 'exhausted');
  t.is(await oldestRepricing(w.db), null);
});

test('a process of the version before, which may remember a payment without its price, leaves the log to one that knows', async t => {
  const w = await unpriced(t);
  const moveAsBefore = () => w.db.query(sql.unsafe`update detection_cursors set seq = seq + 1`);
  const options = await priceAuthorized(w);
  w.moveTo(noon + 7 * HOUR);
  await w.send([w.pay({ ...options, at: MINUTE })]);
  const refused = await t.throwsAsync(moveAsBefore());
  t.false(liesInTheData(asError(refused)), 'the event is not passed over');
  await w.analyze();
  t.is(await w.spent(), '1000');
  await t.notThrowsAsync(moveAsBefore, 'it finds the cursor elsewhere than it left it, and reads again');
});

test('live detection goes before the pricing of what is old, which goes on in between', async t => {
  const w = await unpriced(t);
  await w.send(Array.from({ length: 150 }, (_, n) => w.pay({ at: n * 1_000, cents: '500000', currency: 'KPW' })));
  await w.analyze();
  await w.loadRate();
  await w.due();
  await w.send([w.pay({ at: HOUR, cents: '1500' })]);
  await w.reprice();
  t.is(await w.spent(), '100000', 'one part was priced');
  t.is(await w.due(), 1, 'it goes on at the next look');
  await w.analyze();
  await w.reprice();
  t.is(await w.spent(), '151500');
  t.is(await w.due(), 0);
});

test('events that no rate fits are gone through once, without holding up detection, until rates change', async t => {
  const w = await unpriced(t);
  await w.send(Array.from({ length: 120 }, (_, n) => w.pay({ at: n * 1_000, cents: '500000', currency: 'KPW' })));
  await w.analyze();
  await saveRates(w.db, [{ currency: 'KPW', date: '2026-11-01', usd_per_unit: '0.002' }]);
  t.is(await w.due(), 1);
  const transaction = () => Promise.reject(new Error('the log is held'));
  await w.reprice({ ...w.services, db: { ...w.services.db, transaction } });
  w.moveTo(noon + 8 * HOUR);
  t.is(await w.due(), 0);
  await w.loadRate();
  t.is(await w.due(), 1);
  await w.reprice();
  t.is(await w.spent(), '120000');
});

test('what is priced while its payment goes on counts once, for a process that remembers the payment too', async t => {
  const w = await unpriced(t);
  const options = await priceAuthorized(w);
  t.is(await w.spent(), '1000');
  w.moveTo(noon + 7 * HOUR);
  await w.send([
    w.pay({ ...options, at: MINUTE }),
    w.pay({ ...options, at: HOUR, type: 'payment.refunded', cents: '200000' }),
  ]);
  await w.analyze();
  t.is(await w.spent(), '600');
});

test('an event that is not analyzed yet is priced when it is, and one that came by an old rate table is found later', async t => {
  const w = await unpriced(t);
  const [first, second] = [w.pay({ cents: '500000', currency: 'KPW' }), w.pay({ cents: '500000', currency: 'KPW' })];
  await w.send([first]);
  await w.loadRate();
  t.is(await w.due(), 1);
  await w.reprice();
  t.is((await w.payment(first.id)).amount_usd_minor, null);
  // This process still has the rates of before.
  await w.send([second]);
  await w.analyze();
  w.moveTo(noon + 6 * HOUR + MINUTE);
  t.is(await w.due(), 1);
  await w.reprice();
  for (const { id } of [first, second]) t.is((await w.payment(id)).amount_usd_minor, '1000');
  t.is(await w.spent(), '2000');
  t.is(await w.due(), 0);
});
