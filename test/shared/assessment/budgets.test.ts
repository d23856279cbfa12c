import test from 'ava';
import { presetOf, saveSetting } from '#shared/detection/settings/detector_settings.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { budget, type Flow, flow, noon } from './flow.ts';

const told = async (w: Flow) =>
  (await w.alerts('detector=budget_threshold')).map(
    ({ score, event_ids }: { score: number; event_ids: string[] }) => [score, event_ids.length] as const,
  );

test('a budget that is nearly used up is told once a period, and once more when it is used up', async t => {
  const w = await flow(t, { start: noon + 3 * DAY });
  const { id } = await w.mandate([budget(100)]);
  const step = async (options: Parameters<typeof w.pay>[0]) => {
    await w.send([w.pay(options)]);
    await w.analyze();
    return told(w);
  };
  t.deepEqual(await step({ at: 0, cents: '7999' }), []);
  t.deepEqual(await step({ at: MINUTE, cents: '1' }), [[40, 1]]);
  t.deepEqual(await step({ at: 2 * MINUTE, cents: '100' }), [[40, 1]]);
  t.deepEqual(await step({ at: 3 * MINUTE, cents: '1900' }), [[70, 2]]);
  t.deepEqual(await step({ at: 4 * MINUTE, cents: '1900' }), [[70, 2]]);
  t.deepEqual(await step({ at: DAY, cents: '8000' }), [[70, 3]], 'the next day is another period');
  const [alert] = await w.alerts('detector=budget_threshold');
  t.regex(alert.title, /A budget of mandate “Supplies” is fully used/);
  t.is((await w.as.get(`/v1/mandates/${id}`)).body.state, 'active', 'there is a new budget every day');
});

test('the one payment that a mandate was given for is no news, more than one is', async t => {
  const w = await flow(t);
  const cart = (await w.mandate([budget(100, 'per_mandate')])).id;
  const purse = (await w.mandate([budget(100, 'per_mandate')])).id;
  const paid = (mandate_id: string, at: number, cents: string) => w.pay({ at, cents, more: { mandate_id } });
  await w.send([paid(cart, 0, '10000'), paid(purse, HOUR, '1000')]);
  await w.analyze();
  t.deepEqual(await told(w), []);
  await w.send([paid(purse, 2 * HOUR, '9000')]);
  await w.analyze();
  t.deepEqual(await told(w), [[70, 1]]);
});

test('a threshold that is crossed because of a late payment is told too, and told once', async t => {
  const w = await flow(t);
  await w.mandate([budget(100)]);
  await w.send([w.pay({ cents: '5000' }), w.pay({ at: 2 * HOUR, cents: '2500' })]);
  await w.analyze();
  await w.send([w.pay({ at: HOUR, cents: '2000' })]);
  await w.analyze();
  t.deepEqual(await told(w), []);
  await w.recheck();
  t.deepEqual(await told(w), [[40, 1]]);
  await w.send([w.pay({ at: HOUR, cents: '1' })]);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await told(w), [[40, 1]]);
});

test('a payment of an agent without a mandate is told of only where mandates are asked for', async t => {
  const w = await flow(t);
  const plain = w.pay();
  await w.send([plain]);
  await w.analyze();
  t.deepEqual(await w.alerts('detector=unmandated_payment'), []);
  await saveSetting(w.db, w.tenant, 'unmandated_payment', presetOf({}), Date.now());
  const [again, failed] = [w.pay({ at: MINUTE }), w.pay({ at: 2 * MINUTE, type: 'payment.failed' })];
  await w.send([again, failed]);
  await w.analyze();
  const [alert] = await w.alerts('detector=unmandated_payment');
  t.like(alert, { score: 60, event_ids: [again.id] });
  await w.mandate([budget(100)]);
  await w.send([w.pay({ at: 5 * HOUR })]);
  await w.analyze();
  t.deepEqual((await w.alerts('detector=unmandated_payment'))[0].event_ids, [again.id]);
});

test('an alert about a breach says how much was paid and how much was allowed', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  await w.send([w.pay({ cents: '1001' })]);
  await w.analyze();
  const [alert] = await w.alerts('detector=mandate_breach');
  t.is(alert.score, 70);
  t.regex(alert.explanation, /\$10\.01.*\$10\.00/);
});
