import test from 'ava';
import { actOnIncident } from '#shared/casework/incident_actions.ts';
import { moveVersions } from '#shared/interface/versions.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';
import { FEWEST_STORM_AGENTS, STORM_AGENTS } from '#shared/casework/group_alerts.ts';
import { counted, find, incidentsOf } from '#test/helpers/findings.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

/** Lets an organization have so many agents more. */
const bystanders = ({ as }: World, count = 2 * STORM_AGENTS) =>
  as.post('/v1/events', {
    events: Array.from({ length: count }, (_, index) => event({ agent: `bystander-${index}` })),
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
  await bystanders(w);
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

test('what is meant for one agent is not done to a storm that it became part of meanwhile', async t => {
  const w = await world(t);
  await bystanders(w);
  await find(w, storm(STORM_AGENTS - 1));
  const [, { id, alert_count }] = await incidentsOf(w);
  await find(w, storm(1, STORM_AGENTS));
  const [incident] = await incidentsOf(w);
  const path = `/v1/incidents/${id}`;
  const until = new Date(Date.now() + DAY).toISOString();
  for (const answer of [
    await w.as.post(`${path}/actions`, { action: 'dismiss', reason: 'meant', alert_count }),
    await w.as.post(`${path}/actions`, { action: 'resolve' }),
    await w.as.put(`${path}/snooze`, { until }),
  ]) {
    t.is(answer.status, 409);
    t.is(
      answer.body.error.message,
      `The incident has become part of a storm over ${STORM_AGENTS} agents, ${incident.id}. Look at that first.`,
    );
  }
  t.like((await incidentsOf(w))[0], { state: 'open', acknowledged: false, snoozed_until: null });
  const { body } = await w.as.get(`/v1/alerts?incident_id=${id}&state=open&limit=200`);
  t.is(body.data.length, STORM_AGENTS, 'its id leads to the alerts of the storm, too');
  t.is((await w.as.post(`/v1/incidents/${incident.id}/actions`, { action: 'acknowledge' })).status, 200);
});

test('a storm of a thousand agents takes as many statements as one alert', async t => {
  const w = await world(t);
  const one = await find(w, [{ at: 20 * DAY }]);
  const many = await find(w, storm(1_000));
  t.is(many, one + 1, 'one more: how many agents the organization has');
  t.is(await find(w, storm(1_000, 5_000)), one + 2, 'and one when it goes on: which agents are in it');
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

test('people act on alerts while a storm takes them in, and nobody is refused', async t => {
  const w = await world(t);
  await bystanders(w);
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

test('incidents of one organization do not meet those of another', async t => {
  const w = await world(t);
  const rival = await w.organization('Rival');
  const theirs = { ...w.tenant, org_id: rival.id };
  const them = w.client((await w.key(rival.id)).key);
  await bystanders(w);
  await bystanders({ ...w, as: them });
  await find(w, storm(STORM_AGENTS - 1));
  await find({ ...w, tenant: theirs, as: them }, storm(STORM_AGENTS - 1));
  t.is((await incidentsOf(w)).length, STORM_AGENTS - 1);
});

test('trouble of half of a small organization’s agents is one incident', async t => {
  const w = await world(t);
  await bystanders(w, FEWEST_STORM_AGENTS);
  await find(w, storm(FEWEST_STORM_AGENTS - 1));
  t.is((await incidentsOf(w)).length, FEWEST_STORM_AGENTS - 1);
  await find(w, storm(1, FEWEST_STORM_AGENTS - 1));
  t.like(await incidentsOf(w), [
    { agent_id: null, agent_count: FEWEST_STORM_AGENTS, alert_count: FEWEST_STORM_AGENTS },
  ]);
  const larger = await w.organization('Larger');
  const theirs = { ...w, tenant: { ...w.tenant, org_id: larger.id }, as: w.client((await w.key(larger.id)).key) };
  await bystanders(theirs, FEWEST_STORM_AGENTS + 1);
  await find(theirs, storm(FEWEST_STORM_AGENTS));
  t.is((await incidentsOf(theirs)).length, FEWEST_STORM_AGENTS);
});
