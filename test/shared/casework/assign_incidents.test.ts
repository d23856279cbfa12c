import test from 'ava';
import { z } from 'zod';
import type { Moment } from '#shared/casework/assigned_incident.ts';
import { actOnIncident } from '#shared/casework/incident_actions.ts';
import { STORM_AGENTS } from '#shared/casework/incident_plan.ts';
import { raiseAlerts } from '#shared/detection/consumer/raise_alerts.ts';
import { detectors } from '#shared/detection/detectors/index.ts';
import { activeDetectors } from '#shared/detection/settings/detector_settings.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

const start = Date.now() - 40 * DAY;

type Found = {
  at: number;
  agent?: string;
  detector?: Moment['detector'];
  /** Findings of one subject go to one alert. */
  subject?: string;
  cents?: string;
  payment_id?: string;
  score?: number;
};

/** Sends an event for each finding, and raises what was found at them in one transaction. Answers with the number of its statements. */
async function find({ as, db, tenant }: World, found: readonly Found[]): Promise<number> {
  const events = found.map(({ at, agent = 'agent-1', cents = '1000', payment_id }) =>
    event({ at: start + at, agent, cents, ...(payment_id && { payment_id }) }),
  );
  for (let from = 0; from < events.length; from += 1_000)
    await as.post('/v1/events', { events: events.slice(from, from + 1_000) });
  const rows = await db.any(sql.type(Row)`
    select id, chain_seq, agent_id, payee_id from events
    where org_id = ${tenant.org_id} and id = any(${sql.array(
      events.map(({ id }) => id),
      'text',
    )})`);
  const stored = new Map(rows.map(row => [row.id, row]));
  const findings = found.flatMap(({ detector = 'velocity_count', subject = '', score = 60 }, index) => {
    const row = stored.get(events[index]?.id ?? '');
    const finding = { score, title: `${detector} ${score}`, explanation: 'As planted.', subject };
    return row ? [{ detector, event: row, finding: { ...finding, seqs: [row.chain_seq] } }] : [];
  });
  let statements = 0;
  await db.transaction(async tx => {
    const active = await activeDetectors(tx, tenant, detectors);
    await raiseAlerts(
      counted(tx, () => (statements += 1)),
      tenant,
      findings,
      active,
      Date.now(),
    );
    await moveVersions(tx, tenant, ['alerts']);
  });
  return statements;
}

const Row = z.object({ id: z.string(), chain_seq: z.number(), agent_id: z.string(), payee_id: z.string() });

/** The database, which says so whenever it is asked something, within its transactions too. */
const counted = (db: Db, tell: () => void): Db =>
  new Proxy(db, {
    get(target, name) {
      if (typeof name === 'string' && /^(any|one|many|maybe|query)/.test(name)) tell();
      if (name !== 'transaction') return Reflect.get(target, name);
      return (run: (tx: Db) => Promise<unknown>) => target.transaction(tx => run(counted(tx, tell)));
    },
  });

const incidentsOf = async ({ as }: World, query = '') => (await as.get(`/v1/incidents?limit=200${query}`)).body.data;

test('what is found about an agent within a day is one incident, which says what it comes to', async t => {
  const w = await world(t);
  await find(w, [
    { at: 0, cents: '1050', payment_id: 'p1', score: 60 },
    { at: HOUR, cents: '250', payment_id: 'p2', detector: 'price_drift', score: 95 },
    { at: 2 * HOUR, cents: '1050', payment_id: 'p1', detector: 'duplicate_payment', score: 70 },
  ]);
  const [incident, ...others] = await incidentsOf(w);
  t.deepEqual(others, []);
  t.like(incident, {
    state: 'open',
    severity: 'critical',
    title: 'price_drift 95 and 2 more reasons',
    alert_count: 3,
    event_count: 3,
    amount_usd_minor: '1300',
    first_at: new Date(start).toISOString(),
    last_at: new Date(start + 2 * HOUR).toISOString(),
    detectors: ['duplicate_payment', 'price_drift', 'velocity_count'],
  });
  const { body } = await w.as.get('/v1/alerts');
  t.true(body.data.every((alert: { incident_id: string }) => alert.incident_id === incident.id));
  t.is(incident.agent_id, body.data[0].agent_id);
});

