import test from 'ava';
import { readMandateUse } from '#shared/assessment/mandate_use.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/values/time.ts';
import { flow, noon } from '#test/shared/assessment/flow.ts';

const budget = (more: object) => ({
  type: 'payment.budget',
  max: '10000',
  currency: 'USD',
  window: 'calendar',
  tz: 'UTC',
  ...more,
});
const perDay = budget({ interval: 'daily', tz: 'Asia/Tokyo' });
const perHour = budget({ interval: 'hourly', window: 'rolling' });
const inAll = budget({ interval: 'per_mandate' });
const velocity = { type: 'payment.velocity', max: 5, window_s: 60 };
const recurrence = { type: 'payment.agent_recurrence', frequency: 'DAILY', max_occurrences: 12 };

type Limit = { constraint: number; used: string; remaining: string };
const numbers = ({ limits }: { limits: Limit[] }) =>
  limits.map(({ constraint, used, remaining }) => [constraint, used, remaining]);

test('the use of every budget, velocity and recurrence can be read, for the time that counts now', async t => {
  const w = await flow(t, { start: noon });
  const { id } = await w.mandate([
    { type: 'payment.allowed_rails', values: ['x402'] },
    perDay,
    perHour,
    inAll,
    velocity,
    recurrence,
  ]);
  const path = `/v1/mandates/${id}/use`;
  const { body: unused } = await w.as.get(path);
  t.deepEqual(
    numbers(unused).map(([, used]) => used),
    ['0', '0', '0', '0', '0', '0'],
  );
  await w.send([
    w.pay({ at: -DAY, cents: '1000' }),
    w.pay({ at: -5 * HOUR, cents: '250' }),
    w.pay({ at: -10 * SECOND, cents: '5' }),
  ]);
  await w.analyze();
  const { body } = await w.as.get(path);
  t.like(body, { mandate_id: id, version: 1, as_of: '2026-11-20T12:00:10.000Z' });
  t.deepEqual(numbers(body), [
    [1, '255', '9745'],
    [2, '5', '9995'],
    [3, '1255', '8745'],
    [4, '1', '4'],
    [5, '3', '9'],
    [5, '2', '0'],
  ]);
  const { curve, ...first } = body.limits[0];
  t.deepEqual(first, {
    constraint: 1,
    type: 'payment.budget',
    period: { from: '2026-11-19T15:00:00.000Z', to: '2026-11-20T15:00:00.000Z' },
    currency: 'USD',
    asset: null,
    limit: '10000',
    used: '255',
    remaining: '9745',
    unpriced: 0,
  });
  t.deepEqual(curve.at(-1), { at: '2026-11-20T12:00:10.000Z', used: '255' });
  t.deepEqual(new Set(curve.map(({ used }: { used: string }) => used)), new Set(['0', '250', '255']));
  t.is(body.limits[3].curve, null);
  t.deepEqual(body.limits[3].period, { from: '2026-11-20T11:59:10.000Z', to: '2026-11-20T12:00:10.000Z' });
  t.like(body.limits[3], { currency: null, asset: null });
  t.deepEqual([body.limits[2].period, body.limits[4].period], [null, null]);
});

test('what is refunded or canceled is not used, and what goes beyond a limit leaves nothing', async t => {
  const w = await flow(t);
  const { id } = await w.mandate([inAll]);
  const used = async () => numbers((await w.as.get(`/v1/mandates/${id}/use`)).body)[0];
  await w.send([w.pay({ payment_id: 'a', cents: '9000' }), w.pay({ payment_id: 'b', cents: '2000', at: MINUTE })]);
  await w.analyze();
  t.deepEqual(await used(), [0, '11000', '0']);
  await w.send([w.pay({ payment_id: 'a', type: 'payment.refunded', cents: '9000', at: 2 * MINUTE })]);
  await w.analyze();
  t.deepEqual(await used(), [0, '2000', '8000']);
});

test('the ETag of the use of a mandate moves when payments are analyzed, and when windows move on', async t => {
  const w = await flow(t, { start: noon });
  const { id } = await w.mandate([velocity]);
  const tag = async () => (await w.as.get(`/v1/mandates/${id}/use`)).headers.get('etag');
  const first = await tag();
  w.moveTo(noon + 9 * SECOND);
  t.is(await tag(), first);
  await w.send([w.pay()]);
  await w.analyze();
  const second = await tag();
  t.not(second, first);
  w.moveTo(noon + 10 * SECOND);
  t.not(await tag(), second);
});

test('so many payments are gone through at most, and of limits that reach beyond nothing is said', async t => {
  const w = await flow(t, { start: noon });
  const { id } = await w.mandate([inAll, perHour]);
  await w.send([-3, -2, 0].map(hours => w.pay({ at: hours * HOUR, cents: '100' })));
  await w.analyze();
  const rates = await w.assessor.rates.current();
  const use = async (most: number) => (await readMandateUse(w.db, w.tenant, id, rates, noon, most))?.limits;
  t.like(await use(3), [{ used: '300' }, { used: '100' }]);
  t.like(await use(2), [{ used: null, limit: '10000', remaining: null, unpriced: null }, { used: '100' }]);
});

test('the payments held against a mandate are listed, the latest paid first, and its breaches by themselves', async t => {
  const w = await flow(t, { start: noon });
  const { id } = await w.mandate([{ type: 'payment.amount_range', max: '1000', currency: 'USD' }]);
  await w.send([
    w.pay({ at: -3 * HOUR, cents: '500' }),
    w.pay({ at: -2 * HOUR, cents: '1500' }),
    w.pay({ at: -1 * HOUR, cents: '900' }),
  ]);
  await w.analyze();
  const rows: { payment: { amount: { value: string } }; evaluation: { result: string; version: number } }[] = [];
  for (let cursor = ''; ;) {
    const { body } = await w.as.get(`/v1/mandates/${id}/payments?limit=1${cursor}`);
    rows.push(...body.data);
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  t.deepEqual(
    rows.map(({ payment, evaluation }) => [payment.amount.value, evaluation.result, evaluation.version]),
    [
      ['900', 'compliant', 1],
      ['1500', 'breach', 1],
      ['500', 'compliant', 1],
    ],
  );
  const { body: breaches } = await w.as.get(`/v1/mandates/${id}/payments?result=breach`);
  t.is(breaches.data.length, 1);
  t.like(breaches.data[0].evaluation.constraints[0], { observed: '1500', limit: '1000' });
});

test('the use of a mandate of another organization, or of none, is not found', async t => {
  const w = await flow(t);
  const { id } = await w.mandate([inAll]);
  const { as } = await w.rival();
  t.is((await as.get(`/v1/mandates/${id}/use`)).status, 404);
  t.is((await as.get(`/v1/mandates/${id}/payments`)).status, 404);
  t.is((await w.as.get('/v1/mandates/mnd_01ARZ3NDEKTSV4RRFFQ69G5FAV/use')).status, 404);
});
