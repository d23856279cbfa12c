import { readFile } from 'node:fs/promises';
import test from 'ava';
import { saveRates } from '#shared/events/input/fx_rates.ts';
import { reconcileKind } from '#shared/running/work/reconcile.ts';
import { createHandler } from '#workers/handlers/reprice.ts';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { isOf } from '#shared/platform/spread.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { sweepRecentSpend } from '#shared/detection/sweeps/recent_spend.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

const tables = ['agent_totals', 'owner_totals', 'payee_totals', 'days_of_agents', 'organization_hours'] as const;

const rowsOf = (table: (typeof tables)[number], org_id: string) =>
  table === 'days_of_agents'
    ? sql.fragment`(
        select a.org_id, a.external_id, p.key, d.day, d.rail, d.events, d.payments, d.spend_usd_micro
        from days_of_agents d join agents a on a.number = d.agent join payees p on p.number = d.payee
        where a.org_id = ${org_id} and p.org_id = ${org_id} and ${isOf('d', org_id)})`
    : sql.identifier([table]);

/** What the tables hold of one organization, with the clients' own names in place of ids. */
async function totalsOf({ db }: World, org_id: string): Promise<Record<string, string[]>> {
  const Name = z.object({ id: z.string(), name: z.string() });
  const named = await db.any(sql.type(Name)`
    select id, external_id as name from agents where org_id = ${org_id} union all
    select id, external_id from owners where org_id = ${org_id} union all
    select id, key from payees where org_id = ${org_id}`);
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const Row = z.object({ row: z.record(z.string(), z.unknown()) });
  const held: Record<string, string[]> = {};
  for (const table of tables) {
    const rows = await db.any(sql.type(Row)`
      select to_jsonb(t) - 'org_id' - 'last_seen_at' as row from ${rowsOf(table, org_id)} t where org_id = ${org_id}`);
    held[table] = rows
      // A payment that was counted elsewhere at first leaves a row of nothing.
      .filter(({ row }) => ['events', 'payments', 'spend_usd_micro'].some(name => row[name] !== 0))
      .map(({ row }) =>
        Object.values(row)
          .map(value => names.get(String(value)) ?? String(value))
          .join(' '),
      )
      .toSorted();
  }
  return held;
}

/** Payments with several events each, over some days; events of a payment do not always name the same payee and rail. */
function mixedDays() {
  const start = Date.now() - 3 * DAY;
  const types = ['requested', 'authorized', 'settled', 'refunded', 'failed', 'disputed', 'canceled'];
  return Array.from({ length: 240 }, (_, n) => {
    const payment = (n * 7) % 90;
    const type = types[(n * 11 + payment) % types.length] ?? 'settled';
    return event({
      at: start + ((n * 7_919) % 500) * 8 * 60_000,
      agent: `agent-${payment % 4}`,
      payment_id: `pay-${payment}`,
      type: `payment.${type}`,
      status: type === 'requested' ? 'pending' : type,
      cents: String(100 + ((n * 37) % 900)),
      // No rate is known for these here.
      currency: n % 17 === 0 ? 'KPW' : 'USD',
      payee: `domain:shop-${(payment + (n % 9 === 0 ? 1 : 0)) % 6}.example.com`,
      rail: n % 13 === 0 ? 'x402' : 'card',
      more: { owner: { external_id: `owner-${payment % 3}` } },
    });
  });
}

test('totals do not depend on how the log is cut, on the order of its events, or on what a process remembers', async t => {
  const w = await world(t, { own_database: true });
  const sent = mixedDays();
  const results: unknown[] = [];
  for (const [name, list, limit] of [
    ['whole', sent, 1_000],
    ['cut', sent, 7],
    ['forgetful', sent, 11],
    ['backwards', sent.toReversed(), 50],
  ] as const) {
    const { id: org_id } = await w.organization(name);
    const of = { ...w.tenant, org_id };
    const client = w.client((await w.key(org_id)).key);
    t.is((await client.post('/v1/events', { events: list })).body.accepted, sent.length);
    let cache = createDetectionCache();
    for (let more = true; more;) {
      more =
        (await analyzeRange(w.db, of, { limit, detectors, cache, assessor: w.assessor, now: Date.now }))?.events !== 0;
      if (name === 'forgetful') cache = createDetectionCache();
    }
    const totals = await totalsOf(w, org_id);
    // Whose an agent is, and which payees it has paid so far, follow arrival.
    const { owner_totals, payee_totals, ...others } = totals;
    results.push(name === 'backwards' ? others : totals);
    t.true(owner_totals?.length === 3 && payee_totals?.length === 6, name);
  }
  t.deepEqual(results[1], results[0]);
  t.deepEqual(results[2], results[0]);
  t.like(results[0] as object, results[3] as object);
});

