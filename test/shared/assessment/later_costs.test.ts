import test from 'ava';
import { HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { budget, type Flow, flow } from './flow.ts';

/** Events of one payment, by the minute. */
const payment =
  (w: Flow, payment_id: string) =>
  (minute: number, type: string, cents = '1000') =>
    w.pay({
      at: minute * MINUTE,
      payment_id,
      type: `payment.${type}`,
      ...(type === 'requested' && { status: 'pending' }),
      cents,
    });

/** Reports events one by one, and looks at what was reopened after each, or in the end. */
async function report(w: Flow, events: readonly object[], each: boolean) {
  for (const event of events) {
    await w.send([event]);
    await w.analyze();
    if (each) await w.recheck();
  }
  await w.recheck();
}

for (const each of [true, false])
  test(`a late payment breaks the budget of one after it though it was refunded since, ${each ? 'whenever that is looked at' : 'looked at in the end'}`, async t => {
    const w = await flow(t);
    await w.mandate([budget(10)]);
    const [P, L] = [payment(w, 'P')(2, 'settled', '400'), payment(w, 'L')];
    await report(w, [P, L(0, 'settled'), L(5, 'refunded'), payment(w, 'Q')(-1, 'settled', '1')], each);
    t.deepEqual(await w.results([P]), ['breach budget_exceeded']);
    t.is((await w.alerts('detector=mandate_breach')).length, 1);
  });

test('a report between others of its payment is seen, whether or not it changes what the payment costs in the end', async t => {
  const w = await flow(t);
  await w.mandate([budget(10, 'hourly')]);
  const [A, B] = [payment(w, 'A'), payment(w, 'B')];
  const [P, R] = [payment(w, 'P')(2, 'settled', '400'), payment(w, 'R')(72, 'settled', '400')];
  await report(w, [A(0, 'authorized'), P, A(5, 'canceled'), A(1, 'failed')], true);
  t.deepEqual(await w.results([P]), ['compliant'], 'it had failed before');
  await report(w, [B(70, 'authorized', '500'), R, B(75, 'canceled', '500')], true);
  t.deepEqual(await w.results([R]), ['compliant']);
  await report(w, [B(71, 'settled', '900')], true);
  t.deepEqual(await w.results([R]), ['breach budget_exceeded'], 'more than the hold was captured before');
});

test('a late payment, and a late request of one, is held against what others cost then, not only against what is left of it', async t => {
  for (const type of ['settled', 'requested']) {
    const w = await flow(t);
    await w.mandate([budget(10)]);
    const [A, P] = [payment(w, 'A'), payment(w, 'P')(2, type, '400')];
    await w.send([A(0, 'authorized'), A(5, 'canceled')]);
    await w.analyze();
    await w.send([P]);
    // Another process reads from the database what happened before.
    await w.analyzeFresh(10);
    await w.recheck();
    t.deepEqual(await w.results([P]), ['breach budget_exceeded'], type);
  }
});

test('a payment is held against what others were raised to after it, though that was refunded again', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const [A, P] = [payment(w, 'A'), payment(w, 'P')(2, 'settled', '400')];
  await report(w, [A(0, 'authorized', '500'), P, A(4, 'settled', '900'), A(5, 'refunded', '900')], false);
  t.deepEqual(await w.results([P]), ['breach budget_exceeded']);
});

test('a second report of one settlement, of a moment before the first, has nothing looked at again', async t => {
  const w = await flow(t);
  await w.mandate([budget(100)]);
  const [A, B] = [payment(w, 'A'), payment(w, 'B')];
  for (const event of [A(0, 'authorized'), A(4, 'settled'), B(5, 'settled'), A(3, 'settled')]) {
    await w.send([event]);
    // As a process that knows nothing but what is stored.
    await w.analyzeFresh(1);
    t.is(await w.count('reevaluations'), 0);
  }
  await w.send([A(2, 'settled', '900')]);
  await w.analyzeFresh(1);
  t.is(await w.count('reevaluations'), 1, 'it cost more in between');
});

