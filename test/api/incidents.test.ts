import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { alert } from '#test/helpers/alert.ts';
import { incident } from '#test/helpers/incident.ts';
import { NOBODY } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

const MINUTE = 60_000;

const statesOf = ({ alerts }: { alerts: { id: string; state: string }[] }, ids: readonly string[]) =>
  ids.map(id => alerts.find(each => each.id === id)?.state);

test('an incident has every field of the interface, and its alerts', async t => {
  const w = await world(t);
  const { id, agent_id, ids, path } = await incident(w, { title: 'Paid twice' }, {});
  const { body } = await w.as.get(path);
  t.deepEqual(Object.keys(body).toSorted(), [
    'acknowledged',
    'agent_count',
    'agent_id',
    'alert_count',
    'alerts',
    'amount_usd_micro',
    'amount_usd_minor',
    'assignee_id',
    'assignments',
    'created_at',
    'detectors',
    'event_count',
    'first_at',
    'id',
    'last_at',
    'severity',
    'snoozed_until',
    'state',
    'title',
    'updated_at',
  ]);
  t.like(body, {
    id,
    agent_id,
    state: 'open',
    title: 'Paid twice and 1 more alert',
    alert_count: 2,
    amount_usd_minor: null,
  });
  t.deepEqual(body.alerts.map((each: { id: string }) => each.id).toSorted(), ids.toSorted());
  const { body: list } = await w.as.get('/v1/incidents');
  const { alerts: _, assignments, ...listed } = body;
  t.deepEqual(assignments, []);
  t.deepEqual(list, { data: [listed], next_cursor: null });
  t.deepEqual((await w.as.get(path.toLowerCase())).body, body);
});

test('every filter narrows the list of incidents, and an unknown agent gives an empty page', async t => {
  const w = await world(t);
  const at = Date.now() - 60 * MINUTE;
  const first = await incident(w, { created_at: at, state: 'resolved', severity: 'low' });
  const second = await incident(w, { created_at: at + MINUTE, severity: 'critical' });
  const found = async (query: string) => {
    const { status, body } = await w.as.get(`/v1/incidents?${query}`);
    t.is(status, 200, query);
    return body.data.map(({ id }: { id: string }) => id).toSorted();
  };
  const both = [first.id, second.id].toSorted();
  const time = new Date(at + MINUTE).toISOString();
  t.deepEqual(await found(''), both);
  t.deepEqual(await found('state=closed'), [first.id]);
  t.deepEqual(await found('state=open'), [second.id]);
  t.deepEqual(await found('severity=critical'), [second.id]);
  t.deepEqual(await found(`agent_id=${first.agent_id.toLowerCase()}`), [first.id]);
  t.deepEqual(await found(`from=${time}`), [second.id]);
  t.deepEqual(await found(`to=${time}`), [first.id]);
  t.deepEqual(await found(`state=closed&from=${time}`), []);
  t.deepEqual(await found(`agent_id=agt_${NOBODY}`), []);
  t.is((await w.as.get('/v1/incidents?state=acknowledged')).status, 400);
  t.is((await w.as.get('/v1/incidents?detector=velocity_count')).status, 400);
});

test('incidents are listed page by page, newest first', async t => {
  const w = await world(t);
  const made: string[] = [];
  for (let index = 0; index < 7; index += 1) made.push((await incident(w, {})).id);
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await w.as.get(`/v1/incidents?limit=3${cursor && `&cursor=${cursor}`}`);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
  }
  t.deepEqual(ids, made.toReversed());
});

test('an action is taken on every live alert it applies to, and the closed ones stay as they are', async t => {
  const w = await world(t);
  const { ids, path } = await incident(w, {}, { state: 'acknowledged' }, { state: 'dismissed' });
  const act = (body: object) => w.as.post(`${path}/actions`, body);
  const { status, body } = await act({ action: 'acknowledge', reason: 'on it' });
  t.is(status, 200);
  t.deepEqual(statesOf(body, ids), ['acknowledged', 'acknowledged', 'dismissed']);
  t.true(body.acknowledged);
  const [first, second] = await Promise.all(ids.map(async id => (await w.as.get(`/v1/alerts/${id}`)).body));
  t.like(first.actions[0], { action: 'acknowledge', reason: 'on it', actor_id: w.full.id });
  t.deepEqual(second.actions, []);
  const again = await act({ action: 'acknowledge' });
  t.is(again.status, 409);
  t.is(again.body.error.code, 'invalid_transition');
  t.deepEqual(statesOf((await act({ action: 'reopen' })).body, ids), ['open', 'open', 'dismissed']);
  const commented = (await act({ action: 'comment', reason: 'the owner knows' })).body;
  t.is(
    commented.alerts.filter(({ actions }: { actions: { action: string }[] }) => actions.at(-1)?.action === 'comment')
      .length,
    2,
  );
  const { body: resolved } = await act({ action: 'resolve' });
  t.is(resolved.state, 'closed');
  t.deepEqual(statesOf(resolved, ids), ['resolved', 'resolved', 'dismissed']);
  t.is((await act({ action: 'comment', reason: 'too late' })).status, 409);
});

test('to dismiss or comment on an incident takes a reason', async t => {
  const w = await world(t);
  const { ids, path } = await incident(w, {});
  for (const action of ['dismiss', 'comment'])
    for (const reason of [undefined, '', ' \n']) {
      const { status, body } = await w.as.post(`${path}/actions`, { action, reason });
      t.is(status, 422);
      t.is(body.error.code, 'reason_required');
    }
  t.is((await w.as.post(`${path}/actions`, { action: 'dismiss', reason: 'a test run' })).status, 200);
  t.like((await w.as.get(`/v1/alerts/${ids[0]}`)).body, { state: 'dismissed' });
  t.is((await w.as.post(`${path}/actions`, { action: 'forget' })).status, 400);
});

