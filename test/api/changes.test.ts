import test from 'ava';
import { z } from 'zod';
import { newId } from '#shared/interface/ids.ts';
import { sql } from '#shared/platform/db.ts';
import { DAY } from '#shared/values/time.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { type World, world } from '#test/helpers/world.ts';

type Row = { id: string; updated_at: string };
const START = '2020-01-01T00:00:00Z';
const changed = async (as: Client, list: string, from = START, more = ''): Promise<Row[]> =>
  (await as.get(`/v1/${list}?updated_from=${from}${more}`)).body.data;
const idsOf = (rows: Row[]) => rows.map(({ id }) => id);
const act = (as: Client, id: string, action: string, reason?: string) =>
  as.post(`/v1/alerts/${id}/actions`, { action, ...(reason && { reason }) });

test('alerts, incidents and cases are read in the order in which they changed, and each change moves them to the end', async t => {
  const { as, db, tenant } = await world(t);
  const [first, second, third] = [await alert(db, tenant), await alert(db, tenant), await alert(db, tenant)];
  t.deepEqual(idsOf(await changed(as, 'alerts')), [first, second, third]);
  await act(as, first, 'comment', 'seen');
  t.deepEqual(idsOf(await changed(as, 'alerts')), [second, third, first], 'a comment is a change');
  const { body: done } = await act(as, second, 'escalate');
  const alerts = await changed(as, 'alerts');
  t.deepEqual(idsOf(alerts), [third, first, second]);
  t.is(alerts[2]?.updated_at, done.updated_at, 'what an action answers is what is read');
  const incident_of = async (id: string) => (await as.get(`/v1/alerts/${id}`)).body.incident_id;
  t.is((await changed(as, 'incidents')).at(-1)?.id, await incident_of(second));

  const { body: other } = await as.post('/v1/cases', { title: 'Another' });
  t.deepEqual(idsOf(await changed(as, 'cases')), [done.case_id, other.id]);
  await as.post(`/v1/cases/${done.case_id}/comments`, { text: 'looked into' });
  t.deepEqual(idsOf(await changed(as, 'cases')), [other.id, done.case_id]);
  await as.post(`/v1/cases/${other.id}/links`, { alert_ids: [third] });
  const cases = await changed(as, 'cases');
  t.deepEqual(idsOf(cases), [done.case_id, other.id]);
  t.is((await changed(as, 'alerts')).at(-1)?.id, third, 'an alert that goes into a case has changed');
  t.deepEqual(idsOf(await changed(as, 'cases', cases[1]?.updated_at)), [other.id]);
});

test('new payments of an alert are a change of it', async t => {
  const { as, analyze } = await world(t, { thresholds: true });
  const burst = (count: number) =>
    as.post('/v1/events', { events: Array.from({ length: count }, (_, index) => event({ at: Date.now() - index })) });
  await burst(30);
  await analyze();
  const before = await changed(as, 'alerts');
  t.true(before.length > 0);
  await burst(5);
  await analyze();
  const after = await changed(as, 'alerts');
  for (const { id, updated_at } of before) {
    const now = after.find(row => row.id === id);
    t.true(now !== undefined && now.updated_at >= updated_at);
  }
  t.true((after.at(-1)?.updated_at ?? '') > (before.at(-1)?.updated_at ?? ''));
});

test('the pages of changes make up the whole, and filters hold', async t => {
  const { as, db, tenant } = await world(t);
  const ids: string[] = [];
  for (let made = 0; made < 7; made += 1)
    ids.push(await alert(db, tenant, { severity: made % 2 === 0 ? 'high' : 'low' }));
  const read: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await as.get(`/v1/alerts?updated_from=${START}&limit=2${cursor}`);
    read.push(...idsOf(body.data));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  t.deepEqual(read, ids);
  t.deepEqual(
    idsOf(await changed(as, 'alerts', START, '&severity=low')),
    ids.filter((_, index) => index % 2 === 1),
  );
  for (const name of ['sort=score', 'direction=asc']) {
    const { body } = await as.get(`/v1/alerts?updated_from=${START}&${name}`);
    t.is(body.error.details[0].path, `query.${name.split('=')[0]}`);
  }
});

/** Changes an alert in a transaction that stays open until `finish`. */
async function changeSlowly({ db, tenant }: World, id: string) {
  const { promise: asked, resolve: finish } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const done = db.transaction(async tx => {
    await tx.query(sql.unsafe`
      update alerts set title = 'Changed slowly'
      where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${id}`);
    begin();
    await asked;
  });
  await begun;
  return async () => {
    finish();
    await done;
  };
}