test('an alert that grows makes its incident later, larger and worse', async t => {
  const w = await world(t);
  await find(w, [{ at: 0, subject: 's', cents: '100', payment_id: 'p1' }]);
  const { body: alerts } = await w.as.get('/v1/alerts');
  await w.as.post(`/v1/alerts/${alerts.data[0].id}/actions`, { action: 'acknowledge' });
  const [before] = await incidentsOf(w);
  await find(w, [{ at: HOUR, subject: 's', cents: '700', payment_id: 'p2', score: 91 }]);
  const [after, ...others] = await incidentsOf(w);
  t.deepEqual(others, []);
  t.is(after.id, before.id);
  t.deepEqual(
    [after.alert_count, after.event_count, after.amount_usd_minor, after.severity, after.title, after.last_at],
    [1, 2, '800', 'critical', 'velocity_count 91', new Date(start + HOUR).toISOString()],
  );
  t.true(after.acknowledged);
  await find(w, [{ at: 2 * HOUR, detector: 'price_drift' }]);
  t.false((await incidentsOf(w))[0].acknowledged, 'nobody has seen the new alert');
});

test('a payment counts once, at the highest amount that its events report', async t => {
  const w = await world(t);
  await find(w, [{ at: 0, subject: 's', payment_id: 'p1', cents: '500' }]);
  await find(w, [{ at: MINUTE, subject: 's', payment_id: 'p1', cents: '550' }]);
  await find(w, [{ at: 2 * MINUTE, subject: 's', payment_id: 'p1', cents: '520' }]);
  const [incident] = await incidentsOf(w);
  t.deepEqual([incident.event_count, incident.amount_usd_minor], [3, '550']);
});

test('an incident whose alerts are closed is over: what is found next begins another', async t => {
  const w = await world(t);
  await find(w, [{ at: 0 }, { at: MINUTE, detector: 'price_drift' }]);
  const [first] = await incidentsOf(w);
  const { body: alerts } = await w.as.get('/v1/alerts');
  const close = (id: string) => w.as.post(`/v1/alerts/${id}/actions`, { action: 'resolve' });
  await close(alerts.data[0].id);
  await find(w, [{ at: 2 * MINUTE, detector: 'duplicate_payment' }]);
  t.is((await incidentsOf(w)).length, 1, 'one of its alerts was still open');
  const { body: open } = await w.as.get('/v1/alerts?state=open');
  for (const { id } of open.data) await close(id);
  t.is((await incidentsOf(w))[0].state, 'closed');
  await find(w, [{ at: 3 * MINUTE, detector: 'amount_outlier' }]);
  const [second, , ...more] = await incidentsOf(w);
  t.deepEqual(more, []);
  t.not(second.id, first.id);
  t.is(second.state, 'open');
});

test('a month that is sent at once has its incidents on their days', async t => {
  const w = await world(t);
  const days = [0, 7, 14, 21].flatMap(day =>
    [0, 2, 4].map(hour => ({ at: day * DAY + hour * HOUR, subject: `${day} ${hour}` })),
  );
  await find(w, days);
  const incidents = await incidentsOf(w);
  t.deepEqual(
    incidents.map((incident: { alert_count: number; first_at: string }) => [incident.alert_count, incident.first_at]),
    [21, 14, 7, 0].map(day => [3, new Date(start + day * DAY).toISOString()]),
  );
});

const storm = (agents: number, from = 0) =>
  Array.from({ length: agents }, (_, index) => ({ at: index * 1_000, agent: `agent-${from + index}` }));

test('a storm over many agents is one incident of the organization, found from any of them', async t => {
  const w = await world(t);
  await find(w, storm(300));
  const [incident, ...others] = await incidentsOf(w);
  t.deepEqual(others, []);
  t.like(incident, {
    agent_id: null,
    title: '300 agents, for example: velocity_count 60',
    alert_count: 300,
    agent_count: 300,
    event_count: 300,
    amount_usd_minor: '300000',
  });
  const { body: alerts } = await w.as.get('/v1/alerts?limit=1');
  const [{ agent_id }] = alerts.data;
  t.deepEqual(await incidentsOf(w, `&agent_id=${agent_id}`), [incident]);
  const { body: page } = await w.as.get(`/v1/alerts?incident_id=${incident.id}&limit=200`);
  t.is(page.data.length, 200);
  t.is((await w.as.get(`/v1/incidents/${incident.id}`)).body.alerts.length, 50);
});