test('escalating an incident puts its alerts into one case, and those that are in one stay there', async t => {
  const w = await world(t);
  const { ids, path, agent_id } = await incident(w, { severity: 'high' }, {}, {});
  const { body } = await w.as.post(`${path}/actions`, { action: 'escalate' });
  const cases = new Set(body.alerts.map(({ case_id }: { case_id: string }) => case_id));
  t.is(cases.size, 1);
  const [case_id] = [...cases];
  const { body: opened } = await w.as.get(`/v1/cases/${String(case_id)}`);
  t.like(opened, { title: body.title, priority: body.severity, status: 'open' });
  t.deepEqual(opened.links.alert_ids.toSorted(), ids.toSorted());
  const later = await incident(w, { agent_id, subject: 'later' });
  const { body: joined } = await w.as.post(`${later.path}/actions`, { action: 'escalate' });
  t.is(joined.alerts[0].case_id, case_id, 'the open case of its agent is joined');
});

test('a storm is escalated to a case of its own, about all its agents', async t => {
  const w = await world(t);
  const agents = [newId('agt'), newId('agt')];
  const { id, path, ids } = await incident(w, { agent_id: agents[0] ?? '' }, { agent_id: agents[1] ?? '' });
  await w.db.query(
    sql.unsafe`update incidents set agent_id = null, agent_count = 2 where org_id = ${w.tenant.org_id} and id = ${id}`,
  );
  const { body } = await w.as.post(`${path}/actions`, { action: 'escalate' });
  t.is(body.title, '2 agents, for example: Too many payments');
  const { body: list } = await w.as.get(`/v1/cases?agent_id=${agents[1]}`);
  t.is(list.data.length, 1);
  t.deepEqual((await w.as.get(`/v1/cases/${list.data[0].id}`)).body.links.alert_ids.toSorted(), ids.toSorted());
});

test('an incident is open while one of its alerts is, whoever closes or reopens it', async t => {
  const w = await world(t);
  const { ids, path } = await incident(w, {}, {});
  const act = (id: string | undefined, action: string) => w.as.post(`/v1/alerts/${id}/actions`, { action });
  const state = async () => (await w.as.get(path)).body.state;
  await act(ids[0], 'resolve');
  t.is(await state(), 'open');
  await act(ids[1], 'escalate');
  t.is(await state(), 'open');
  await act(ids[1], 'resolve');
  t.is(await state(), 'closed');
  await act(ids[0], 'reopen');
  t.is(await state(), 'open');
});

test('an incident whose last alerts are closed in the same moment is closed', async t => {
  const w = await world(t);
  const { ids, path } = await incident(w, {}, {}, {}, {}, {}, {});
  const replies = await Promise.all(ids.map(id => w.as.post(`/v1/alerts/${id}/actions`, { action: 'resolve' })));
  t.true(replies.every(({ status }) => status === 200));
  t.is((await w.as.get(path)).body.state, 'closed');
});

test('of ten people who resolve an incident in the same moment, one does', async t => {
  const w = await world(t);
  const { path } = await incident(w, {}, {}, {});
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => w.as.post(`${path}/actions`, { action: 'resolve' })),
  );
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 9 }, () => 409)]);
});

test('the audit log says what was done about an incident, and to which alerts', async t => {
  const w = await world(t);
  const { id, ids, path } = await incident(w, {}, {});
  const ada = await w.person('admin', { second_factor: true });
  await ada.post(`${path}/actions`, { action: 'dismiss', reason: 'a drill' });
  const { body } = await ada.get(`/v1/audit-log?target_id=${id}`);
  t.is(body.data.length, 1);
  t.like(body.data[0], {
    action: 'incident.dismiss',
    actor_id: ada.user.id,
    before: { state: 'open' },
    after: { state: 'closed', alert_ids: ids, reason: 'a drill' },
  });
});

test('who polls an incident is told when one of its alerts was acted on, and only then', async t => {
  const w = await world(t);
  const { ids, path } = await incident(w, {});
  for (const polled of [path, '/v1/incidents']) {
    const etag = (await w.as.get(polled)).headers.get('etag') ?? '';
    const poll = async () => (await w.as.send('GET', polled, { headers: { 'if-none-match': etag } })).status;
    t.is(await poll(), 304);
    await w.as.post(`/v1/alerts/${ids[0]}/actions`, { action: 'comment', reason: 'seen' });
    t.is(await poll(), 200);
  }
});

test('an incident of another organization is not there', async t => {
  const w = await world(t);
  const { id, path } = await incident(w, {});
  const them = w.client((await w.key((await w.organization('Rival')).id)).key);
  t.is((await them.get(path)).status, 404);
  t.is((await them.post(`${path}/actions`, { action: 'resolve' })).status, 404);
  t.deepEqual((await them.get('/v1/incidents')).body.data, []);
  t.deepEqual((await them.get(`/v1/alerts?incident_id=${id}`)).body.data, []);
  t.is((await w.as.get(path)).body.state, 'open');
});

test('an incident is not acted on where it has more alerts than were seen', async t => {
  const w = await world(t);
  const { agent_id, id, path } = await incident(w, { title: 'Paid twice' });
  await alert(w.db, w.tenant, { incident_id: id, agent_id, subject: 'another' });
  const act = (alert_count: number) => w.as.post(`${path}/actions`, { action: 'resolve', alert_count });
  const { status, body } = await act(1);
  t.deepEqual([status, body.error.message], [409, 'The incident has 2 alerts now. Look at it again first.']);
  t.is((await w.as.get(path)).body.state, 'open');
  t.is((await act(0)).status, 400);
  t.is((await act(2)).body.state, 'closed');
});
