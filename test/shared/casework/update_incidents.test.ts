import test from 'ava';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { STORM_AGENTS } from '#shared/casework/group_alerts.ts';
import { find, incidentsOf, start } from '#test/helpers/findings.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

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
    title: 'price_drift 95 and 2 more alerts',
    alert_count: 3,
    event_count: 3,
    amount_usd_minor: '1300',
    amount_usd_micro: '13000000',
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

test('an alert of several agents is told in its latest words, whichever of them has it told anew', async t => {
  for (const [first, next] of [
    ['agent-1', 'agent-2'],
    ['agent-2', 'agent-1'],
  ] as const) {
    const w = await world(t);
    for (const agent of ['agent-1', 'agent-2']) await w.as.post('/v1/events', event({ agent, at: start }));
    await find(w, [{ at: 0, agent: first, detector: 'payee_fan_in', subject: 'pye_1', gathered: 'two agents' }]);
    await find(w, [{ at: HOUR, agent: next, detector: 'payee_fan_in', subject: 'pye_1', gathered: 'three agents' }]);
    t.like(await incidentsOf(w), [{ title: 'three agents' }]);
  }
});

test('an alert on conduct goes by the detector whose words it has', async t => {
  const w = await world(t);
  const conduct = true;
  await find(w, [{ at: 0, detector: 'country_change', subject: 'pye_1', conduct }]);
  for (const score of [80, 70])
    await find(w, [{ at: HOUR, detector: score > 70 ? 'amount_outlier' : 'spend_velocity', score, conduct }]);
  const { body } = await w.as.get('/v1/alerts');
  t.like(body.data, [{ detector: 'amount_outlier', title: 'amount_outlier 80', score: 80 }]);
  t.is(body.data.length, 1);
  t.like((await incidentsOf(w))[0], { alert_count: 1, detectors: ['amount_outlier', 'country_change'] });
  await find(w, [{ at: 2 * HOUR, detector: 'country_change', subject: 'pye_1', score: 90, conduct }]);
  t.like((await w.as.get('/v1/alerts')).body.data, [{ detector: 'country_change', score: 90 }]);
});

test('an alert keeps its detector where another live alert has what it would go by', async t => {
  const w = await world(t);
  const conduct = true;
  await find(w, [{ at: 0, detector: 'country_change', conduct }]);
  const subject = `from ${new Date(start).toISOString()}`;
  await find(w, [{ at: 0, detector: 'amount_outlier', subject }]);
  await find(w, [{ at: HOUR, detector: 'amount_outlier', score: 80, conduct }]);
  const { body } = await w.as.get('/v1/alerts?sort=score');
  t.like(body.data, [
    { detector: 'country_change', title: 'amount_outlier 80' },
    { detector: 'amount_outlier', title: 'amount_outlier 60' },
  ]);
});

test('a snoozed incident that grows stays snoozed, and one that becomes more severe does not', async t => {
  const w = await world(t);
  await find(w, [{ at: 0, subject: 's' }]);
  const [{ id }] = await incidentsOf(w);
  const until = new Date(Date.now() + HOUR).toISOString();
  await w.as.put(`/v1/incidents/${id}/snooze`, { until });
  await find(w, [{ at: MINUTE, subject: 's' }]);
  t.is((await incidentsOf(w))[0].snoozed_until, until);
  await find(w, [{ at: 2 * MINUTE, subject: 's', score: 91 }]);
  t.like((await incidentsOf(w))[0], { alert_count: 1, severity: 'critical', snoozed_until: null });
});

test('a payment counts once, at the highest amount that its events report', async t => {
  const w = await world(t);
  await find(w, [{ at: 0, subject: 's', payment_id: 'p1', cents: '500' }]);
  await find(w, [{ at: MINUTE, subject: 's', payment_id: 'p1', cents: '550' }]);
  await find(w, [{ at: 2 * MINUTE, subject: 's', payment_id: 'p1', cents: '520' }]);
  const [incident] = await incidentsOf(w);
  t.deepEqual([incident.event_count, incident.amount_usd_minor], [3, '550']);
});

test('a payment that is told of in two incidents counts in each of them', async t => {
  const w = await world(t);
  await find(w, [{ at: 0, payment_id: 'p1', cents: '500' }]);
  const { body: alerts } = await w.as.get('/v1/alerts');
  await w.as.post(`/v1/alerts/${alerts.data[0].id}/actions`, { action: 'resolve' });
  await find(w, [{ at: MINUTE, payment_id: 'p1', cents: '400', detector: 'price_drift' }]);
  t.like(await incidentsOf(w), [
    { state: 'open', amount_usd_minor: '500' },
    { state: 'closed', amount_usd_minor: '500' },
  ]);
});

test('an incident begins with the first event of its payments, in a storm too', async t => {
  const w = await world(t);
  const early = event({ at: start - 3 * HOUR, agent: 'agent-1', payment_id: 'p1' });
  await w.as.post('/v1/events', { events: [early] });
  await find(w, [{ at: 0, payment_id: 'p1' }]);
  const first_at = new Date(start - 3 * HOUR).toISOString();
  t.like((await incidentsOf(w))[0], { first_at, last_at: new Date(start).toISOString() });
  await find(
    w,
    Array.from({ length: STORM_AGENTS }, (_, index) => ({ at: MINUTE, agent: `other-${index}` })),
  );
  t.like(await incidentsOf(w), [{ agent_id: null, first_at }]);
});

test('what cannot be priced is left out of the amount, and alone it has none', async t => {
  const w = await world(t);
  await find(w, [{ at: 0, currency: 'KPW' }]);
  t.is((await incidentsOf(w))[0].amount_usd_minor, null);
  await find(w, [{ at: MINUTE, cents: '300', detector: 'price_drift' }]);
  t.is((await incidentsOf(w))[0].amount_usd_minor, '300');
  await find(w, [{ at: 2 * MINUTE, currency: 'KPW', detector: 'duplicate_payment' }]);
  t.like((await incidentsOf(w))[0], { amount_usd_minor: '300', event_count: 3 });
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

test('what two transactions find about an agent at the same time is one incident', async t => {
  const w = await world(t);
  const detectors_of_verdicts = ['mandate_breach', 'verification_failed', 'replayed_authorization', 'status_conflict'];
  await Promise.all(detectors_of_verdicts.map((detector, index) => find(w, [{ at: index * MINUTE, detector }])));
  const [incident, ...others] = await incidentsOf(w);
  t.deepEqual(others, []);
  t.is(incident.alert_count, 4);
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
