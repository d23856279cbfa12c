import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { budget, flow, noon } from './flow.ts';

const upTo = (dollars: number) => ({
  type: 'payment.amount_range',
  min: '0',
  max: String(dollars * 100),
  currency: 'USD',
});

test('a payment is held against every active mandate of its agent, and the worst is what the list shows', async t => {
  const w = await flow(t);
  const wide = await w.mandate([upTo(100)]);
  const narrow = await w.mandate([upTo(10)]);
  const payment = w.pay({ cents: '1250' });
  await w.send([payment]);
  await w.analyze();
  const [shown] = (await w.as.get('/v1/events')).body.data;
  t.deepEqual(shown.mandate_evaluation, { result: 'breach', mandate_id: narrow.id });
  const { mandate_evaluations } = await w.detail(payment.id);
  t.deepEqual(
    mandate_evaluations.map(({ mandate_id, result, version }: Record<string, unknown>) => [
      mandate_id,
      result,
      version,
    ]),
    [
      [narrow.id, 'breach', 1],
      [wide.id, 'compliant', 1],
    ],
  );
});

test('a payment that names a mandate is held against that one alone', async t => {
  const w = await flow(t);
  const wide = await w.mandate([upTo(100)]);
  await w.mandate([upTo(10)]);
  const payment = w.pay({ cents: '1250', more: { mandate_id: wide.id } });
  const unknown = w.pay({ more: { mandate_id: newId('mnd') } });
  await w.send([payment, unknown]);
  await w.analyze();
  t.deepEqual(await w.results([payment, unknown]), ['compliant', 'unresolved mandate_unknown']);
});

test('a mandate that is named but not in force is broken; unasked it is not applied', async t => {
  const w = await flow(t);
  const paused = await w.mandate([upTo(100)]);
  const over = await w.mandate([upTo(100)], { valid_until: new Date(noon).toISOString() });
  const early = await w.mandate([upTo(100)], { valid_from: new Date(noon + DAY).toISOString() });
  await w.admin.patch(`/v1/mandates/${paused.id}`, { state: 'paused' });
  w.moveTo(noon + 8 * HOUR);
  const at = 7 * HOUR;
  const named = [paused, over, early].map(({ id }) => w.pay({ at, more: { mandate_id: id } }));
  const unasked = w.pay({ at });
  await w.send([...named, unasked]);
  await w.analyze();
  t.deepEqual(await w.results([...named, unasked]), [
    'breach mandate_inactive',
    'breach mandate_expired',
    'breach mandate_inactive',
    null,
  ]);
});

test('the mandate of another agent does not allow a payment, and is not used up by it', async t => {
  const w = await flow(t);
  const theirs = await w.mandate([budget(20)], { agent_id: newId('agt') });
  const stranger = w.pay({ cents: '2000', more: { mandate_id: theirs.id } });
  const own = w.pay({ at: MINUTE, cents: '2000', more: { agent_id: theirs.agent_id, mandate_id: theirs.id } });
  await w.send([stranger, own]);
  await w.analyze();
  t.deepEqual(await w.results([stranger, own]), ['breach agent_not_allowed', 'compliant']);
});

test('a mandate of another organization is none, whoever names it', async t => {
  const w = await flow(t);
  const rival = await w.rival();
  const { id } = await w.mandate([upTo(1)]);
  const [named, unnamed] = [w.pay({ more: { mandate_id: id } }), w.pay()];
  t.is((await rival.as.post('/v1/events', { events: [named, unnamed] })).body.accepted, 2);
  await w.analyze({ of: rival.of });
  const seen = async (event: { id: string }) => (await rival.as.get(`/v1/events/${event.id}`)).body;
  t.is((await seen(named)).mandate_evaluations[0].constraints[0].code, 'mandate_unknown');
  t.is((await seen(unnamed)).mandate_evaluation, null);
});

test('a payment is judged by the version of the mandate that held when it was made', async t => {
  const w = await flow(t, { start: noon - HOUR });
  const { id } = await w.mandate([upTo(100)]);
  w.moveTo(noon);
  await w.admin.patch(`/v1/mandates/${id}`, { constraints: [upTo(10)] });
  w.moveTo(noon + HOUR);
  const payments = [w.pay({ at: -MINUTE }), w.pay({ at: MINUTE }), w.pay({ at: 0 })];
  await w.send(payments);
  await w.analyze();
  t.deepEqual(await w.results(payments), ['compliant', 'breach amount_above_max', 'breach amount_above_max']);
  t.is((await w.detail(payments[1]?.id ?? '')).mandate_evaluations[0].version, 2);
});