test('the migration fills in what was analyzed before it, as detection would have', async t => {
  const w = await world(t, { own_database: true });
  const events = mixedDays();
  await w.as.post('/v1/events', { events: events.slice(0, 200) });
  await w.analyze({ limit: 30 });
  // What is not analyzed yet is not counted yet.
  await w.as.post('/v1/events', { events: events.slice(200) });
  const before = await totalsOf(w, w.tenant.org_id);
  const spent = async () =>
    (await w.as.get('/v1/agents')).body.data.map((agent: { spend_usd_minor_30d: string }) => agent.spend_usd_minor_30d);
  const spentBefore = await spent();
  const migration = await readFile('sql/migrations/0003_activity.sql', 'utf8');
  await asOwnerOf(
    w.database,
    `truncate ${tables.join(', ')}, hours_of_agents`,
    migration.slice(migration.indexOf('-- What was analysed before')),
  );
  await sweepRecentSpend(w.services);
  t.deepEqual(await totalsOf(w, w.tenant.org_id), before);
  t.deepEqual(await spent(), spentBefore);
  await w.analyze();
  const whole = await world(t, { own_database: true });
  await whole.as.post('/v1/events', { events });
  await whole.analyze();
  t.deepEqual(await totalsOf(w, w.tenant.org_id), await totalsOf(whole, whole.tenant.org_id));
});

test('what is priced later counts as if it had been priced when it came', async t => {
  const [late, whole] = [await world(t, { own_database: true }), await world(t, { own_database: true })];
  const events = mixedDays();
  const rates = [{ currency: 'KPW', date: timestamp(Date.now() - 5 * DAY).slice(0, 10), usd_per_unit: '0.7' }];
  await saveRates(whole.db, rates);
  for (const w of [late, whole]) {
    await w.as.post('/v1/events', { events });
    await w.analyze();
  }
  t.notDeepEqual(await totalsOf(late, late.tenant.org_id), await totalsOf(whole, whole.tenant.org_id));
  await saveRates(late.db, rates);
  t.is(await reconcileKind('reprice', late.services), 1);
  await createHandler(late.services, new AbortController().signal)(late.tenant);
  t.deepEqual(await totalsOf(late, late.tenant.org_id), await totalsOf(whole, whole.tenant.org_id));
});

test('a payment counts where it started and costs where it was first paid, with the payee and rail of its latest event', async t => {
  const w = await world(t, { own_database: true });
  const noon = Math.floor((Date.now() - 2 * DAY) / DAY) * DAY + 12 * HOUR;
  const pay = (more: Parameters<typeof event>[0]) =>
    w.as.post('/v1/events', event({ payment_id: 'p', payee: 'domain:a.example.com', ...more }));
  const days = async () => {
    await w.analyze();
    const Row = z.object({ row: z.string() });
    return w.db.anyFirst(sql.type(Row)`
      select concat_ws(' ', d.day - ${new Date(noon).toISOString().slice(0, 10)}::date, d.rail, p.key, d.events, d.payments, d.spend_usd_micro) as row
      from days_of_agents d join payees p on p.number = d.payee
      where p.org_id = ${w.tenant.org_id} and ${isOf('d', w.tenant.org_id)} order by 1`);
  };
  await pay({ at: noon, type: 'payment.requested', status: 'pending', cents: '1000' });
  t.deepEqual(await days(), ['0 card domain:a.example.com 1 1 0']);
  await pay({ at: noon + DAY, cents: '1000' });
  t.deepEqual(await days(), ['0 card domain:a.example.com 1 1 0', '1 card domain:a.example.com 1 0 10000000']);
  await pay({
    at: noon + DAY + HOUR,
    type: 'payment.refunded',
    cents: '400',
    payee: 'domain:b.example.com',
    rail: 'wire',
  });
  t.deepEqual(await days(), [
    '0 card domain:a.example.com 1 0 0',
    '0 wire domain:b.example.com 0 1 0',
    '1 card domain:a.example.com 1 0 0',
    '1 wire domain:b.example.com 1 0 6000000',
  ]);
});

test('a payment that cannot be priced costs nothing, whether it is read at once or read back later, and alerts nobody', async t => {
  const w = await world(t, { own_database: true });
  const start = Date.now() - DAY;
  const pay = (type: string) =>
    Array.from({ length: 25 }, (_, n) =>
      event({
        at: start + n * HOUR * 0.9,
        payment_id: `p-${n}`,
        currency: 'KPW',
        type,
        payee: `domain:shop-${n % 9}.example.com`,
      }),
    );
  const raised = [];
  for (const type of ['payment.authorized', 'payment.settled', 'payment.canceled']) {
    await w.as.post('/v1/events', { events: pay(type) });
    for (let more = true; more;) {
      const cache = createDetectionCache();
      const analyzed = await analyzeRange(w.db, w.tenant, {
        limit: 10,
        detectors,
        cache,
        assessor: w.assessor,
        now: Date.now,
      });
      raised.push(...(analyzed?.raised ?? []));
      more = analyzed?.events !== 0;
    }
    t.like((await w.as.get('/v1/agents')).body.data, [{ spend_usd_minor_30d: '0' }], type);
  }
  t.deepEqual(raised, []);
});

test('events that detection has to pass over are counted all the same', async t => {
  const w = await world(t, { own_database: true });
  await w.as.post('/v1/events', { events: [event(), event()] });
  await analyzeRange(w.db, w.tenant, {
    assessor: w.assessor,
    limit: 1,
    detectors,
    cache: createDetectionCache(),
    now: Date.now,
    pass_over: true,
  });
  await w.analyze();
  const [agent] = (await w.as.get('/v1/agents')).body.data;
  t.like(agent, { event_count: 2, spend_usd_minor_30d: '1250' });
  t.is((await w.as.get(`/v1/agents/${agent.id}/summary`)).body.verification.none, 2);
});
