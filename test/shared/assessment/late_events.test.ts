import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { budget, flow, noon } from './flow.ts';

test('a payment that is reported late uses up the budget of those that were made after it', async t => {
  const w = await flow(t);
  await w.mandate([budget(25)]);
  const onTime = [1, 2].map(minute => w.pay({ at: minute * MINUTE, cents: '1000' }));
  await w.send(onTime);
  await w.analyze();
  const late = w.pay({ cents: '1000' });
  await w.send([late]);
  await w.analyze();
  t.deepEqual(await w.results([late, ...onTime]), ['compliant', 'compliant', 'compliant']);
  await w.recheck();
  t.deepEqual(await w.results([late, ...onTime]), ['compliant', 'compliant', 'breach budget_exceeded']);
  const alerts = await w.alerts('detector=mandate_breach');
  t.deepEqual(alerts[0]?.event_ids, [onTime[1]?.id]);
  t.is(alerts.length, 1);
  t.is(await w.count('reevaluations'), 0);
});

test('where a late payment exceeds a budget, or makes others exceed it, the alert tells what the whole period came to', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const said = async () =>
    (await w.alerts('detector=mandate_breach')).map(({ explanation }: { explanation: string }) => explanation);
  await w.send([w.pay({ at: HOUR, cents: '900' }), w.pay({ at: 2 * HOUR, cents: '400' })]);
  await w.analyze();
  t.regex((await said())[0] ?? '', /budget of the day: \$13\.00 with this payment, \$10\.00 allowed\. /);
  await w.send([w.pay({ cents: '5000' })]);
  await w.analyze();
  t.regex(
    (await said())[0] ?? '',
    /\$50\.00 with this payment, \$10\.00 allowed; \$63\.00 with what was paid after it\. /,
  );
  await w.recheck();
  const [text = '', ...more] = await said();
  t.deepEqual(more, []);
  t.regex(text, /\$59\.00 with this payment, \$10\.00 allowed; \$63\.00 with what was paid after it\. /);
});

test('a payment that is authorized, by a later report, before it settled is counted once in what its period came to', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  await w.send([w.pay({ at: HOUR, payment_id: 'one', cents: '1500' })]);
  await w.analyze();
  await w.send([w.pay({ payment_id: 'one', type: 'payment.authorized', cents: '1500' })]);
  await w.analyze();
  await w.recheck();
  const [{ explanation, score }] = await w.alerts('detector=mandate_breach');
  t.regex(explanation, /budget of the day: \$15\.00 with this payment, \$10\.00 allowed\. /);
  t.true(score < 80);
});

test('only where a result flips there is a new evaluation, and the old one is kept', async t => {
  const w = await flow(t, { own_database: true });
  await w.mandate([budget(35)]);
  await w.send([1, 2, 3].map(minute => w.pay({ at: minute * MINUTE, cents: '1000' })));
  await w.analyze();
  await w.send([w.pay({ cents: '1000' })]);
  await w.analyze();
  await w.recheck();
  const Row = z.object({ chain_seq: z.number(), number: z.number(), result: z.string() });
  const rows = await w.db.any(
    sql.type(Row)`select chain_seq, number, result from mandate_evaluations order by chain_seq, number`,
  );
  t.deepEqual(
    rows.map(({ chain_seq, number, result }) => `${chain_seq}.${number} ${result}`),
    ['1.1 compliant', '2.1 compliant', '3.1 compliant', '3.2 breach', '4.1 compliant'],
  );
});

test('an alert about a breach that turns out to be none gets a comment of the system, and counts it no more', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const authorized = w.pay({ payment_id: 'one', type: 'payment.authorized', cents: '1000' });
  const second = w.pay({ at: 10 * MINUTE, payment_id: 'two', cents: '1000' });
  await w.send([authorized, second]);
  await w.analyze();
  const [alert] = await w.alerts('detector=mandate_breach');
  // The first had failed a minute before the second was made.
  await w.send([w.pay({ at: 9 * MINUTE, payment_id: 'one', type: 'payment.failed', cents: '1000' })]);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await w.results([second]), ['compliant']);
  const { body } = await w.as.get(`/v1/alerts/${alert.id}`);
  t.is(body.state, 'open');
  t.like(body.actions.at(-1), {
    action: 'comment',
    actor_id: null,
    reason: 'By events that were reported later, a payment that was counted here did not go beyond the limit: two.',
  });
  const evidence = await w.as.get(`/v1/alerts/${alert.id}/evidence`);
  t.like(evidence.body, { payments: 0, event_ids: [], other_event_ids: [second.id] });
  await w.recheck();
  t.is((await w.as.get(`/v1/alerts/${alert.id}`)).body.actions.length, body.actions.length);
});

