import test from 'ava';
import { leafHash } from '#shared/events/log/leaf.ts';
import { createApiKey } from '#shared/keys/api_keys.ts';
import { sql } from '#shared/platform/db.ts';
import { z } from 'zod';
import { event, eventId } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

test('a single event is stored once: 201, then 200 as a duplicate, 409 with other content', async t => {
  const { as } = await world(t);
  const sent = event();
  const first = await as.post('/v1/events', sent);
  t.is(first.status, 201);
  t.like(first.body, { index: 0, id: sent.id, status: 'accepted', chain_seq: 1 });
  const again = await as.post('/v1/events', sent);
  t.is(again.status, 200);
  t.like(again.body, { status: 'duplicate', chain_seq: 1, received_at: first.body.received_at });
  const other = await as.post('/v1/events', { ...sent, description: 'something else' });
  t.is(other.status, 409);
  t.is(other.body.error.code, 'conflict');
  const { body } = await as.get('/v1/events');
  t.is(body.data.length, 1);
});

test('the same event written differently is the same event', async t => {
  const { as } = await world(t);
  const at = Date.now() - 60_000;
  const sent = event({ at });
  await as.post('/v1/events', sent);
  const offset = new Date(at + 2 * 3_600_000).toISOString().replace('Z', '+02:00');
  const { status } = await as.post('/v1/events', {
    ...sent,
    id: sent.id.replace('evt_', 'EVT_').toLowerCase(),
    occurred_at: offset,
  });
  t.is(status, 200);
});

test('a batch keeps its good events when others are bad, and answers in input order', async t => {
  const { as } = await world(t);
  const [good, twin] = [event(), event()];
  const { status, body } = await as.post('/v1/events', {
    events: [good, { ...event(), type: 'payment.unheard_of' }, good, twin, { ...twin, description: 'changed' }, 7],
  });
  t.is(status, 200);
  t.deepEqual(
    body.results.map((result: { status: string }) => result.status),
    ['accepted', 'rejected', 'duplicate', 'accepted', 'conflict', 'rejected'],
  );
  t.deepEqual(
    body.results.map((result: { index: number }) => result.index),
    [0, 1, 2, 3, 4, 5],
  );
  t.deepEqual([body.accepted, body.duplicates, body.conflicts, body.rejected], [2, 1, 1, 2]);
  t.is(body.results[2].chain_seq, 1);
  t.is(body.results[1].error.details[0].path, '/events/1/type');
});

test('chain_seq has no gap, whatever was refused in between and however many send at once', async t => {
  const { as, db } = await world(t, { own_database: true });
  const at = Date.now() - 60_000;
  const shared = Array.from({ length: 20 }, () => event({ at }));
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      as.post('/v1/events', {
        events: [...shared, event({ at }), { ...event(), occurred_at: 'never' }, event({ at: at + index })],
      }),
    ),
  );
  const seqs = await db.anyFirst(
    sql.type(z.object({ chain_seq: z.number() }))`select chain_seq from events order by chain_seq`,
  );
  t.deepEqual(
    seqs,
    Array.from({ length: 20 + 24 }, (_, index) => index + 1),
  );
});

test('received_at never goes back along the log', async t => {
  const { as, db } = await world(t, { own_database: true });
  await Promise.all(Array.from({ length: 10 }, () => as.post('/v1/events', event())));
  const times = await db.anyFirst(
    sql.type(z.object({ received_at: z.string() }))`select received_at from events order by chain_seq`,
  );
  t.deepEqual(times, times.toSorted());
});

test('the leaf hash that the database computes is the one that an auditor computes', async t => {
  const { as, db } = await world(t, { own_database: true });
  await as.post('/v1/events', { events: [event(), event(), event()] });
  const Row = z.object({ chain_seq: z.number(), received_at: z.string(), digest: z.string(), leaf: z.string() });
  const rows = await db.any(sql.type(Row)`
    select chain_seq, received_at, encode(event_digest, 'hex') as digest, encode(leaf_hash, 'hex') as leaf from events`);
  for (const { chain_seq, received_at, digest, leaf } of rows) {
    t.is(leafHash({ seq: chain_seq, received_at, event_digest: digest }).toString('hex'), leaf);
  }
});