test('a change that is under way while others are read is not passed over', async t => {
  const here = await world(t, { own_database: true });
  const { as, db, tenant } = here;
  const [slow, quick] = [await alert(db, tenant), await alert(db, tenant)];
  const before = await changed(as, 'alerts');
  const finish = await changeSlowly(here, slow);
  // It commits before the other, which has an earlier time.
  await db.query(sql.unsafe`
    update alerts set title = 'Changed quickly'
    where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${quick}`);
  const path = `/v1/alerts?updated_from=${before.at(-1)?.updated_at}`;
  const meanwhile = await as.get(path);
  t.deepEqual(meanwhile.body.data, [], 'what is later waits for what is under way');
  await finish();
  const after = await as.send('GET', path, { headers: { 'if-none-match': meanwhile.headers.get('etag') ?? '' } });
  t.deepEqual(idsOf(after.body.data), [slow, quick]);
});

test('what is written to alerts holds back later changes, also where another node of a cluster notes their time', async t => {
  const { as, db, tenant } = await world(t, { own_database: true });
  const id = await alert(db, tenant);
  const before = (await changed(as, 'alerts')).at(-1)?.updated_at;
  for (const table of ['alerts', 'alert_actions', 'alert_events']) {
    await db.transaction(async tx => {
      // All that the coordinator sees of a statement whose triggers fire elsewhere.
      await tx.query(sql.unsafe`lock table ${sql.identifier([table])} in row exclusive mode`);
      await act(as, id, 'comment', 'seen');
      t.deepEqual(await changed(as, 'alerts', before), [], table);
    });
    t.deepEqual(idsOf(await changed(as, 'alerts', before)), [id]);
  }
});

test('a process of the version before, which does not read when alerts change now, tells of no changes rather than of some', async t => {
  const { db } = await world(t);
  const Settled = z.object({ at: z.string() });
  t.is(await db.oneFirst(sql.type(Settled)`select changes_settled('alerts') as at`), '1970-01-01T00:00:00.000Z');
});

test('open alerts and incidents are listed by what weighs most, page by page', async t => {
  const { as, db, tenant } = await world(t);
  const made = new Map<string, string>();
  for (const severity of ['low', 'critical', 'medium', 'high', 'critical'])
    made.set(await alert(db, tenant, { severity }), severity);
  await alert(db, tenant, { severity: 'critical', state: 'dismissed' });
  const scores = [12.5, 99, 55.5, 99, 70];
  for (const [index, id] of [...made.keys()].entries())
    await db.query(sql.unsafe`
      update alerts set score = ${scores[index] ?? 0} where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${id}`);
  const [low, critical, medium, high, newest] = [...made.keys()];
  const walk = async (path: string) => {
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await as.get(`${path}&limit=2${cursor}`);
      ids.push(...idsOf(body.data));
      if (body.next_cursor === null) return ids;
      cursor = `&cursor=${body.next_cursor}`;
    }
  };
  t.deepEqual(await walk('/v1/alerts?state=open&sort=severity'), [newest, critical, high, medium, low]);
  t.deepEqual(await walk('/v1/alerts?state=open&sort=score'), [high, critical, newest, medium, low]);
  const incidents = await walk('/v1/incidents?state=open&sort=severity');
  t.is(incidents.length, 5);
  t.is(incidents[0], (await as.get(`/v1/alerts/${newest}`)).body.incident_id);
  const [dear, cheap] = [incidents[3], incidents[1]];
  for (const [id, amount] of [
    [dear, '9000000'],
    [cheap, '5000'],
  ] as const)
    await db.query(sql.unsafe`
      update incidents set amount_usd_micro = ${amount}::numeric
      where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${id ?? ''}`);
  t.deepEqual((await walk('/v1/incidents?state=open&sort=amount')).slice(0, 2), [dear, cheap]);
});

test('open incidents are listed by severity, money and waiting together, page by page', async t => {
  const { as, db, tenant } = await world(t);
  const now = Date.now();
  const make = async (severity: string, dollars: number | null, days = 0) => {
    const incident_id = newId('inc', now - days * DAY);
    await alert(db, tenant, { severity, incident_id, created_at: now - days * DAY });
    await db.query(sql.unsafe`
      update incidents set amount_usd_micro = ${dollars === null ? null : `${dollars}000000`}::numeric
      where org_id = ${tenant.org_id} and environment = ${tenant.environment} and id = ${incident_id}`);
    return incident_id;
  };
  const unpriced = await make('critical', null);
  const cheap = await make('critical', 5);
  const dear = await make('high', 250_000);
  const waiting = await make('medium', 100, 30);
  const petty = await make('low', 1);
  const ids: string[] = [];
  for (let cursor = ''; ids.length < 5;) {
    const { body } = await as.get(`/v1/incidents?state=open&sort=urgency&limit=1${cursor}`);
    ids.push(...idsOf(body.data));
    cursor = `&cursor=${body.next_cursor}`;
  }
  t.deepEqual(ids, [waiting, dear, cheap, unpriced, petty]);
});
