import test from 'ava';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { wakeSnoozed } from '#shared/casework/wake_snoozed.ts';
import { alert } from '#test/helpers/alert.ts';
import { incident } from '#test/helpers/incident.ts';
import { world } from '#test/helpers/world.ts';

const MINUTE = 60_000;

test('a snoozed incident leaves the queue until its time, or until it has another alert, and can be brought back', async t => {
  const w = await world(t);
  const { id, agent_id, path } = await incident(w, { title: 'Paid twice' });
  const listed = async (query: string) =>
    (await w.as.get(`/v1/incidents?state=open&${query}`)).body.data.map((each: { id: string }) => each.id);
  const until = new Date(Date.now() + 60 * MINUTE).toISOString();
  t.is((await w.as.put(`${path}/snooze`, { until })).body.snoozed_until, until);
  t.deepEqual(
    [await listed('snoozed=false'), await listed('snoozed=true'), await listed('sort=urgency')],
    [[], [id], [id]],
  );
  t.is((await w.as.delete(`${path}/snooze`)).body.snoozed_until, null);
  t.deepEqual(await listed('snoozed=false'), [id]);
  await w.as.put(`${path}/snooze`, { until });
  await alert(w.db, w.tenant, { incident_id: id, agent_id, subject: 'another' });
  t.deepEqual([await listed('snoozed=false'), await listed('snoozed=true')], [[id], []]);
  await w.as.put(`${path}/snooze`, { until });
  await w.db.query(sql.unsafe`
    update incidents set snoozed_until = now() - interval '1 second' where org_id = ${w.tenant.org_id} and id = ${id}`);
  t.deepEqual(await listed('snoozed=false'), [id]);
});

test('an incident is snoozed to a time ahead, within thirty days, and while it is open', async t => {
  const w = await world(t);
  const { path } = await incident(w, { title: 'Paid twice' });
  const at = (minutes: number) => ({ until: new Date(Date.now() + minutes * MINUTE).toISOString() });
  t.is((await w.as.put(`${path}/snooze`, at(-1))).status, 422);
  t.is((await w.as.put(`${path}/snooze`, at(31 * 24 * 60))).status, 422);
  await w.as.post(`${path}/actions`, { action: 'resolve' });
  t.is((await w.as.put(`${path}/snooze`, at(60))).status, 409);
  t.is((await w.as.put(`/v1/incidents/${newId('inc')}/snooze`, at(60))).status, 404);
});

test('an incident that was closed is in the queue when it is reopened, though it was snoozed', async t => {
  const w = await world(t);
  const { id, ids, path } = await incident(w, { title: 'Paid twice' });
  const until = new Date(Date.now() + 60 * MINUTE).toISOString();
  await w.as.put(`${path}/snooze`, { until });
  await w.as.post(`${path}/actions`, { action: 'resolve' });
  t.is((await w.as.get(path)).body.snoozed_until, null);
  await w.as.post(`/v1/alerts/${ids[0]}/actions`, { action: 'reopen' });
  const { body } = await w.as.get('/v1/incidents?state=open&snoozed=false');
  t.deepEqual(
    body.data.map((each: { id: string }) => each.id),
    [id],
  );
});

test('an incident is not snoozed where it has more alerts than were seen', async t => {
  const w = await world(t);
  const { agent_id, id, path } = await incident(w, { title: 'Paid twice' });
  const until = new Date(Date.now() + 60 * MINUTE).toISOString();
  await alert(w.db, w.tenant, { incident_id: id, agent_id, subject: 'another' });
  t.is((await w.as.put(`${path}/snooze`, { until, alert_count: 1 })).status, 409);
  t.is((await w.as.get(path)).body.snoozed_until, null);
  t.is((await w.as.put(`${path}/snooze`, { until, alert_count: 0 })).status, 400);
  t.is((await w.as.put(`${path}/snooze`, { until, alert_count: 2 })).body.snoozed_until, until);
});

test('who polls or follows incidents is told when a snooze ends', async t => {
  const w = await world(t);
  const { id, path } = await incident(w, { title: 'Paid twice' });
  const later = await incident(w, { title: 'Paid twice' });
  const until = new Date(Date.now() + 60 * MINUTE).toISOString();
  for (const snoozed of [path, later.path]) await w.as.put(`${snoozed}/snooze`, { until });
  const { updated_at } = (await w.as.get(path)).body;
  const polled = [path, '/v1/incidents', '/v1/incidents?snoozed=false'];
  const poll = async () => {
    const answers = await Promise.all(polled.map(each => w.as.send('GET', each)));
    return answers.map(({ headers }) => headers.get('etag') ?? '');
  };
  const before = await poll();
  const unchanged = async () =>
    (
      await Promise.all(
        polled.map((each, index) => w.as.send('GET', each, { headers: { 'if-none-match': before[index] ?? '' } })),
      )
    ).map(({ status }) => status);
  await wakeSnoozed(w.db);
  t.deepEqual(await unchanged(), [304, 304, 304], 'its time has not come');
  await w.db.query(sql.unsafe`
    update incidents set snoozed_until = now() - interval '1 second' where org_id = ${w.tenant.org_id} and id = ${id}`);
  await wakeSnoozed(w.db);
  t.deepEqual(await unchanged(), [200, 200, 200]);
  const { data } = (await w.as.get(`/v1/incidents?updated_from=${updated_at}`)).body;
  t.like(data.at(-1), { id, snoozed_until: null });
  t.is((await w.as.get(later.path)).body.snoozed_until, until);
});
