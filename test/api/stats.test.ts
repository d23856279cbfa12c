import test from 'ava';
import { DAY, HOUR } from '#shared/values/time.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { alert } from '#test/helpers/alert.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const today = Math.floor(Date.now() / DAY) * DAY;
const time = (at: number) => new Date(at).toISOString();
const empty = { events: 0, payments: 0, spend_usd_minor: '0', spend_usd_micro: '0', alerts: 0, breaches: 0 };

type Bucket = { at: string; events: number };

test('statistics have every day of the last 30, with events, payments, spend, alerts and breaches', async t => {
  const now = today + 12 * HOUR;
  const w = await world(t, { now: () => now });
  const person = await w.person('developer');
  await w.as.post('/v1/events', {
    events: [
      event({ at: today, payment_id: 'a', type: 'payment.authorized', cents: '1000' }),
      event({ at: today + HOUR, payment_id: 'a', cents: '1200' }),
      event({ at: today - DAY, type: 'payment.failed', cents: '900', agent: 'other' }),
      event({ at: today - 29 * DAY, cents: '1' }),
      event({ at: today - 30 * DAY, cents: '1' }),
    ],
  });
  await w.analyze();
  const before = (await person.get('/v1/stats')).body.data;
  for (const detector of ['mandate_breach', 'velocity_count'])
    await alert(w.db, w.tenant, { detector, created_at: today - 5 * DAY + 1 });
  // As whoever raises one does.
  await moveVersions(w.db, w.tenant, ['alerts']);
  const { body } = await person.get('/v1/stats');
  t.like(body, { bucket: 'day', from: time(today - 29 * DAY), to: time(today + DAY) });
  t.deepEqual(
    body.data.map(({ at }: Bucket) => at),
    Array.from({ length: 30 }, (_, day) => time(today - (29 - day) * DAY)),
  );
  t.deepEqual(body.data[0], {
    ...empty,
    at: body.from,
    events: 1,
    payments: 1,
    spend_usd_minor: '1',
    spend_usd_micro: '10000',
  });
  t.deepEqual(body.data[1], { ...empty, at: time(today - 28 * DAY) });
  t.deepEqual(body.data[24], { ...empty, at: time(today - 5 * DAY), alerts: 2, breaches: 1 });
  t.deepEqual(body.data[28], { ...empty, at: time(today - DAY), events: 1, payments: 1 });
  t.deepEqual(body.data[29], {
    ...before[29],
    events: 2,
    payments: 1,
    spend_usd_minor: '1200',
    spend_usd_micro: '12000000',
  });
});

test('what micro-payments come to is told in millionths of a dollar, which hours of less than a cent add up by', async t => {
  const w = await world(t, { now: () => today + 90 * 60_000 });
  const person = await w.person('developer');
  const asset = { network: 'eip155:8453', address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' };
  const amount = { value: '1000', unit: 'atomic', asset };
  await w.as.post('/v1/events', {
    events: Array.from({ length: 12 }, (_, index) => {
      const made = event({ at: today - index * HOUR }) as unknown as { payment: object };
      return { ...made, payment: { ...made.payment, amount } };
    }),
  });
  await w.analyze();
  const { data } = (await person.get('/v1/stats?bucket=hour')).body;
  const sum = (name: string) =>
    data.reduce((total: number, bucket: Record<string, string>) => total + Number(bucket[name]), 0);
  t.is(sum('spend_usd_micro'), 12_000);
  t.is(sum('spend_usd_minor'), 0);
});

test('by the hour, statistics have the last 48 hours', async t => {
  const w = await world(t, { now: () => today + 90 * 60_000 });
  const person = await w.person('developer');
  await w.as.post('/v1/events', {
    events: [event({ at: today - 1 }), event({ at: today }), event({ at: today + HOUR })],
  });
  await w.analyze();
  const { body } = await person.get('/v1/stats?bucket=hour');
  t.is(body.data.length, 48);
  t.is(body.to, time(today + 2 * HOUR));
  t.deepEqual(
    body.data.slice(-3).map(({ at, events }: Bucket) => [at, events]),
    [-1, 0, 1].map(hour => [time(today + hour * HOUR), 1]),
  );
});

test('statistics are read in whole hours or days, at most 1,000 of them', async t => {
  const { person } = await world(t);
  const { get } = await person('developer');
  const ask = (from: string, to: string, bucket = 'day') => get(`/v1/stats?from=${from}&to=${to}&bucket=${bucket}`);
  const whole = await ask('2026-01-01T10:30:00Z', '2026-01-02T00:00:00.001Z');
  t.like(whole.body, { from: '2026-01-01T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z' });
  t.is(whole.body.data.length, 2);
  t.is((await ask('2020-01-01T00:00:00Z', '2022-09-27T00:00:00Z')).body.data.length, 1_000);
  const { status, body } = await ask('2020-01-01T00:00:00Z', '2022-09-27T00:00:01Z');
  t.is(status, 400);
  t.regex(body.error.message, /1001 buckets; at most 1000/);
  t.is((await ask('2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', 'hour')).status, 400);
  for (const [from, to] of [
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['9999-12-31T12:00:00Z', '9999-12-31T23:59:59Z'],
    ['yesterday', '2026-01-01T00:00:00Z'],
  ] as const)
    t.is((await ask(from, to)).status, 400, from);
  for (const query of ['bucket=week', 'to=0001-01-01T00:00:00Z', 'from=9000-01-01T00:00:00Z', 'limit=5'])
    t.is((await get(`/v1/stats?${query}`)).status, 400, query);
  for (const query of ['to=0001-01-02T00:00:00Z', 'to=9999-12-31T23:59:59Z', 'bucket=hour&to=0001-01-01T01:00:00Z'])
    t.is((await get(`/v1/stats?${query}`)).status, 200, query);
});

test('statistics are of one organization', async t => {
  const w = await world(t);
  await w.as.post('/v1/events', event());
  await w.analyze();
  const stranger = await w.person('owner', { of: (await w.organization('Rival')).id });
  const total = ({ data }: { data: Bucket[] }) => data.reduce((sum, { events }) => sum + events, 0);
  t.is(total((await stranger.get('/v1/stats')).body), 0);
  for (const reader of [w.as, await w.person('owner')]) t.is(total((await reader.get('/v1/stats')).body), 1);
});