test('a payment counts once from its request to its settlement, by what was settled', async t => {
  const w = await flow(t);
  await w.mandate([budget(30)]);
  const one = [
    w.pay({ payment_id: 'one', type: 'payment.requested', status: 'pending', cents: '1000' }),
    w.pay({ at: MINUTE, payment_id: 'one', type: 'payment.authorized', cents: '1000' }),
    w.pay({ at: 2 * MINUTE, payment_id: 'one', cents: '1500' }),
  ];
  const fits = w.pay({ at: 5 * MINUTE, cents: '1500' });
  const beyond = w.pay({ at: 6 * MINUTE, cents: '1' });
  await w.send([...one, fits, beyond]);
  await w.analyze({ limit: 2 });
  t.deepEqual(await w.results([...one, fits, beyond]), [
    ...Array.from({ length: 4 }, () => 'compliant'),
    'breach budget_exceeded',
  ]);
});

for (const [how, type, cents] of [
  ['comes back', 'payment.refunded', '1000'],
  ['fails', 'payment.failed', '1000'],
  ['is canceled', 'payment.canceled', '1000'],
] as const)
  test(`what ${how} is for later payments to spend, and does not excuse earlier ones`, async t => {
    const w = await flow(t);
    await w.mandate([budget(10)]);
    const first = w.pay({ payment_id: 'one', type: 'payment.authorized', cents: '1000' });
    const tooMuch = w.pay({ at: MINUTE, cents: '1' });
    const back = w.pay({ at: 2 * MINUTE, payment_id: 'one', type, cents });
    const later = w.pay({ at: 3 * MINUTE, cents: '998' });
    await w.send([first, tooMuch, back, later]);
    await w.analyze({ limit: 1 });
    await w.recheck();
    const expected = ['compliant', 'breach budget_exceeded', null, 'compliant'];
    t.deepEqual(await w.results([first, tooMuch, back, later]), expected);

    // Nor does a report that comes late of something else, which has the day evaluated again.
    await w.send([w.pay({ at: -MINUTE, cents: '1' })]);
    await w.analyze();
    await w.recheck();
    expected[0] = 'breach budget_exceeded';
    t.deepEqual(await w.results([first, tooMuch, back, later]), expected);
    const [alert] = await w.alerts('detector=mandate_breach');
    t.deepEqual((await w.as.get(`/v1/alerts/${alert.id}`)).body.actions, []);
  });

test('the alert on a breach says what became of its payments', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const pay = (at: number, payment_id: string, type: string) =>
    w.pay({ at: at * MINUTE, payment_id, type: `payment.${type}`, cents: '900' });
  await w.send([pay(0, 'one', 'settled'), pay(1, 'two', 'authorized'), pay(2, 'three', 'settled')]);
  await w.analyze();
  await w.send([pay(3, 'one', 'refunded'), pay(4, 'two', 'canceled'), pay(5, 'three', 'refunded')]);
  await w.analyze({ limit: 1 });
  const [alert] = await w.alerts('detector=mandate_breach');
  const { actions } = (await w.as.get(`/v1/alerts/${alert.id}`)).body;
  t.deepEqual(
    actions.map(({ reason }: { reason: string }) => reason),
    ['two was canceled', 'three was refunded'].map(text => `By what was reported later, ${text}.`),
  );
});

test('what a payment broke its budget by counts from when its mandate began, and as far as it was analyzed', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)], { valid_from: new Date(noon - 12 * HOUR).toISOString() });
  const one = (at: number, type: string) => w.pay({ at, payment_id: 'one', type: `payment.${type}`, cents: '1000' });
  const second = w.pay({ at: 2 * MINUTE, cents: '400' });
  await w.send([one(-13 * HOUR, 'authorized'), one(0, 'settled'), second, one(5 * MINUTE, 'refunded')]);
  await w.send([w.pay({ at: -MINUTE, cents: '1' })]);
  await w.send([one(MINUTE, 'canceled')]);
  await w.analyzeOnce(5);
  await w.recheck();
  t.deepEqual(await w.results([second]), ['breach budget_exceeded']);
});

