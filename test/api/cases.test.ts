import test, { type ExecutionContext } from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { caseTransitions } from '#shared/casework/case_changes.ts';
import { noteInCase } from '#shared/casework/case_timeline.ts';
import type { Client } from '#test/helpers/client.ts';
import { world } from '#test/helpers/world.ts';

const opened = async (client: Client, more: object = {}) =>
  (await client.post('/v1/cases', { title: 'Odd payments', ...more })).body;

const kindsOf = async (client: Client, id: string): Promise<string[]> =>
  (await client.get(`/v1/cases/${id}`)).body.timeline.map((entry: { kind: string }) => entry.kind);

async function withPerson(t: ExecutionContext) {
  const here = await world(t, { now: () => Date.parse('2026-11-20T10:00:00.000Z') });
  return { ...here, ada: await here.person('developer') };
}

test('a case is opened with a medium priority and nobody assigned, and read with links and timeline', async t => {
  const { as, full } = await withPerson(t);
  const { status, body } = await as.post('/v1/cases', { title: '  Odd payments ' });
  t.is(status, 201);
  t.deepEqual(body, {
    id: body.id,
    title: 'Odd payments',
    status: 'open',
    priority: 'medium',
    assignee_id: null,
    created_by: full.id,
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: body.updated_at,
    closed_at: null,
    closing_note: null,
  });
  const { body: read } = await as.get(`/v1/cases/${body.id.toLowerCase()}`);
  const { links, timeline, ...record } = read;
  t.deepEqual(record, body);
  t.deepEqual(links, { alert_ids: [], event_ids: [], screening_ids: [], pack_ids: [] });
  t.is(timeline.length, 1);
  t.like(timeline[0], { kind: 'created', actor_id: full.id, at: '2026-11-20T10:00:00.000Z' });
});

test('title, priority and assignee are changed each on its own, and the timeline says what changed', async t => {
  const { ada } = await withPerson(t);
  const { id } = await opened(ada);
  const path = `/v1/cases/${id}`;
  t.like((await ada.patch(path, { priority: 'critical' })).body, { priority: 'critical', title: 'Odd payments' });
  t.like((await ada.patch(path, { title: 'Fraud?', assignee_id: ada.user.id })).body, {
    title: 'Fraud?',
    assignee_id: ada.user.id,
  });
  t.is((await ada.patch(path, { assignee_id: ada.user.id, title: 'Fraud?' })).status, 200);
  t.is((await ada.patch(path, { assignee_id: null })).body.assignee_id, null);
  const { timeline } = (await ada.get(path)).body;
  t.true(timeline.every((entry: { actor_id: string }) => entry.actor_id === ada.user.id));
  const told = timeline.map((entry: object) =>
    Object.fromEntries(Object.entries(entry).filter(([name]) => !['id', 'at', 'actor_id'].includes(name))),
  );
  t.deepEqual(told, [
    { kind: 'created' },
    { kind: 'changed', field: 'priority', from: 'medium', to: 'critical' },
    { kind: 'changed', field: 'title', from: 'Odd payments', to: 'Fraud?' },
    { kind: 'assigned', from: null, to: ada.user.id },
    { kind: 'assigned', from: ada.user.id, to: null },
  ]);
});

test('a case is assigned to members of the organization only', async t => {
  const { as, ada, organization, person } = await withPerson(t);
  const stranger = await person('owner', { of: (await organization('Rival')).id });
  const { id } = await opened(as, { assignee_id: ada.user.id });
  t.deepEqual(await kindsOf(as, id), ['created', 'assigned']);
  for (const assignee_id of [stranger.user.id, newId('usr')]) {
    for (const { status, body } of [
      await as.patch(`/v1/cases/${id}`, { assignee_id }),
      await as.post('/v1/cases', { title: 'x', assignee_id }),
    ]) {
      t.is(status, 422);
      t.is(body.error.code, 'unprocessable');
      t.like(body.error.details[0], { path: '/assignee_id', code: 'not_found' });
    }
  }
});

for (const from of ['open', 'investigating', 'closed'] as const) {
  for (const to of ['open', 'investigating', 'closed'] as const) {
    const allowed = from === to || caseTransitions[from].includes(to);
    test(`a case that is ${from} ${allowed ? 'can' : 'cannot'} become ${to}`, async t => {
      const { as } = await withPerson(t);
      const { id } = await opened(as);
      const path = `/v1/cases/${id}/status`;
      if (from !== 'open') t.is((await as.post(path, { status: from })).status, 200);
      const before = await kindsOf(as, id);
      const { status, body } = await as.post(path, { status: to });
      if (!allowed) {
        t.is(status, 409);
        t.is(body.error.code, 'invalid_transition');
        t.deepEqual(await kindsOf(as, id), before);
        return;
      }
      t.is(status, 200);
      t.is(body.status, to);
      t.is(body.closed_at, to === 'closed' ? '2026-11-20T10:00:00.000Z' : null);
      t.deepEqual(await kindsOf(as, id), from === to ? before : [...before, 'status_changed']);
    });
  }
}

