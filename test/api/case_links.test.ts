import test, { type ExecutionContext } from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client } from '#test/helpers/client.ts';
import { entry, load } from '#test/helpers/lists.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

/** A world with two events of two agents that are known. */
async function busy(t: ExecutionContext) {
  const here = await world(t);
  const { as } = here;
  for (const agent of ['one', 'two']) await as.post('/v1/events', event({ agent }));
  const [second, first] = (await as.get('/v1/events')).body.data;
  return { ...here, first, second };
}

const opened = async (client: Client, more: object = {}) =>
  (await client.post('/v1/cases', { title: 'Odd payments', ...more })).body;
const idsOf = async (client: Client, path: string): Promise<string[]> =>
  (await client.get(path)).body.data.map(({ id }: { id: string }) => id);

test('a case is opened with alerts and events; it is found by their agents, and its alerts by it', async t => {
  const { as, db, tenant, first, second } = await busy(t);
  const alert_id = await alert(db, tenant, { agent_id: first.agent_id });
  const { id } = await opened(as, { alert_ids: [alert_id], event_ids: [second.id, second.id] });
  const { body } = await as.get(`/v1/cases/${id}`);
  t.like(body.links, { alert_ids: [alert_id], event_ids: [second.id] });
  t.like(body.timeline[1], { kind: 'linked', alert_ids: [alert_id], event_ids: [second.id] });
  t.is((await as.get(`/v1/alerts/${alert_id}`)).body.case_id, id);
  t.deepEqual(await idsOf(as, `/v1/alerts?case_id=${id}`), [alert_id]);
  for (const { agent_id } of [first, second]) t.deepEqual(await idsOf(as, `/v1/cases?agent_id=${agent_id}`), [id]);
});

test('what is linked is noted once: again is no error and no entry in the timeline', async t => {
  const { as, db, tenant, first, second } = await busy(t);
  const alert_id = await alert(db, tenant);
  const { id } = await opened(as, { event_ids: [first.id] });
  const link = async (body: object) => (await as.post(`/v1/cases/${id}/links`, body)).body;
  const { timeline } = await link({ event_ids: [first.id, second.id], alert_ids: [alert_id] });
  t.deepEqual(timeline.at(-1).event_ids, [second.id]);
  t.deepEqual(timeline.at(-1).alert_ids, [alert_id]);
  const again = await link({ event_ids: [second.id], alert_ids: [alert_id.toLowerCase()] });
  t.deepEqual(again.timeline, timeline);
  t.deepEqual(again.links.event_ids.toSorted(), [first.id, second.id].toSorted());
});

test('an id that names nothing here is refused at its place, whose ever it may be', async t => {
  const { as, db, tenant, organization, key, client, first } = await busy(t);
  const rival = { ...tenant, org_id: (await organization('Rival')).id };
  const them = client((await key(rival.org_id)).key);
  await them.post('/v1/events', event());
  const [theirEvent] = await idsOf(them, '/v1/events');
  const [ours, theirAlert] = [await alert(db, tenant), await alert(db, rival)];
  const { id } = await opened(as);
  const wrong: [object, string][] = [
    [{ alert_ids: [ours, theirAlert] }, '/alert_ids/1'],
    [{ alert_ids: [newId('alr')] }, '/alert_ids/0'],
    [{ event_ids: [first.id, theirEvent] }, '/event_ids/1'],
    [{ screening_ids: [newId('scr')] }, '/screening_ids/0'],
    [{ alert_ids: [ours], pack_ids: [newId('pck')] }, '/pack_ids/0'],
  ];
  for (const [links, path] of wrong) {
    const { status, body } = await as.post(`/v1/cases/${id}/links`, links);
    t.is(status, 422, path);
    t.is(body.error.code, 'unprocessable');
    t.like(body.error.details[0], { path, code: 'not_found' });
  }
  t.is((await as.post('/v1/cases', { title: 'x', alert_ids: [theirAlert] })).status, 422);
  t.is((await as.post(`/v1/cases/${newId('cas')}/links`, { alert_ids: [newId('alr')] })).status, 404);
  t.is((await as.get('/v1/cases')).body.data.length, 1);
  t.is((await as.get(`/v1/cases/${id}`)).body.timeline.length, 1);
  t.is((await as.get(`/v1/alerts/${ours}`)).body.case_id, null);
});

test('an alert of a case that is not closed is refused; from a closed one it moves, and that keeps its link', async t => {
  const { as, db, tenant } = await busy(t);
  const alert_id = await alert(db, tenant);
  const former = await opened(as, { alert_ids: [alert_id] });
  const { id } = await opened(as);
  const link = () => as.post(`/v1/cases/${id}/links`, { alert_ids: [alert_id] });
  const refused = await link();
  t.is(refused.status, 409);
  t.is(refused.body.error.code, 'conflict');
  t.true(refused.body.error.message.includes(former.id));
  await as.post(`/v1/cases/${former.id}/status`, { status: 'closed' });
  t.deepEqual((await link()).body.links.alert_ids, [alert_id]);
  t.is((await as.get(`/v1/alerts/${alert_id}`)).body.case_id, id);
  t.deepEqual((await as.get(`/v1/cases/${former.id}`)).body.links.alert_ids, [alert_id]);
  await as.post(`/v1/cases/${id}/status`, { status: 'closed' });
  const back = await as.post(`/v1/cases/${former.id}/links`, { alert_ids: [alert_id] });
  t.like(back.body.timeline.at(-1), { kind: 'linked', alert_ids: [alert_id] });
  t.is((await as.get(`/v1/alerts/${alert_id}`)).body.case_id, former.id);
});

