import test, { type ExecutionContext } from 'ava';
import { catalog } from '#shared/detection/detectors/index.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { alert } from '#test/helpers/alert.ts';
import { steadyMonth } from '#test/helpers/conduct.ts';
import { event } from '#test/helpers/make.ts';
import { shadowFinding } from '#test/helpers/shadow_finding.ts';
import { type World, world } from '#test/helpers/world.ts';

const path = '/v1/detectors/velocity_count';

/** Payments of one agent within half a minute. */
const send = (w: World, count: number, agent = 'fast') =>
  w.as.post('/v1/events', {
    events: Array.from({ length: count }, (_, index) =>
      event({
        at: Date.now() - HOUR + index * 1_000,
        agent,
        cents: String(10 + index),
        payee: `domain:p${index % 3}.example.com`,
      }),
    ),
  });

const begun = async (t: ExecutionContext) => {
  const w = await world(t);
  return { ...w, ada: await w.person('developer') };
};

test('every detector is listed with what there is to set, page by page', async t => {
  const { as } = await world(t);
  const { data } = (await as.get('/v1/detectors')).body;
  t.deepEqual(
    data.map(({ name }: { name: string }) => name),
    catalog.map(({ name }) => name),
  );
  for (const detector of data) {
    t.deepEqual((await as.get(`/v1/detectors/${detector.name}`)).body, detector);
    t.deepEqual(detector.params, detector.defaults, detector.name);
    t.deepEqual(Object.keys(detector.params_schema.properties), Object.keys(detector.defaults), detector.name);
    for (const [name, schema] of Object.entries<{ description?: string; default?: unknown }>(
      detector.params_schema.properties,
    )) {
      t.truthy(schema.description, `${detector.name}: ${name}`);
      t.deepEqual(schema.default, detector.defaults[name], `${detector.name}: ${name}`);
    }
    const { off_by_default, cooldown_s = 86_400 } = catalog.find(({ name }) => name === detector.name) ?? {};
    t.like(detector, { shadow: false, severity_floor: 'low', cooldown_s, updated_at: null });
    t.is(detector.enabled, !off_by_default, detector.name);
  }
  const kinds = new Set(data.map(({ kind }: { kind: string }) => kind));
  t.deepEqual([...kinds].toSorted(), ['event', 'time']);
  const first = (await as.get('/v1/detectors?limit=5')).body;
  const second = (await as.get(`/v1/detectors?limit=200&cursor=${first.next_cursor}`)).body;
  t.deepEqual([...first.data, ...second.data], data);
});

test('a detector is set as a whole: what is left out takes its default', async t => {
  const { as, ada, person } = await begun(t);
  const sent = { enabled: false, shadow: true, params: { per_minute: 30 }, severity_floor: 'high', cooldown_s: 60 };
  const { status, body } = await ada.put(path, sent);
  t.is(status, 200);
  t.like(body, { ...sent, params: { ...body.defaults, per_minute: 30 } });
  t.truthy(body.updated_at);
  t.deepEqual((await as.get(path)).body, body);
  const again = (await ada.put(path, { params: { per_minute: body.defaults.per_minute, per_hour: 300 } })).body;
  t.like(again, { enabled: true, shadow: false, severity_floor: 'low', cooldown_s: 86_400 });
  t.deepEqual(again.params, { ...again.defaults, per_hour: 300 });
  const off = await ada.put('/v1/detectors/unmandated_payment', {});
  t.is(off.body.enabled, false, 'which is off for one of them');
  const budgets = await ada.put('/v1/detectors/budget_threshold', { severity_floor: 'medium' });
  t.is(budgets.body.cooldown_s, 0, 'as each period is told of once anyway');

  const admin = await person('admin');
  const { data } = (await admin.get(`/v1/audit-log?action=detector.changed&target_id=velocity_count`)).body;
  const rest = { enabled: true, shadow: false, severity_floor: 'low', cooldown_s: 86_400 };
  t.deepEqual(
    data.map(({ before, after, actor_id }: Record<string, unknown>) => [before, after, actor_id]),
    [
      [sent, { ...rest, params: { per_minute: 21, per_hour: 300 } }, ada.user.id],
      [{ ...rest, params: {} }, sent, ada.user.id],
    ],
  );
});

