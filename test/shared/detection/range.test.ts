import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createDetectionCache } from '#shared/detection/load/detection_cache.ts';
import { COOLDOWN_S } from '#shared/detection/settings/detector_settings.ts';
import { analyzeRange } from '#shared/detection/consumer/range.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { createEndpoint } from '#shared/webhooks/webhook_endpoints.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

const at = Date.now() - 3_600_000;
const dear = (more: Parameters<typeof event>[0] = {}) => event({ at, cents: '50000', ...more });
const alertsOf = async ({ as }: World, query = '') => (await as.get(`/v1/alerts?limit=200${query}`)).body.data;

test('an event that crosses a line raises an alert with the numbers, the agent and the event', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const sent = dear({ payee_name: 'Hotel Seeblick' });
  await w.as.post('/v1/events', sent);
  await w.analyze();
  const alerts = await alertsOf(w, '&detector=new_payee_high_amount');
  t.is(alerts.length, 1);
  t.like(alerts[0], {
    severity: 'critical',
    state: 'open',
    title: '$500.00 to Hotel Seeblick, never paid before',
    event_ids: [sent.id],
    actions: [],
  });
});

test("a payee's name stands in an alert as it is, whatever signs it is made of", async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const name = "Ca$$h & $' $` $& $1";
  await w.as.post('/v1/events', dear({ payee_name: name }));
  await w.analyze();
  const [alert] = await alertsOf(w, '&detector=new_payee_high_amount');
  t.is(alert.title, `$500.00 to ${name}, never paid before`);
});

test('the same thing again is added to the open alert, whose score rises and never falls', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const send = (cents: string, minutes: number) => w.as.post('/v1/events', dear({ cents, at: at + minutes * 60_000 }));
  await send('6000', 0);
  await w.analyze();
  const [first] = await alertsOf(w, '&detector=spend_velocity');
  await send('90000', 1);
  await w.analyze();
  const [second] = await alertsOf(w, '&detector=spend_velocity');
  t.is(second.id, first.id);
  t.true(second.score > first.score);
  t.is(second.event_ids.length, 2);
  await send('100', 2);
  await w.analyze();
  const [third] = await alertsOf(w, '&detector=spend_velocity');
  t.is(third.score, second.score);
  t.is(third.event_ids.length, 3);
});

test('another pair of equal payments joins an open alert with both, and its words stay about the first', async t => {
  const w = await world(t);
  const pair = async (cents: string, minutes: number) => {
    const sent = [0, 40].map(seconds => dear({ cents, at: at + minutes * 60_000 + seconds * 1_000 }));
    await w.as.post('/v1/events', { events: sent });
    await w.analyze();
    return sent.map(({ id }) => id);
  };
  const first = await pair('4321', 0);
  const second = await pair('9999', 20);
  const [alert, ...others] = await alertsOf(w, '&detector=duplicate_payment');
  t.deepEqual(others, []);
  t.deepEqual(alert.event_ids, [...first, ...second].toReversed());
  const { body } = await w.as.get(`/v1/alerts/${alert.id}/evidence`);
  t.deepEqual(body.other_event_ids, second.toReversed());
  t.regex(alert.title, /\$43\.21 twice$/);
  const incident = (await w.as.get(`/v1/incidents/${alert.incident_id}`)).body;
  t.is(incident.amount_usd_minor, String(2 * (4321 + 9999)));
});

