import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Reply } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { NOBODY } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

const actions = ['acknowledge', 'escalate', 'resolve', 'dismiss', 'reopen', 'comment'] as const;

// The table of the interface, cell by cell: where each action leads, or a dash where it is not allowed.
const table: Record<string, string[]> = {
  open: ['acknowledged', 'escalated', 'resolved', 'dismissed', '-', 'open'],
  acknowledged: ['-', 'escalated', 'resolved', 'dismissed', 'open', 'acknowledged'],
  escalated: ['-', '-', 'resolved', 'dismissed', 'open', 'escalated'],
  resolved: ['-', '-', '-', '-', 'open', 'resolved'],
  dismissed: ['-', '-', '-', '-', 'open', 'dismissed'],
};

for (const [state, row] of Object.entries(table)) {
  for (const [column, action] of actions.entries()) {
    const next = row[column] ?? '-';
    const title = next === '-' ? 'is refused' : next === state ? 'leaves it so' : `makes it ${next}`;

    test(`an alert that is ${state}: ${action} ${title}`, async t => {
      const { as, db, tenant, full } = await world(t);
      const id = await alert(db, tenant, { state });
      const reply = await as.post(`/v1/alerts/${id}/actions`, { action, reason: 'as agreed' });
      const { body: after } = await as.get(`/v1/alerts/${id}`);
      if (next === '-') {
        t.is(reply.status, 409);
        t.is(reply.body.error.code, 'invalid_transition');
        t.like(after, { state, actions: [] });
        return;
      }
      t.is(reply.status, 200);
      t.deepEqual(reply.body, after);
      t.is(after.state, next);
      t.is(after.actions.length, 1);
      t.like(after.actions[0], { action, reason: 'as agreed', actor_id: full.id });
    });
  }
}

test('every action is kept in order, with its id, reason, who took it and when', async t => {
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const { as, db, tenant, full, key, client } = await world(t, { now: () => (time += 1_000) });
  const second = await key(tenant.org_id, ['alerts:write']);
  const path = `/v1/alerts/${await alert(db, tenant)}/actions`;
  await as.post(path, { action: 'acknowledge' });
  await client(second.key).post(path, { action: 'comment', reason: ' asked\nthe owner ' });
  const { body } = await as.post(path, { action: 'resolve', reason: '' });
  type Action = { id: string; action: string; reason: string | null; actor_id: string; at: string };
  const kept: Action[] = body.actions;
  t.deepEqual(
    kept.map(({ action, reason, actor_id }) => [action, reason, actor_id]),
    [
      ['acknowledge', null, full.id],
      ['comment', ' asked\nthe owner ', second.id],
      ['resolve', null, full.id],
    ],
  );
  for (const { id, at } of kept) {
    t.regex(id, /^act_[0-9A-HJKMNP-TV-Z]{26}$/);
    t.regex(at, /^2026-11-20T10:\d\d:\d\d\.\d{3}Z$/);
  }
  t.deepEqual(
    kept.map(({ at }) => at),
    kept.map(({ at }) => at).toSorted(),
  );
});

for (const action of ['dismiss', 'comment']) {
  test(`to ${action} an alert takes a reason, and a blank one is none`, async t => {
    const { as, db, tenant } = await world(t);
    const path = `/v1/alerts/${await alert(db, tenant)}`;
    for (const reason of [undefined, '', ' ', '\t\n', '\u00a0\u2003']) {
      const { status, body } = await as.post(`${path}/actions`, { action, reason });
      t.is(status, 422);
      t.like(body.error, { code: 'reason_required', details: [{ path: '/reason' }] });
    }
    t.like((await as.get(path)).body, { state: 'open', actions: [] });
    t.is((await as.post(`${path}/actions`, { action, reason: 'x'.repeat(2_000) })).status, 200);
  });
}

test('an action that is unknown, or a body that is not one, is refused and changes nothing', async t => {
  const { as, db, tenant } = await world(t);
  const path = `/v1/alerts/${await alert(db, tenant)}`;
  const refused: [unknown, string][] = [
    [{ action: 'delete' }, '/action'],
    [{ action: 'Resolve' }, '/action'],
    [{ action: null }, '/action'],
    [{ action: ['resolve'] }, '/action'],
    [{}, '/action'],
    [{ action: 'resolve', reason: 7 }, '/reason'],
    [{ action: 'resolve', reason: 'a\u001b[31mb' }, '/reason'],
    [{ action: 'resolve', reason: 'x'.repeat(2_001) }, '/reason'],
    [{ action: 'resolve', Reason: 'typo' }, '/Reason'],
    [{ action: 'resolve', state: 'open' }, '/state'],
    [[{ action: 'resolve' }], ''],
    ['resolve', ''],
    [null, ''],
  ];
  for (const [sent, place] of refused) {
    const { status, body } = await as.post(`${path}/actions`, sent);
    t.is(status, 400, JSON.stringify(sent));
    t.is(body.error.details[0].path, place, JSON.stringify(sent).slice(0, 100));
  }
  t.like((await as.get(path)).body, { state: 'open', actions: [] });
});