test('what came back before a payment excuses it, whenever that is reported', async t => {
  const w = await flow(t);
  await w.mandate([budget(10)]);
  const one = (at: number, type: string, cents: string) =>
    w.pay({ at: at * MINUTE, payment_id: 'one', type: `payment.${type}`, cents });
  const first = one(0, 'settled', '1000');
  const [second, third] = [w.pay({ at: 2 * MINUTE, cents: '400' }), w.pay({ at: 4 * MINUTE, cents: '400' })];
  await w.send([first, second, third, one(5, 'refunded', '600')]);
  await w.analyze();
  await w.send([one(1, 'refunded', '400')]);
  await w.analyze({ limit: 1 });
  await w.recheck();
  t.deepEqual(await w.results([first, second, third]), ['compliant', 'compliant', 'breach budget_exceeded']);
});

test('a payment that settles for more than was authorized takes the budget of those that came after it', async t => {
  const w = await flow(t);
  await w.mandate([budget(100)]);
  const authorized = w.pay({ payment_id: 'one', type: 'payment.authorized', cents: '1000' });
  const second = w.pay({ at: MINUTE, cents: '8500' });
  const settled = w.pay({ at: 2 * MINUTE, payment_id: 'one', cents: '2000' });
  await w.send([authorized, second, settled]);
  await w.analyze();
  await w.recheck();
  t.deepEqual(await w.results([authorized, second, settled]), ['compliant', 'breach budget_exceeded', 'compliant']);
  t.is((await w.alerts('detector=mandate_breach')).length, 1);
});

test('of many payments sent at once exactly those that the budget allows are within it', async t => {
  const w = await flow(t);
  await w.mandate([budget(50)]);
  const payments = Array.from({ length: 40 }, (_, index) => w.pay({ at: index, cents: '1000' }));
  await Promise.all([
    ...payments.map(payment => w.as.post('/v1/events', payment)),
    ...Array.from({ length: 6 }, () => w.analyzeFresh(7)),
  ]);
  await w.analyze();
  await w.recheck();
  const results = await w.results(payments);
  t.is(results.filter(result => result === 'compliant').length, 5);
  t.is(results.filter(result => result === 'breach budget_exceeded').length, 35);
});

test('a mandate that is changed while it is used up goes on being enforced', async t => {
  const w = await flow(t);
  const { id } = await w.mandate([budget(10, 'per_mandate')]);
  await w.send([w.pay({ cents: '1000' })]);
  await w.analyze();
  t.is((await w.as.get(`/v1/mandates/${id}`)).body.state, 'exhausted');
  await w.admin.patch(`/v1/mandates/${id}`, { name: 'Renamed' });
  w.moveTo(noon + 8 * HOUR);
  const beyond = w.pay({ at: 7 * HOUR, cents: '1' });
  await w.send([beyond]);
  await w.analyze();
  t.deepEqual(await w.results([beyond]), ['breach budget_exceeded']);
});

test('a mandate shows as used up until something comes back, whatever was reported late', async t => {
  const w = await flow(t);
  const { id } = await w.mandate([budget(20, 'per_mandate')]);
  const state = async () => (await w.as.get(`/v1/mandates/${id}`)).body.state;
  const step = async (options: Parameters<typeof w.pay>[0]) => {
    await w.send([w.pay(options)]);
    await w.analyze();
    return state();
  };
  t.is(await step({ at: MINUTE, payment_id: 'one', cents: '1000' }), 'active');
  t.is(await step({ at: 2 * MINUTE, cents: '1000' }), 'exhausted');
  t.is(await step({ at: 0, payment_id: 'late', cents: '100' }), 'exhausted');
  t.is(await step({ at: 3 * MINUTE, payment_id: 'one', type: 'payment.refunded', cents: '1000' }), 'active');
});

test('a payment that cannot be priced leaves a budget open, for a process that has just started too', async t => {
  const { mandate, pay, send, analyzeFresh, results } = await flow(t);
  await mandate([{ type: 'payment.budget', max: '100000', currency: 'USD', interval: 'daily' }]);
  const foreign = pay({ cents: '5000', currency: 'KPW' });
  const later = pay({ at: MINUTE });
  await send([foreign, later]);
  await analyzeFresh(1);
  await analyzeFresh(1);
  t.deepEqual(await results([foreign, later]), ['unresolved currency_mismatch', 'unresolved currency_mismatch']);
});