test('a case is moved from the status that it is said to have, or not at all', async t => {
  const { as } = await withPerson(t);
  const { id } = await opened(as);
  const path = `/v1/cases/${id}/status`;
  const late = await as.post(path, { status: 'closed', from: 'investigating' });
  t.is(late.status, 409);
  t.is(late.body.error.message, 'The case is open now, no longer investigating.');
  t.is((await as.post(path, { status: 'closed', from: 'open' })).body.status, 'closed');
});

test('reopening clears the closing note, and the timeline keeps it', async t => {
  const { as } = await withPerson(t);
  const { id } = await opened(as);
  const path = `/v1/cases/${id}/status`;
  const closed = await as.post(path, { status: 'closed', closing_note: 'A test of the vendor.' });
  t.is(closed.body.closing_note, 'A test of the vendor.');
  t.deepEqual((await as.post(path, { status: 'closed', closing_note: 'other' })).body, closed.body);
  t.like((await as.post(path, { status: 'investigating' })).body, { closed_at: null, closing_note: null });
  const changes = (await as.get(`/v1/cases/${id}`)).body.timeline.slice(1);
  t.like(changes[0], { kind: 'status_changed', from: 'open', to: 'closed', text: 'A test of the vendor.' });
  t.like(changes[1], { kind: 'status_changed', from: 'closed', to: 'investigating', text: null });
});

test('a case that was closed without a note takes one later, once, and the timeline keeps it', async t => {
  const { as } = await withPerson(t);
  const { id } = await opened(as);
  const path = `/v1/cases/${id}/status`;
  const { closed_at } = (await as.post(path, { status: 'closed' })).body;
  const noted = await as.post(path, { status: 'closed', closing_note: 'The agent was stopped.' });
  t.like(noted.body, { status: 'closed', closed_at, closing_note: 'The agent was stopped.' });
  t.deepEqual((await as.post(path, { status: 'closed', closing_note: 'other' })).body, noted.body);
  const changes = (await as.get(`/v1/cases/${id}`)).body.timeline.slice(2);
  t.is(changes.length, 1);
  t.like(changes[0], { kind: 'status_changed', from: 'closed', to: 'closed', text: 'The agent was stopped.' });
});

test('a closed case still takes comments and changes', async t => {
  const { as } = await withPerson(t);
  const { id } = await opened(as);
  await as.post(`/v1/cases/${id}/status`, { status: 'closed' });
  const { status, body } = await as.post(`/v1/cases/${id}/comments`, { text: 'Seen\nagain.' });
  t.is(status, 200);
  t.like(body.timeline.at(-1), { kind: 'commented', text: 'Seen\nagain.' });
  t.is((await as.patch(`/v1/cases/${id}`, { priority: 'low' })).status, 200);
});

test('of ten people who close one case in the same moment, one does', async t => {
  const { as } = await withPerson(t);
  const { id } = await opened(as);
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      as.post(`/v1/cases/${id}/status`, { status: 'closed', closing_note: `note ${index}` }),
    ),
  );
  t.true(replies.every(({ status }) => status === 200));
  t.is(new Set(replies.map(({ body }) => body.closing_note)).size, 1);
  t.deepEqual(await kindsOf(as, id), ['created', 'status_changed']);
});

test('of a timeline the latest thousand entries are read, oldest first', async t => {
  const { as, db, tenant } = await withPerson(t);
  const { id } = await opened(as);
  const entries = Array.from({ length: 1_005 }, (_, index) => ({ kind: 'commented' as const, text: `note ${index}` }));
  await noteInCase(db, tenant, id, null, entries, Date.parse('2026-11-20T10:00:00.000Z'));
  const { timeline } = (await as.get(`/v1/cases/${id}`)).body;
  t.is(timeline.length, 1_000);
  t.is(timeline[0].text, 'note 5');
  t.is(timeline.at(-1).text, 'note 1004');
});