test('a parameter that is set to its default counts as set, but not where all that was read is sent back', async t => {
  const { ada } = await begun(t);
  const { defaults } = (await ada.get(path)).body;
  const by = async (params: Record<string, unknown>) => (await ada.put(path, { params })).body.learned.by;
  t.is(await by(defaults), 'rarity');
  t.is(await by({ per_minute: defaults.per_minute }), 'parameters');
  t.is(await by(defaults), 'rarity');
  t.is(await by({ ...defaults, per_minute: defaults.per_minute + 1 }), 'parameters');
  t.is(await by({}), 'rarity');
});

test('settings that are none are refused, and say where', async t => {
  const { as, ada } = await begun(t);
  const before = (await as.get(path)).body;
  const refused: [unknown, string][] = [
    [{ params: { per_minut: 3 } }, '/params/per_minut'],
    [{ params: { per_minute: '30' } }, '/params/per_minute'],
    [{ params: { per_minute: 0 } }, '/params/per_minute'],
    [{ params: { per_minute: 1e308 } }, '/params/per_minute'],
    [{ params: [] }, '/params'],
    [{ severity_floor: 'none' }, '/severity_floor'],
    [{ cooldown_s: -1 }, '/cooldown_s'],
    [{ cooldown_s: 1.5 }, '/cooldown_s'],
    [{ cooldown_s: 400 * 86_400 }, '/cooldown_s'],
    [{ enabled: 'yes' }, '/enabled'],
    [{ name: 'other' }, '/name'],
    [[], ''],
  ];
  for (const [body, where] of refused) {
    const reply = await ada.put(path, body);
    t.is(reply.status, 400, JSON.stringify(body));
    t.is(reply.body.error.details[0].path, where, JSON.stringify(body));
  }
  t.is((await ada.put('/v1/detectors/spend_velocity', { params: { hour_floor_usd: 50 } })).status, 400);
  t.deepEqual((await as.get(path)).body, before);
  for (const name of ['no_such', 'Velocity', '__proto__', 'velocity_count%00', '%F0%9F%98%80'])
    for (const reply of [await as.get(`/v1/detectors/${name}`), await ada.put(`/v1/detectors/${name}`, {})])
      t.is(reply.status, 404, name);
  t.is((await as.put(path, {})).status, 403, 'a key cannot');
});

test('new parameters hold from the next events on, for this organization alone', async t => {
  const w = await begun(t);
  const rival = { ...w.tenant, org_id: (await w.organization('Rival')).id };
  const them = w.client((await w.key(rival.org_id)).key);
  await w.ada.put(path, { params: { per_minute: 5 } });
  t.is((await them.get(path)).body.params.per_minute, 21);
  await send(w, 6);
  t.true((await w.analyze()).some(({ detector }) => detector === 'velocity_count'));
  await w.ada.put(path, { params: { per_minute: 50 } });
  await send(w, 25, 'other');
  t.false((await w.analyze()).some(({ detector }) => detector === 'velocity_count'));
  await them.post('/v1/events', { events: Array.from({ length: 6 }, () => event({ agent: 'theirs', cents: '10' })) });
  t.false((await w.analyze({ of: rival })).some(({ detector }) => detector === 'velocity_count'));
});

test('what a detector finds in shadow, or below its floor, raises no alert and can be read', async t => {
  const w = await begun(t);
  const params = { times_usual: 4 };
  await w.ada.put(path, { shadow: true, params });
  await send(w, 25);
  t.deepEqual(await w.analyze(), []);
  await w.ada.put(path, { severity_floor: 'high', params });
  await send(w, 25, 'other');
  t.deepEqual(await w.analyze(), []);
  t.deepEqual((await w.as.get('/v1/alerts')).body.data, []);
  const { data } = (await w.as.get(`${path}/findings`)).body;
  t.deepEqual(
    data.map(({ reason, severity, subject }: Record<string, unknown>) => [reason, severity, subject]),
    [
      ['below_floor', 'medium', ''],
      ['shadow', 'medium', ''],
    ],
  );
  t.is(data[0].hits, 5, 'from the 21st payment on');
  t.is((await w.as.get(`/v1/events/${data[0].event_id}`)).body.agent_id, data[0].agent_id);
  const [first, second] = [await w.as.get(`${path}/findings?limit=1`), await w.as.get(`${path}/findings`)];
  const rest = await w.as.get(`${path}/findings?cursor=${first.body.next_cursor}`);
  t.deepEqual([...first.body.data, ...rest.body.data], second.body.data);
  t.deepEqual((await w.as.get('/v1/detectors/spend_velocity/findings')).body.data, []);
  t.is((await w.as.get(`/v1/detectors/spend_velocity/findings?cursor=${first.body.next_cursor}`)).status, 400);
  const them = w.client((await w.key((await w.organization('Rival')).id)).key);
  t.deepEqual((await them.get(`${path}/findings`)).body.data, []);
  t.is((await w.as.get(`${path}/quality`)).body.shadow_findings, 2);
});