test('after an alert is closed its like is raised only after the cooldown, or if it got much worse', async t => {
  let now = Date.now();
  const w = await world(t, { thresholds: true, now: () => now });
  const send = async (cents: string, minutes: number) => {
    await w.as.post('/v1/events', dear({ cents, at: at + minutes * 60_000 }));
    return (await w.analyze()).filter(({ detector }) => detector === 'spend_velocity').length;
  };
  t.is(await send('5100', 0), 1);
  const [alert] = await alertsOf(w, '&detector=spend_velocity');
  await w.as.post(`/v1/alerts/${alert.id}/actions`, { action: 'dismiss', reason: 'known' });
  t.is(await send('100', 1), 0);
  t.is(await send('90000', 2), 1);
  const [worse] = await alertsOf(w, '&detector=spend_velocity&state=open');
  await w.as.post(`/v1/alerts/${worse.id}/actions`, { action: 'resolve' });
  t.is(await send('100', 3), 0);
  const { data: quiet } = (await w.as.get('/v1/detectors/spend_velocity/findings')).body;
  t.deepEqual(
    quiet.map(({ reason, hits }: Record<string, unknown>) => [reason, hits]),
    [['cooldown', 2]],
  );
  now += COOLDOWN_S * 1_000 + 1;
  t.is(await send('100', 4), 1);
});

test('every alert makes one delivery for each active endpoint, in the same transaction', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  await createEndpoint(w.db, w.config, w.tenant, { url: 'http://127.0.0.1:9/hook' }, Date.now());
  await w.as.post('/v1/events', dear());
  const raised = await w.analyze();
  const bodies = await w.db.anyFirst(
    sql.type(z.object({ body: z.string() }))`select body from webhook_deliveries order by id`,
  );
  t.deepEqual(
    bodies.map(body => JSON.parse(body).data).toSorted((a, b) => (a.alert_id < b.alert_id ? -1 : 1)),
    raised
      .map(({ alert_id, event_id }) => ({ alert_id, event_id }))
      .toSorted((a, b) => (a.alert_id < b.alert_id ? -1 : 1)),
  );
});

test('however the log is cut into ranges, and whoever takes the next one, the same alerts are raised', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const orgs = await Promise.all(['whole', 'cut', 'handed over'].map(name => w.organization(name)));
  const sent = [
    ...Array.from({ length: 30 }, (_, index) =>
      event({ at: at + index * 1500, agent: 'fast', cents: '10', payee: `domain:p${index}.example.com` }),
    ),
    ...Array.from({ length: 25 }, (_, index) =>
      event({ at: at - (30 - index) * 3_600_000, agent: 'steady', cents: String(900 + index) }),
    ),
    event({ at, agent: 'steady', cents: '40000' }),
    ...Array.from({ length: 6 }, (_, index) =>
      event({ at: at + index * 30_000, agent: 'unlucky', type: 'payment.failed', cents: '700' }),
    ),
    event({ at, agent: 'double', cents: '2500', payee: 'domain:x.example.com' }),
    event({ at: at + 32_000, agent: 'double', cents: '2500', payee: 'domain:x.example.com' }),
    ...Array.from({ length: 12 }, (_, index) =>
      event({ at: at + index * 10_000, agent: 'loop', cents: '50', payee: 'domain:loop.example.com' }),
    ),
  ];
  const results: unknown[] = [];
  for (const [index, org] of orgs.entries()) {
    const of = { org_id: org.id, environment: w.tenant.environment };
    const client = w.client((await w.key(org.id)).key);
    await client.post('/v1/events', { events: sent });
    if (index === 0) await w.analyze({ of });
    if (index === 1) await w.analyze({ of, limit: 7 });
    const caches = [createDetectionCache(), createDetectionCache(), createDetectionCache(20)];
    for (let turn = 0; index === 2; turn += 1) {
      const cache = caches[turn % 3] ?? createDetectionCache();
      const analyzed = await analyzeRange(w.db, of, {
        limit: 5 + (turn % 4),
        detectors,
        cache,
        assessor: w.assessor,
        now: Date.now,
      });
      if (analyzed?.events === 0) break;
    }
    const { body } = await client.get('/v1/alerts?limit=200');
    const agents = await w.db.any(sql.type(z.object({ id: z.string(), name: z.string() }))`
      select id, external_id as name from agents where org_id = ${org.id}`);
    const nameOf = new Map(agents.map(agent => [agent.id, agent.name]));
    results.push(
      body.data
        .map((alert: { detector: string; agent_id: string; score: number; event_ids: string[]; title: string }) =>
          [alert.detector, nameOf.get(alert.agent_id), alert.score, alert.title, alert.event_ids.length].join(' | '),
        )
        .toSorted(),
    );
  }
  t.deepEqual(results[1], results[0]);
  t.deepEqual(results[2], results[0]);
  t.true((results[0] as string[]).length >= 6);
});