test('escalating links the alert to the case and says so in its timeline', async t => {
  const { as, full, db, tenant, first } = await busy(t);
  const alert_id = await alert(db, tenant, { agent_id: first.agent_id });
  const { case_id } = (await as.post(`/v1/alerts/${alert_id}/actions`, { action: 'escalate' })).body;
  const { body } = await as.get(`/v1/cases/${case_id}`);
  t.deepEqual(body.links.alert_ids, [alert_id]);
  t.deepEqual(
    body.timeline.map(({ kind }: { kind: string }) => kind),
    ['created', 'linked'],
  );
  t.is(body.timeline[1].actor_id, full.id);
  t.deepEqual(await idsOf(as, `/v1/cases?agent_id=${first.agent_id}`), [case_id]);
});

test('an alert that is escalated stays in the case it is in, and joins the one that is about its agent alone', async t => {
  const { as, db, tenant, first, second } = await busy(t);
  const [one, two] = [
    await alert(db, tenant, { agent_id: first.agent_id, subject: 'one' }),
    await alert(db, tenant, { agent_id: first.agent_id, subject: 'two' }),
  ];
  const mixed = await opened(as, { alert_ids: [one], event_ids: [second.id] });
  const escalated = async (id: string) =>
    (await as.post(`/v1/alerts/${id}/actions`, { action: 'escalate' })).body.case_id;
  t.is(await escalated(one), mixed.id);
  const own = await opened(as, { event_ids: [first.id] });
  t.is(await escalated(two), own.id);
});

test('of two cases that take one alert in the same moment, one has it', async t => {
  const { as, db, tenant } = await busy(t);
  const alert_ids = [await alert(db, tenant), await alert(db, tenant)];
  const [one, two] = [await opened(as), await opened(as)];
  const replies = await Promise.all([
    as.post(`/v1/cases/${one.id}/links`, { alert_ids }),
    as.post(`/v1/cases/${two.id}/links`, { alert_ids: alert_ids.toReversed() }),
  ]);
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
  const winner = replies[0]?.status === 200 ? one.id : two.id;
  t.is((await idsOf(as, `/v1/alerts?case_id=${winner}`)).length, 2);
});

test('linking and escalating one alert in the same moment both succeed, and it ends in one case', async t => {
  const { as, db, tenant, first } = await busy(t);
  for (let round = 0; round < 5; round += 1) {
    const id = await alert(db, tenant, { agent_id: first.agent_id, subject: `round ${round}` });
    const own = await opened(as, { event_ids: [first.id] });
    const [linked, escalated] = await Promise.all([
      as.post(`/v1/cases/${own.id}/links`, { alert_ids: [id] }),
      as.post(`/v1/alerts/${id}/actions`, { action: 'escalate' }),
    ]);
    t.is(linked.status, 200);
    t.is(escalated.status, 200);
    t.is((await as.get(`/v1/alerts/${id}`)).body.case_id, own.id);
  }
});

test('of each kind the two hundred links that were made last are read, newest first', async t => {
  const { as, db, tenant } = await busy(t);
  const { id } = await opened(as);
  const { org_id, environment } = tenant;
  await db.query(sql.unsafe`
    insert into case_links (org_id, environment, case_id, kind, target_id, linked_at)
    select ${org_id}, ${environment}, ${id}, 'event', 'evt_' || lpad((1000 - n)::text, 26, '0'),
      timestamptz '2026-11-20 10:00:00Z' + n * interval '1 second'
    from generate_series(1, 205) n`);
  const { event_ids } = (await as.get(`/v1/cases/${id}`)).body.links;
  t.is(event_ids.length, 200);
  t.is(event_ids[0], `evt_${'795'.padStart(26, '0')}`);
  t.is(event_ids[199], `evt_${'994'.padStart(26, '0')}`);
});

test('links and timeline can only be added to by the service', async t => {
  const { as, db, first } = await busy(t);
  await opened(as, { event_ids: [first.id] });
  for (const statement of [
    sql.unsafe`update case_timeline set actor_id = null`,
    sql.unsafe`delete from case_timeline`,
    sql.unsafe`update case_links set linked_at = now()`,
    sql.unsafe`delete from case_links`,
  ])
    await t.throwsAsync(db.query(statement), { message: /permission denied/ });
});

test('a screening is linked to a case, once, and one of another organization is not', async t => {
  const { as, db, organization, key, client } = await busy(t);
  await load(db, [entry('1', 'Acme Shipping Ltd')]);
  const screened = async (who: Client) =>
    (await who.post('/v1/screen', { payee: { name: 'Acme Shipping Ltd' } })).body.screening.id;
  const them = client((await key((await organization('Rival')).id)).key);
  const [ours, theirs] = [await screened(as), await screened(them)];
  const { id } = await opened(as);
  const { body } = await as.post(`/v1/cases/${id}/links`, { screening_ids: [ours, ours.toLowerCase()] });
  t.deepEqual(body.links.screening_ids, [ours]);
  t.like(body.timeline.at(-1), { kind: 'linked', screening_ids: [ours] });
  const again = await as.post(`/v1/cases/${id}/links`, { screening_ids: [ours] });
  t.is(again.body.timeline.length, body.timeline.length);
  const foreign = await as.post(`/v1/cases/${id}/links`, { screening_ids: [ours, theirs] });
  t.is(foreign.status, 422);
  t.like(foreign.body.error.details[0], { path: '/screening_ids/1', code: 'not_found' });
});