test('cases are found by status, priority, assignee and time, newest first and page by page', async t => {
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const { as, person } = await world(t, { now: () => time });
  const ada = await person('developer');
  const made: string[] = [];
  for (const more of [{ priority: 'high' }, { assignee_id: ada.user.id }, {}, {}]) {
    made.push((await opened(as, more)).id);
    time += 60_000;
  }
  const [first, second, third, fourth] = made;
  await as.post(`/v1/cases/${third}/status`, { status: 'investigating' });
  const found = async (query: string) =>
    (await as.get(`/v1/cases?${query}`)).body.data.map(({ id }: { id: string }) => id);
  t.deepEqual(await found(''), [fourth, third, second, first]);
  t.deepEqual(await found('priority=high'), [first]);
  t.deepEqual(await found(`assignee_id=${ada.user.id}`), [second]);
  t.deepEqual(await found('status=investigating'), [third]);
  t.deepEqual(await found('status=open&priority=medium'), [fourth, second]);
  t.deepEqual(await found('from=2026-11-20T10:01:00Z&to=2026-11-20T10:03:00Z'), [third, second]);
  t.deepEqual(await found(`agent_id=${newId('agt')}`), []);
  const { body } = await as.get('/v1/cases?limit=3&priority=medium');
  t.is(body.next_cursor, null);
  const page = await as.get('/v1/cases?limit=3');
  const rest = await as.get(`/v1/cases?limit=3&cursor=${page.body.next_cursor}`);
  t.deepEqual(rest.body, { data: [(await as.get('/v1/cases')).body.data[3]], next_cursor: null });
  t.is((await as.get(`/v1/cases?limit=3&status=open&cursor=${page.body.next_cursor}`)).status, 400);
});

test('what is wrong in a case is refused where it is, and changes nothing', async t => {
  const { as } = await withPerson(t);
  const { id } = await opened(as);
  const path = `/v1/cases/${id}`;
  const refused: [Promise<{ status: number; body: { error: { details: { path: string }[] } } }>, string][] = [
    [as.post('/v1/cases', {}), '/title'],
    [as.post('/v1/cases', { title: '   ' }), '/title'],
    [as.post('/v1/cases', { title: '\u200b' }), '/title'],
    [as.post('/v1/cases', { title: 'a\u0001b' }), '/title'],
    [as.post('/v1/cases', { title: 'x'.repeat(201) }), '/title'],
    [as.post('/v1/cases', { title: 'x', status: 'closed' }), '/status'],
    [as.post('/v1/cases', { title: 'x', priority: 'urgent' }), '/priority'],
    [as.post('/v1/cases', { title: 'x', alert_ids: ['evt_1'] }), '/alert_ids/0'],
    [as.post('/v1/cases', { title: 'x', event_ids: Array.from({ length: 101 }, () => newId('evt')) }), '/event_ids'],
    [as.patch(path, {}), ''],
    [as.patch(path, { title: null }), ''],
    [as.patch(path, { closing_note: 'x' }), '/closing_note'],
    [as.post(`${path}/status`, { status: 'resolved' }), '/status'],
    [as.post(`${path}/status`, { status: 'open', closing_note: 'x' }), '/closing_note'],
    [as.post(`${path}/status`, { status: 'closed', closing_note: 'x'.repeat(2_001) }), '/closing_note'],
    [as.post(`${path}/comments`, { text: ' \n ' }), '/text'],
    [as.post(`${path}/comments`, { text: 'x'.repeat(2_001) }), '/text'],
    [as.post(`${path}/links`, {}), ''],
    [as.post(`${path}/links`, { alert_ids: [], event_ids: [] }), ''],
    [as.post(`${path}/links`, { case_ids: [id] }), '/case_ids'],
  ];
  for (const [index, [reply, where]] of refused.entries()) {
    const { status, body } = await reply;
    t.is(status, 400, `request ${index}`);
    t.is(body.error.details[0]?.path, where, `request ${index}`);
  }
  t.deepEqual(await kindsOf(as, id), ['created']);
});

test('ten identical requests with one Idempotency-Key open one case', async t => {
  const { as } = await withPerson(t);
  const headers = { 'idempotency-key': 'once' };
  const replies = await Promise.all(Array.from({ length: 10 }, () => as.post('/v1/cases', { title: 'Once' }, headers)));
  const made = replies.filter(({ status }) => status === 201);
  t.true(made.length >= 1);
  t.true(replies.every(({ status }) => status === 201 || status === 409));
  t.is(new Set(made.map(({ body }) => body.id)).size, 1);
  t.is((await as.get('/v1/cases')).body.data.length, 1);
  t.is((await as.post('/v1/cases', { title: 'Once' }, headers)).headers.get('idempotent-replayed'), 'true');
});

test('a key needs cases:read to read cases and cases:write to change them; a developer may do both in production', async t => {
  const { withScopes, person } = await world(t, { settings: { ENVIRONMENT: 'production' } });
  const [reader, writer, ada] = [
    await withScopes('cases:read'),
    await withScopes('cases:write'),
    await person('developer'),
  ];
  const { body } = await writer.post('/v1/cases', { title: 'x' });
  t.is((await writer.get(`/v1/cases/${body.id}`)).status, 403);
  t.is((await reader.get(`/v1/cases/${body.id}`)).status, 200);
  t.is((await reader.post('/v1/cases', { title: 'x' })).status, 403);
  t.is((await ada.post(`/v1/cases/${body.id}/comments`, { text: 'x' })).status, 200);
});