test('an alert that is not there is 404 to read and to act on', async t => {
  const { as } = await world(t);
  for (const id of [`alr_${NOBODY}`, 'alr_1', `evt_${NOBODY}`, '1', '..%2Fevents', '%00']) {
    t.is((await as.get(`/v1/alerts/${id}`)).status, 404);
    t.is((await as.post(`/v1/alerts/${id}/actions`, { action: 'resolve' })).status, 404);
  }
});

test('escalating opens a case with the alert’s title and severity, and a second alert of the agent joins it', async t => {
  const { as, db, tenant, full } = await world(t);
  const agent_id = newId('agt');
  const made = { agent_id, severity: 'critical', title: 'Paid twice' };
  const first = await alert(db, tenant, { ...made, subject: '1' });
  const second = await alert(db, tenant, { agent_id, subject: '2', severity: 'low' });
  const other = await alert(db, tenant);
  const escalate = async (id: string) => (await as.post(`/v1/alerts/${id}/actions`, { action: 'escalate' })).body;
  const { case_id } = await escalate(first);
  t.regex(case_id, /^cas_/);
  t.is((await escalate(second)).case_id, case_id);
  t.not((await escalate(other)).case_id, case_id);
  const Row = z.object({ title: z.string(), priority: z.string(), status: z.string(), created_by: z.string() });
  const row = await db.one(sql.type(Row)`select title, priority, status, created_by from cases where id = ${case_id}`);
  t.deepEqual(row, { title: 'Paid twice', priority: 'critical', status: 'open', created_by: full.id });
  const { body } = await as.get(`/v1/alerts?case_id=${case_id}`);
  t.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [second, first],
  );
});

test('alerts of one agent that are escalated in the same moment land in one case', async t => {
  const { as, db, tenant } = await world(t);
  const { body: sent } = await as.post('/v1/events', event());
  const { agent_id } = (await as.get(`/v1/events/${sent.id}`)).body;
  const ids = await Promise.all(
    Array.from({ length: 8 }, (_, index) => alert(db, tenant, { agent_id, subject: String(index) })),
  );
  const replies = await Promise.all(ids.map(id => as.post(`/v1/alerts/${id}/actions`, { action: 'escalate' })));
  t.is(new Set(replies.map(({ body }) => body.case_id)).size, 1);
});

test('a case that is closed is not joined: escalating opens a new one', async t => {
  const { as, db, tenant } = await world(t);
  const path = `/v1/alerts/${await alert(db, tenant)}/actions`;
  const { body: first } = await as.post(path, { action: 'escalate' });
  await db.query(sql.unsafe`update cases set status = 'closed' where id = ${first.case_id}`);
  await as.post(path, { action: 'reopen' });
  const { body: second } = await as.post(path, { action: 'escalate' });
  t.not(second.case_id, first.case_id);
});

test('of ten people who resolve one alert in the same moment, one does', async t => {
  const { as, db, tenant } = await world(t);
  const path = `/v1/alerts/${await alert(db, tenant)}`;
  const replies: Reply[] = await Promise.all(
    Array.from({ length: 10 }, () => as.post(`${path}/actions`, { action: 'resolve' })),
  );
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array.from({ length: 9 }, () => 409)]);
  t.true(replies.every(({ status, body }) => status === 200 || body.error.code === 'invalid_transition'));
  t.is((await as.get(path)).body.actions.length, 1);
});

test('an alert is not reopened beside a newer live one about the same thing', async t => {
  const { as, db, tenant } = await world(t);
  const agent_id = newId('agt');
  const old = await alert(db, tenant, { agent_id, state: 'dismissed' });
  const newer = await alert(db, tenant, { agent_id, state: 'acknowledged' });
  const reopen = () => as.post(`/v1/alerts/${old}/actions`, { action: 'reopen' });
  const { status, body } = await reopen();
  t.is(status, 409);
  t.is(body.error.code, 'conflict');
  t.like((await as.get(`/v1/alerts/${old}`)).body, { state: 'dismissed', actions: [] });
  await as.post(`/v1/alerts/${newer}/actions`, { action: 'resolve' });
  t.is((await reopen()).status, 200);
});