test('two processes at one log do not judge an event twice', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  await w.as.post('/v1/events', {
    events: Array.from({ length: 60 }, (_, index) => dear({ at: at + index, agent: `a${index}` })),
  });
  const turn = async () => {
    const cache = createDetectionCache();
    let events = 0;
    for (let idle = 0; idle < 3;) {
      const analyzed = await analyzeRange(w.db, w.tenant, {
        limit: 7,
        detectors,
        cache,
        assessor: w.assessor,
        now: Date.now,
      });
      if (!analyzed || analyzed.events === 0) idle += 1;
      events += analyzed?.events ?? 0;
    }
    return events;
  };
  const counts = await Promise.all([turn(), turn(), turn(), turn()]);
  t.is(
    counts.reduce((sum, count) => sum + count, 0),
    60,
  );
  t.is((await alertsOf(w, '&detector=new_payee_high_amount')).length, 60);
});

test('a detector that throws does not stop the log, and the event is recorded', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  await w.as.post('/v1/events', { events: [dear(), dear({ at: at + 1, agent: 'other' })] });
  const broken = {
    name: 'broken',
    about: 'Throws.',
    params: z.strictObject({}),
    judge: () => {
      throw new Error('no idea');
    },
  };
  const analyzed = await analyzeRange(w.db, w.tenant, {
    assessor: w.assessor,
    limit: 10,
    detectors: [broken, ...detectors],
    cache: createDetectionCache(),
    now: Date.now,
  });
  t.deepEqual(analyzed?.failures, [
    { chain_seq: 1, detector: 'broken' },
    { chain_seq: 2, detector: 'broken' },
  ]);
  t.true((analyzed?.raised.length ?? 0) >= 4);
  const stored = await w.db.oneFirst(
    sql.type(z.object({ failures: z.array(z.unknown()) }))`select failures from analyzed_ranges`,
  );
  t.is(stored.length, 2);
});

test('the service cannot change or remove what is in the log', async t => {
  const { as, db } = await world(t, { own_database: true, thresholds: true });
  await as.post('/v1/events', event());
  for (const statement of [
    sql.unsafe`update events set status = 'failed'`,
    sql.unsafe`delete from events`,
    sql.unsafe`truncate events`,
    sql.unsafe`alter table events disable trigger all`,
    sql.unsafe`drop table events`,
    sql.unsafe`delete from event_logs`,
    sql.unsafe`update analyzed_ranges set analyzed_at = now()`,
    sql.unsafe`update alert_actions set reason = ''`,
    sql.unsafe`set role postgres`,
  ]) {
    await t.throwsAsync(db.query(statement), { message: /permission denied|must be owner/ }, statement.sql);
  }
});

test('what an agent does is added up by the hour, each payment once', async t => {
  const w = await world(t, { own_database: true, thresholds: true });
  const hour = at - (at % 3_600_000);
  await w.as.post('/v1/events', {
    events: [
      event({ at: hour + 1000, payment_id: 'a', type: 'payment.authorized', cents: '1000' }),
      event({ at: hour + 2000, payment_id: 'a', cents: '1200' }),
      event({ at: hour + 3000, payment_id: 'b', cents: '500' }),
      event({ at: hour + 4000, payment_id: 'b', type: 'payment.refunded', cents: '200' }),
      event({ at: hour + 5000, payment_id: 'c', type: 'payment.failed', cents: '900' }),
    ],
  });
  await w.analyze({ limit: 2 });
  const Row = z.object({ payments: z.number(), spend: z.string(), busiest_minute: z.number() });
  const rows = await w.db.any(
    sql.type(Row)`select payments, spend_usd_micro as spend, busiest_minute from hours_of_agents`,
  );
  t.deepEqual([...rows], [{ payments: 3, spend: '15000000', busiest_minute: 3 }]);
});