test('an empty batch, one of 1001, or one with other members is refused whole', async t => {
  const { as } = await world(t);
  for (const body of [
    { events: [] },
    { events: Array.from({ length: 1001 }, () => 1) },
    { events: [event()], dry_run: true },
    { events: {} },
  ]) {
    const reply = await as.post('/v1/events', body);
    t.is(reply.status, 400);
    t.is(reply.body.error.code, 'invalid_request');
  }
});

test('an amount is priced in cents: dollars, dollar stablecoins half up, other money by the rate of its day, else by the one that comes along', async t => {
  const { as, db } = await world(t, { own_database: true });
  const { saveRates } = await import('#shared/events/input/fx_rates.ts');
  const at = Date.parse('2026-11-10T12:00:00Z');
  await saveRates(db, [
    { currency: 'EUR', date: '2026-11-09', usd_per_unit: '1.1' },
    { currency: 'JPY', date: '2026-11-10', usd_per_unit: '0.0065' },
  ]);
  const usdc = (value: string) => ({
    payment_id: `p${value}`,
    rail: 'x402',
    status: 'settled',
    amount: {
      value,
      unit: 'atomic',
      asset: { network: 'base', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
    },
    payee: { key: 'domain:x.example.com' },
  });
  const cases: [Record<string, unknown>, string | null][] = [
    [event({ at, cents: '999' }), '999'],
    [{ ...event({ at }), payment: usdc('1000') }, '0'],
    [{ ...event({ at }), payment: usdc('5000') }, '1'],
    [{ ...event({ at }), payment: usdc('14999') }, '1'],
    [event({ at, cents: '1000', currency: 'EUR' }), '1100'],
    [event({ at, cents: '1000', currency: 'JPY' }), '650'],
    [event({ at, cents: '100000', currency: 'CHF' }), '119995'],
    [event({ at: at - 30 * 86_400_000, cents: '1000', currency: 'EUR' }), '1136'],
    [event({ at, cents: '1000', currency: 'KPW' }), null],
  ];
  await as.post('/v1/events', { events: cases.map(([sent]) => sent) });
  const { body } = await as.get('/v1/events');
  t.deepEqual(
    body.data.toReversed().map((item: { payment: { amount_usd_minor: string } }) => item.payment.amount_usd_minor),
    cases.map(([, price]) => price),
  );
});

test('validate says what would happen and stores nothing', async t => {
  const { as, db } = await world(t, { own_database: true });
  const { status, body } = await as.post('/v1/events/validate', { events: [event(), { id: 'evt_1' }] });
  t.is(status, 200);
  t.deepEqual(
    body.results.map((result: { valid: boolean }) => result.valid),
    [true, false],
  );
  t.truthy(body.results[0].normalized.payment);
  t.true(body.results[1].errors.length > 3);
  t.is(await db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from events`), 0);
  t.is(await db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from agents`), 0);
});

test('an event without a source comes from the source of its key; an unknown or disabled source is refused', async t => {
  const { as, tenant, client, db, config, services } = await world(t);
  const second = await createApiKey(
    db,
    { ...tenant, env: config.key_env, name: 'second', scopes: ['events:write'], created_by: null },
    services.now(),
  );
  const [one, two] = [event(), event()];
  await as.post('/v1/events', one);
  await client(second.key).post('/v1/events', two);
  const { body } = await as.get('/v1/events');
  t.not(body.data[0].source_id, body.data[1].source_id);
  const unknown = await as.post('/v1/events', { ...event(), source_id: `src_${eventId(1).slice(4)}` });
  t.is(unknown.status, 400);
  t.is(unknown.body.error.details[0].path, '/source_id');
  const { body: source } = await as.post('/v1/sources', { name: 'till', kind: 'psp_webhook' });
  await as.patch(`/v1/sources/${source.id}`, { state: 'disabled' });
  t.is((await as.post('/v1/events', { ...event(), source_id: source.id })).status, 400);
});

test('agents, owners and payees are registered once, however many events name them at once', async t => {
  const { as, db } = await world(t, { own_database: true });
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      as.post('/v1/events', {
        events: Array.from({ length: 20 }, (_unused, n) =>
          event({ agent: `a${(n + index) % 7}`, payee: `domain:p${(n * index) % 5}.example.com` }),
        ),
      }),
    ),
  );
  const counted = async (table: string) =>
    db.oneFirst(sql.type(z.object({ n: z.number() }))`select count(*) as n from ${sql.identifier([table])}`);
  t.is(await counted('agents'), 7);
  t.is(await counted('payees'), 5);
  t.is(await counted('owners'), 1);
});
