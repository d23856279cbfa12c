import test from 'ava';
import { holdIncidents } from '#shared/casework/incident_state.ts';
import { takeIn } from '#shared/casework/incident_store.ts';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import { untilSomebodyWaits } from '#test/helpers/locks.ts';
import { type World, world } from '#test/helpers/world.ts';

/** An incident with one alert. */
async function incident({ db, tenant }: World) {
  const id = newId('inc');
  return { id, alert_id: await alert(db, tenant, { incident_id: id, subject: id }), path: `/v1/incidents/${id}` };
}

test('an incident is assigned to a member or to nobody, and found by its assignee', async t => {
  const w = await world(t);
  const [ada, bob] = [await w.person('admin'), await w.person('developer')];
  const [mine, free] = [await incident(w), await incident(w)];
  const assign = (body: object) => ada.put(`${mine.path}/assignee`, body);
  t.is((await w.as.get(mine.path)).body.assignee_id, null);
  const { status, body } = await assign({ assignee_id: bob.user.id });
  t.is(status, 200);
  t.like(body, { id: mine.id, assignee_id: bob.user.id, alerts: [{ id: mine.alert_id }] });
  const found = async (query: string) =>
    (await w.as.get(`/v1/incidents?${query}`)).body.data.map(({ id }: { id: string }) => id);
  t.deepEqual(await found(`assignee_id=${bob.user.id.toLowerCase()}`), [mine.id]);
  t.deepEqual(await found(`assignee_id=${ada.user.id}&sort=urgency&state=open`), []);
  t.deepEqual(await found('assignee_id=none'), [free.id]);
  t.is((await w.as.get('/v1/incidents?assignee_id=nobody')).status, 400);
  t.is((await assign({ assignee_id: bob.user.id })).status, 200, 'again, which changes nothing');
  t.is((await assign({ assignee_id: null })).body.assignee_id, null);
  t.is((await assign({})).status, 400);
  t.like((await w.as.get(mine.path)).body.assignments, [
    { actor_id: ada.user.id, from: bob.user.id, to: null },
    { actor_id: ada.user.id, from: null, to: bob.user.id },
  ]);
  t.deepEqual((await w.as.get(free.path)).body.assignments, []);
  const { body: log } = await ada.get(`/v1/audit-log?target_id=${mine.id}`);
  t.is(log.data.length, 2);
  t.like(log.data[1], {
    action: 'incident.assigned',
    actor_id: ada.user.id,
    before: { assignee_id: null },
    after: { assignee_id: bob.user.id },
  });
});

test('an incident is not taken from somebody who got it meanwhile', async t => {
  const w = await world(t);
  const [ada, bob] = [await w.person('admin'), await w.person('developer')];
  const { path } = await incident(w);
  t.is((await ada.put(`${path}/assignee`, { assignee_id: ada.user.id, from: null })).status, 200);
  t.is((await bob.put(`${path}/assignee`, { assignee_id: bob.user.id, from: null })).status, 409);
  t.is((await w.as.get(path)).body.assignee_id, ada.user.id);
  t.is((await ada.put(`${path}/assignee`, { assignee_id: ada.user.id, from: null })).status, 200);
  t.is((await bob.put(`${path}/assignee`, { assignee_id: bob.user.id, from: ada.user.id })).status, 200);
});

test('an incident keeps its latest fifty assignments', async t => {
  const w = await world(t);
  const ada = await w.person('admin');
  const { path } = await incident(w);
  for (let turn = 0; turn < 52; turn += 1)
    await ada.put(`${path}/assignee`, { assignee_id: turn % 2 === 0 ? ada.user.id : null });
  const { assignments } = (await w.as.get(path)).body;
  t.is(assignments.length, 50);
  t.like(assignments[0], { from: ada.user.id, to: null });
  t.like(assignments[49], { from: null, to: ada.user.id });
});

test('who assigns an incident while it becomes part of a storm is told, and the storm stays as it is', async t => {
  const w = await world(t, { own_database: true });
  const ada = await w.person('admin');
  const [taken, storm] = [await incident(w), await incident(w)];
  let answer: ReturnType<typeof ada.put> | undefined;
  await w.db.transaction(async tx => {
    await holdIncidents(tx, w.tenant);
    await takeIn(tx, w.tenant, [[taken.id, storm.id]]);
    answer = ada.put(`${taken.path}/assignee`, { assignee_id: ada.user.id });
    await untilSomebodyWaits(tx);
  });
  t.is((await answer)?.status, 409);
  t.regex((await answer)?.body.error.message, new RegExp(`storm over 1 agents, ${storm.id}`));
  t.is((await ada.get(storm.path)).body.assignee_id, null);
  t.is((await ada.put(`${storm.path}/assignee`, { assignee_id: ada.user.id })).status, 200);
});

test('an incident is assigned to members of its organization alone, and keeps one who left', async t => {
  const w = await world(t);
  const [ada, bob] = [await w.person('owner'), await w.person('developer')];
  const { path } = await incident(w);
  const rival = await w.organization('Rival');
  const stranger = await w.person('admin', { of: rival.id });
  for (const assignee_id of [stranger.user.id, newId('usr')]) {
    const { status, body } = await ada.put(`${path}/assignee`, { assignee_id });
    t.is(status, 422);
    t.like(body.error.details[0], { path: '/assignee_id', code: 'not_found' });
  }
  const theirs = await stranger.put(`${path}/assignee`, { assignee_id: stranger.user.id });
  t.is(theirs.status, 404);
  await ada.put(`${path}/assignee`, { assignee_id: bob.user.id });
  t.is((await ada.delete(`/v1/members/${bob.user.id}`)).status, 200);
  t.is((await w.as.get(path)).body.assignee_id, bob.user.id);
});

test('who polls an incident or the list is told that it was assigned', async t => {
  const w = await world(t);
  const ada = await w.person('admin');
  const { path } = await incident(w);
  for (const polled of [path, '/v1/incidents']) {
    const etag = (await w.as.get(polled)).headers.get('etag') ?? '';
    await ada.put(`${path}/assignee`, { assignee_id: polled === path ? ada.user.id : null });
    t.is((await w.as.send('GET', polled, { headers: { 'if-none-match': etag } })).status, 200);
  }
});
