import test, { type ExecutionContext } from 'ava';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { saveRates } from '#shared/events/input/fx_rates.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { HOUR, MINUTE } from '#shared/values/time.ts';
import { flow } from '#test/shared/assessment/flow.ts';
import { createHandler } from '#workers/handlers/reprice.ts';

type Found = { detector: string; event_ids: string[]; score: number; explanation: string };

const rate = { currency: 'KPW', date: '2026-11-18', usd_per_unit: '0.002' };

/** A service that is sent payments in a currency, and told its rate before they come or when they have been analyzed. */
async function rated(t: ExecutionContext, { late, thresholds = true }: { late: boolean; thresholds?: boolean }) {
  const w = await flow(t, { thresholds, own_database: true });
  const reprice = async () => {
    await reconcileKind('reprice', w.services);
    await createHandler(w.services, new AbortController().signal)(w.tenant);
  };
  if (!late) await saveRates(w.db, [rate]);
  return {
    ...w,
    reprice,
    async take(events: object[], limit = 1_000) {
      await w.send(events);
      await w.analyze({ limit });
      if (late) await saveRates(w.db, [rate]);
      await reprice();
    },
    found: async (): Promise<Found[]> => w.alerts(''),
  };
}

/** Cents of dollars in the other currency. */
const foreign = (cents: number) => ({ cents: String(cents * 500), currency: 'KPW' });

/** Thirty usual payments in dollars, and among them what stands out, in a currency of which no rate is known. */
function scene({ pay }: Awaited<ReturnType<typeof rated>>) {
  const usual = Array.from({ length: 30 }, (_, n) => pay({ at: (n - 40) * HOUR, cents: String(800 + (n % 5) * 100) }));
  const [first, second] = [usual.slice(0, 25), usual.slice(25)];
  const outlier = pay({ at: -14 * HOUR, ...foreign(10_000) });
  const stranger = pay({ at: -13 * HOUR, ...foreign(30_000), payee: 'domain:stranger.example.com' });
  const small = pay({ at: -12 * HOUR, ...foreign(900) });
  return { sent: [...first, outlier, stranger, small, ...second], outlier, stranger };
}

test('what detectors cannot judge gets its price all the same, and so does what comes after it', async t => {
  const w = await rated(t, { late: true });
  const { sent, outlier, stranger } = scene(w);
  await w.send(sent);
  await w.analyze({ limit: 1_000 });
  await asOwnerOf(w.database, 'revoke select on alert_budgets from oversight_service');
  await saveRates(w.db, [rate]);
  await w.reprice();
  for (const { id } of [outlier, stranger])
    t.is((await w.as.get(`/v1/events/${id}`)).body.usd_rate?.usd_per_unit, '0.002');
  t.false((await w.found()).some(({ detector }) => detector === 'new_payee_high_amount'));
});

test('what could not be seen of a payment without its price is raised when a rate arrives, as if it had been known', async t => {
  const results = [];
  for (const late of [false, true]) {
    const w = await rated(t, { late });
    const { sent, outlier, stranger } = scene(w);
    await w.take(sent);
    const found = await w.found();
    const of = ({ id }: { id: string }) =>
      found.filter(({ event_ids }) => event_ids.includes(id)).map(({ detector }) => detector);
    t.true(of(outlier).includes('amount_outlier'), JSON.stringify([late, found]));
    t.true(of(stranger).includes('new_payee_high_amount'), String(late));
    results.push(
      found
        .filter(({ detector }) => detector === 'amount_outlier' || detector === 'new_payee_high_amount')
        .map(({ detector, score, explanation }) => ({ detector, score, explanation })),
    );
  }
  t.deepEqual(results[1], results[0]);
});

test('judging again is cut off with the pricing it belongs to, and an alert is raised once, with one webhook', async t => {
  const w = await rated(t, { late: true });
  await w.send(scene(w).sent);
  await w.analyze();
  await saveRates(w.db, [rate]);
  await reconcileKind('reprice', w.services);
  const transaction: typeof w.services.db.transaction = handle =>
    w.services.db.transaction(async tx => {
      await handle(tx);
      throw new Error('the power went');
    });
  const worker = createHandler({ ...w.services, db: { ...w.services.db, transaction } }, new AbortController().signal);
  const before = (await w.found()).length;
  await t.throwsAsync(worker(w.tenant), { message: 'the power went' });
  t.is((await w.found()).length, before);
  await Promise.all([w.reprice(), w.reprice()]);
  await w.reprice();
  const found = await w.found();
  t.true(found.length > before);
  t.is(new Set(found.map(({ detector, event_ids }) => `${detector} ${event_ids.join(' ')}`)).size, found.length);
});

test('payments that stand far from each other in the log are judged each in its place', async t => {
  const w = await rated(t, { late: true });
  const between = Array.from({ length: 520 }, (_, n) =>
    w.pay({ at: (n - 600) * MINUTE, cents: String(800 + (n % 5)) }),
  );
  const [early, late] = [
    w.pay({ at: -601 * MINUTE, ...foreign(900) }),
    w.pay({ at: -79 * MINUTE, ...foreign(50_000) }),
  ];
  await w.take([early, ...between, late]);
  for (const { id } of [early, late]) t.truthy((await w.detail(id)).payment.amount_usd_minor);
  const outliers = (await w.found()).filter(({ detector }) => detector === 'amount_outlier');
  t.deepEqual(
    outliers.map(({ event_ids }) => event_ids),
    [[late.id]],
  );
});

test('of a young log nothing is raised, as nothing would have been', async t => {
  for (const late of [false, true]) {
    const w = await rated(t, { late, thresholds: false });
    const events = [900, 1_000, 800, 100_000].map((cents, n) => w.pay({ at: n * MINUTE, ...foreign(cents) }));
    await w.take(events);
    t.deepEqual(await w.found(), []);
  }
});

test('an alert that was closed is not raised again by the price of a payment it already tells of', async t => {
  const w = await rated(t, { late: true });
  const abroad = (n: number) => ({
    type: 'merchant',
    key: `domain:shop-${n}.example.com`,
    country: n === 9 ? 'KP' : 'US',
  });
  const events = Array.from({ length: 10 }, (_, n) => {
    const sent = w.pay({ at: n * MINUTE, ...(n === 9 ? foreign(900) : { cents: '900' }) });
    const payment = sent['payment'] as Record<string, unknown>;
    return { ...sent, payment: { ...payment, payee: abroad(n) } };
  });
  await w.send(events);
  await w.analyze();
  const known = (await w.found()).filter(({ detector }) => detector === 'country_change') as (Found & { id: string })[];
  t.is(known.length, 1);
  await w.as.post(`/v1/alerts/${known[0]?.id}/actions`, { action: 'resolve', reason: 'looked into' });
  w.moveTo(Date.parse('2026-11-23T12:00:00.000Z'));
  await saveRates(w.db, [rate]);
  await w.reprice();
  t.is((await w.found()).filter(({ detector }) => detector === 'country_change').length, 1);
});