test('what was paid in the period to which a payment no longer belongs is looked at again', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const settled = w.pay({ payment_id: 'one', cents: '1000' });
  const second = w.pay({ at: MINUTE, cents: '1000' });
  await w.send([settled, second]);
  await w.analyze();
  t.deepEqual(await w.results([second]), ['breach budget_exceeded']);
  await w.send([w.pay({ at: -13 * HOUR, payment_id: 'one', type: 'payment.authorized', cents: '1000' })]);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await w.results([settled, second]), ['compliant', 'compliant']);
});

test('a payment that has moved to an earlier period is looked at again with that period', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const settled = w.pay({ payment_id: 'one', cents: '1000' });
  const authorized = w.pay({ at: -13 * HOUR, payment_id: 'one', type: 'payment.authorized', cents: '1000' });
  for (const event of [settled, authorized, w.pay({ at: -14 * HOUR, cents: '100' })]) {
    await w.send([event]);
    await w.analyze();
    await w.recheck();
  }
  t.deepEqual(await w.results([authorized, settled]), ['breach budget_exceeded', 'breach budget_exceeded']);
});

test('a late payment reaches as far as the terms do that came later', async t => {
  const w = await flow(t, { start: noon });
  const { id } = await w.mandate([budget(10)]);
  w.moveTo(noon + HOUR);
  await w.admin.patch(`/v1/mandates/${id}`, { constraints: [budget(10, 'monthly')] });
  w.moveTo(noon + 3 * DAY);
  const later = w.pay({ at: 2 * DAY, cents: '1000' });
  await w.send([later]);
  await w.analyze();
  await w.send([w.pay({ at: MINUTE, cents: '100' })]);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await w.results([later]), ['breach budget_exceeded']);
});

test('a long period is gone through in parts, and taken up again where it was left', async t => {
  const w = await flow(t);
  await w.mandate([budget(1_200)]);
  const payments = Array.from({ length: 1_200 }, (_, index) =>
    w.pay({ at: MINUTE + index * 10 * SECOND, cents: '100', payee: `domain:p${index}.example.com` }),
  );
  await w.send(payments);
  await w.analyze();
  const late = w.pay({ cents: '100' });
  await w.send([late]);
  await w.analyze();

  // A worker that is told to stop after each part, until nothing is left.
  const Row = z.object({ after_seq: z.number().nullable() });
  const parts: (number | null)[] = [];
  for (;;) {
    const row = await w.db.maybeOne(sql.type(Row)`select after_seq from reevaluations`);
    if (!row) break;
    parts.push(row.after_seq);
    await w.recheckOnce();
  }
  t.deepEqual(parts, [null, 499, 999]);
  t.deepEqual(await w.results([late, ...payments.slice(-2)]), ['compliant', 'compliant', 'breach budget_exceeded']);
  t.is((await w.alerts('detector=mandate_breach')).length, 1);
});

test('several late payments of a mandate are one piece of work, which goes back no further than it must', async t => {
  const w = await flow(t);
  await w.mandate([budget(40)]);
  await w.send([10, 20, 30].map(minute => w.pay({ at: minute * MINUTE, cents: '1000' })));
  await w.analyze();
  const Row = z.object({ from_at: z.string(), after_at: z.string().nullable(), after_seq: z.number().nullable() });
  const request = () => w.db.one(sql.type(Row)`select from_at, after_at, after_seq from reevaluations`);
  const at = (minute: number) => new Date(noon + minute * MINUTE).toISOString();
  for (const minute of [15, 5]) {
    await w.send([w.pay({ at: minute * MINUTE, cents: '100' })]);
    await w.analyze();
  }
  t.deepEqual(await request(), { from_at: at(5), after_at: null, after_seq: null });
  await w.db.query(sql.unsafe`update reevaluations set after_at = ${at(20)}, after_seq = 2`);
  await w.send([w.pay({ at: 25 * MINUTE, cents: '100' })]);
  await w.analyze();
  t.deepEqual(await request(), { from_at: at(5), after_at: at(20), after_seq: 2 });
  await w.send([w.pay({ at: 12 * MINUTE, cents: '100' })]);
  await w.analyze();
  t.deepEqual(await request(), { from_at: at(5), after_at: at(12), after_seq: 0 });
});