test('what comes back in time has nothing looked at again', async t => {
  const w = await flow(t);
  await w.mandate([budget(100)]);
  const [A, B, C] = [payment(w, 'A'), payment(w, 'B'), payment(w, 'C')];
  for (const event of [
    A(0, 'authorized'),
    B(1, 'settled'),
    C(2, 'requested'),
    C(3, 'authorized'),
    A(4, 'settled', '600'),
    B(5, 'refunded', '200'),
    C(6, 'settled'),
    A(7, 'settled', '500'),
    B(8, 'canceled'),
    C(9, 'settled', '900'),
  ]) {
    await w.send([event]);
    await w.analyzeFresh(1);
    t.is(await w.count('reevaluations'), 0);
  }
});

test('events that were not held against the mandate are no part of what others cost under it', async t => {
  const w = await flow(t);
  const other = (await w.mandate([budget(1_000)])).id;
  await w.mandate([budget(10)]);
  const named = (at: number, type: string, cents: string) =>
    w.pay({ at: at * MINUTE, payment_id: 'A', type: `payment.${type}`, cents, more: { mandate_id: other } });
  const [A, P] = [payment(w, 'A'), payment(w, 'P')(4, 'settled', '400')];
  // Authorized for more under another mandate, at a time after that of the settlement, by which it came under this one.
  await report(w, [named(3, 'authorized', '1500'), A(2, 'settled', '500'), P, A(6, 'refunded', '100')], true);
  await report(w, [payment(w, 'Q')(1, 'settled', '1')], true);
  const { mandate_evaluations } = await w.detail(P.id);
  t.deepEqual(
    mandate_evaluations.map(({ result }: { result: string }) => result),
    ['compliant', 'compliant'],
  );
});

test('events that are not analyzed yet change nothing of what others cost', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const [A, P] = [payment(w, 'A'), payment(w, 'P')(2, 'settled', '400')];
  await report(w, [A(0, 'settled'), P, A(5, 'refunded')], true);
  await w.send([payment(w, 'Q')(-1, 'settled', '1'), A(1, 'failed')]);
  await w.analyzeOnce(1);
  await w.recheck();
  t.deepEqual(await w.results([P]), ['breach budget_exceeded']);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await w.results([P]), ['compliant']);
});

test('beside thousands of payments whose cost changed, a payment that broke nothing at its time is in breach no more', async t => {
  const w = await flow(t);
  const many = 5_100;
  await w.mandate([budget(many)]);
  const made = (index: number, at: number, type: string, cents: string) =>
    w.pay({ at, payment_id: `a${index}`, type: `payment.${type}`, cents });
  const each = Array.from({ length: many }, (_, index) => index);
  await w.send(each.map(index => made(index, -2 * HOUR + index * SECOND, 'authorized', '100')));
  const [P] = [payment(w, 'P')(10, 'settled', '10')];
  await w.send([P]);
  await w.send(each.map(index => made(index, HOUR + index, 'settled', '50')));
  await w.analyze({ limit: 20_000 });
  t.deepEqual(await w.results([P]), ['breach budget_exceeded']);
  await w.send([made(0, -MINUTE, 'failed', '100')]);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await w.results([P]), ['compliant']);
});

test('an alert that is raised because of a late payment says what is known to have become of its payments, once', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const [P, L] = [payment(w, 'P'), payment(w, 'L')(0, 'settled', '900')];
  await w.send([P(2, 'settled', '900'), L, P(5, 'refunded', '900')]);
  await w.analyze();
  await w.recheck();
  await w.recheck();
  const [alert] = await w.alerts('detector=mandate_breach');
  const { body } = await w.as.get(`/v1/alerts/${alert.id}`);
  t.deepEqual(
    body.actions.map(({ reason }: { reason: string }) => reason),
    ['By what was reported later, P was refunded.'],
  );
});