test('the quality of a detector is what became of its alerts', async t => {
  const w = await world(t);
  const { db, tenant, as } = w;
  await send(w, 20);
  await w.analyze();
  const now = Date.now();
  const states = ['open', 'open', 'acknowledged', 'escalated', 'resolved', 'resolved', 'dismissed'];
  for (const [index, state] of states.entries())
    await alert(db, tenant, { state, subject: `s${index}`, created_at: now - 2 * HOUR });
  await alert(db, tenant, { state: 'dismissed', created_at: now - 91 * DAY });
  await alert(db, tenant, { detector: 'amount_outlier', state: 'resolved' });
  await alert(db, { ...tenant, org_id: (await w.organization('Rival')).id }, { state: 'dismissed' });
  const [stored] = (await as.get('/v1/events')).body.data;
  await shadowFinding(db, tenant, { event: stored });
  const { body } = await as.get(`${path}/quality`);
  t.like(body, {
    detector: 'velocity_count',
    alerts: 7,
    open: 2,
    acknowledged: 1,
    escalated: 1,
    resolved: 2,
    dismissed: 1,
    precision: 0.667,
    median_hours_to_close: 0,
    events: 20,
    alerts_per_10000_events: 3_500,
    shadow_findings: 1,
  });
  t.is(Date.parse(body.to) - Date.parse(body.from), 90 * DAY);
  const at = (from: number, to: number) => as.get(`${path}/quality?from=${timestamp(from)}&to=${timestamp(to)}`);
  t.like((await at(now - 100 * DAY, now - 90 * DAY)).body, {
    alerts: 1,
    precision: 0,
    events: 0,
    alerts_per_10000_events: null,
  });
  t.like((await at(now - 400 * DAY, now - 399 * DAY)).body, {
    alerts: 0,
    precision: null,
    median_hours_to_close: null,
  });
  t.is((await at(now, now)).status, 400);
  t.is((await as.get(`${path}/quality?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z`)).body.alerts, 8);
  t.is((await as.get(`${path}/quality?to=0001-01-01T00:00:00Z`)).status, 400);
  t.is((await as.get('/v1/detectors/no_such/quality')).status, 404);
});

test('a detector of conduct says by what it judges, and from how much it has learned', async t => {
  const w = await begun(t);
  const learnedOf = async (name: string) => (await w.as.get(`/v1/detectors/${name}`)).body.learned;
  t.deepEqual(await learnedOf('velocity_count'), {
    by: 'rarity',
    budget: 0.1,
    own_record_from_payments: 6,
    agent_days: 0,
    since: null,
  });
  t.is((await learnedOf('price_drift')).own_record_from_payments, null);
  for (const name of ['mandate_breach', 'settlement_missing']) t.is(await learnedOf(name), null, 'which follows rules');
  await w.as.post('/v1/events', { events: steadyMonth({ agent: 'steady' }, Date.now() - HOUR) });
  await w.analyze();
  await w.ada.put('/v1/alert-budget', { per_agent_month: 0.5 });
  const learned = await learnedOf('velocity_count');
  t.is(learned.budget, 0.5);
  t.true(learned.agent_days >= 28 && learned.agent_days <= 30, String(learned.agent_days));
  t.is(learned.since, (await w.as.get('/v1/events?limit=200')).body.data.at(-1).received_at);
  t.is((await w.ada.put(path, { params: { per_minute: 30 } })).body.learned.by, 'parameters');
  t.is((await w.ada.put(path, { shadow: true })).body.learned.by, 'rarity');
});