test('a storm that comes little by little takes in the incidents it began with, whose ids lead to it', async t => {
  const w = await world(t);
  await find(w, storm(STORM_AGENTS - 1));
  const before = await incidentsOf(w);
  t.is(before.length, STORM_AGENTS - 1);
  await find(w, [{ at: 5 * MINUTE, agent: 'agent-1', detector: 'price_drift' }]);
  await find(w, storm(1, STORM_AGENTS));
  const [incident, ...others] = await incidentsOf(w);
  t.deepEqual(others, []);
  t.like(incident, { alert_count: STORM_AGENTS + 1, agent_count: STORM_AGENTS, event_count: STORM_AGENTS + 1 });
  t.is(incident.amount_usd_minor, String((STORM_AGENTS + 1) * 1_000));
  t.is((await w.as.get(`/v1/incidents/${before[3].id}`)).body.id, incident.id);
  await find(w, storm(30, 100));
  t.like((await incidentsOf(w))[0], { id: incident.id, alert_count: STORM_AGENTS + 31 });
});

test('a storm of a thousand agents takes as many statements as one alert', async t => {
  const w = await world(t);
  const one = await find(w, [{ at: 20 * DAY }]);
  const many = await find(w, storm(1_000));
  t.is(many, one);
  t.is(await find(w, storm(1_000, 5_000)), one + 1, 'one more when it goes on: which agents are in it');
  t.is(await find(w, storm(1_000, 5_000)), one - 2, 'and fewer when nothing is new');
});

test('acting on a storm takes as many statements as acting on one alert', async t => {
  const w = await world(t);
  const act = async (action: 'escalate' | 'dismiss') => {
    const [{ id }] = await incidentsOf(w, '&state=open');
    let statements = 0;
    const db = counted(w.db, () => (statements += 1));
    const { alert_ids } = await actOnIncident(
      db,
      w.tenant,
      id,
      { action, reason: 'a drill', actor_id: null },
      Date.now(),
    );
    await moveVersions(w.db, w.tenant, ['alerts']);
    return { statements, alerts: alert_ids.length };
  };
  await find(w, storm(1));
  const one = [await act('escalate'), await act('dismiss')];
  await find(w, storm(400, 10));
  const many = [await act('escalate'), await act('dismiss')];
  t.deepEqual(
    many.map(({ alerts }) => alerts),
    [400, 400],
  );
  for (const [index, { statements }] of many.entries()) t.true(statements <= (one[index]?.statements ?? 0));
});

test('what two transactions find about an agent at the same time is one incident', async t => {
  const w = await world(t);
  const detectors_of_verdicts = ['mandate_breach', 'verification_failed', 'replayed_authorization', 'status_conflict'];
  await Promise.all(detectors_of_verdicts.map((detector, index) => find(w, [{ at: index * MINUTE, detector }])));
  const [incident, ...others] = await incidentsOf(w);
  t.deepEqual(others, []);
  t.is(incident.alert_count, 4);
});

test('people act on alerts while a storm takes them in, and nobody is refused', async t => {
  const w = await world(t);
  await find(w, storm(STORM_AGENTS - 1));
  const { body: alerts } = await w.as.get('/v1/alerts?limit=200');
  const [, ...replies] = await Promise.all([
    find(w, storm(200, 5)),
    ...alerts.data.flatMap(({ id, incident_id }: { id: string; incident_id: string }) => [
      w.as.post(`/v1/alerts/${id}/actions`, { action: 'escalate' }),
      w.as.post(`/v1/incidents/${incident_id}/actions`, { action: 'comment', reason: 'seen' }),
      w.as.post('/v1/cases', { title: 'The same trouble', alert_ids: [id] }),
    ]),
  ]);
  t.deepEqual(
    replies.map(({ status }) => status).filter(status => status >= 500),
    [],
  );
  const { body: after } = await w.as.get('/v1/alerts?limit=200');
  t.true(after.data.every(({ incident_id }: { incident_id: string }) => incident_id.startsWith('inc_')));
});

test('when the transaction fails there is neither the alert nor its incident', async t => {
  const w = await world(t);
  const { db } = w;
  const failing = {
    ...w,
    db: {
      ...db,
      transaction: (run: Parameters<typeof db.transaction>[0]) =>
        db.transaction(async tx => {
          await run(tx);
          throw new Error('killed');
        }),
    },
  } as World;
  await t.throwsAsync(find(failing, [{ at: 0 }]), { message: 'killed' });
  t.deepEqual([await incidentsOf(w), (await w.as.get('/v1/alerts')).body.data], [[], []]);
});

test('incidents of one organization do not meet those of another', async t => {
  const w = await world(t);
  const rival = await w.organization('Rival');
  const theirs = { ...w.tenant, org_id: rival.id };
  const them = w.client((await w.key(rival.id)).key);
  await find(w, storm(STORM_AGENTS - 1));
  await find({ ...w, tenant: theirs, as: them }, storm(STORM_AGENTS - 1));
  t.is((await incidentsOf(w)).length, STORM_AGENTS - 1);
});
