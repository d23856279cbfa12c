import test, { type ExecutionContext } from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { askFor, idFor, inhabit, recordRoutes } from '#test/helpers/inhabit.ts';
import { guarded, nameOf, unusedId } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';
import { z } from 'zod';

/** Two organizations that were sent the very same events, and know the same agents, owners and payees by their own names. */
async function twins(t: ExecutionContext) {
  const here = await world(t, { own_database: true, thresholds: true });
  const { as, key, organization, client, tenant, analyze } = here;
  const theirs = { ...tenant, org_id: (await organization('Rival')).id };
  const them = client((await key(theirs.org_id)).key);
  const at = Date.now() - 60_000;
  const own = { agent_id: newId('agt'), owner_id: newId('own'), agent: undefined, owner: undefined };
  const events = [
    event({ at, payment_id: 'order-1', payee_name: 'Café', cents: '90000', more: own }),
    event({ at, payment_id: 'order-2', payee: 'domain:b.example.com' }),
    event({ at, payment_id: 'order-1', type: 'payment.refunded', cents: '10' }),
  ];
  for (const sender of [as, them]) t.is((await sender.post('/v1/events', { events })).body.accepted, 3);
  for (const log of [tenant, theirs]) t.true((await analyze({ of: log })).length > 0);
  return { ...here, us: as, them, theirs, events };
}

const idsOf = async (client: Client, path: string): Promise<string[]> => {
  const { body } = await client.get(path);
  return body.data.map(({ id }: { id: string }) => id);
};

test('two organizations may be sent the same events, and each has a log of its own', async t => {
  const { us, them, events } = await twins(t);
  for (const client of [us, them]) {
    const { body } = await client.get('/v1/events');
    t.deepEqual(
      body.data.map((item: { id: string; chain_seq: number }) => [item.chain_seq, item.id]),
      [...events.entries()].map(([index, { id }]) => [index + 1, id]).toReversed(),
    );
  }
  const [ours, others] = await Promise.all([us, them].map(async client => (await client.get('/v1/events')).body.data));
  for (const name of ['payee_id', 'source_id'] as const)
    t.is(new Set([...ours, ...others].map(item => item[name])).size, name === 'payee_id' ? 4 : 2, name);
  t.not(ours[0].agent_id, others[0].agent_id);
  t.is(ours[2].agent_id, others[2].agent_id, 'an id that the client made is the client’s');
});

test('what one organization changes in an event of a known id is a conflict for it and news for the other', async t => {
  const { us, them } = await twins(t);
  const sent = event();
  await us.post('/v1/events', sent);
  t.is((await them.post('/v1/events', { ...sent, description: 'theirs' })).status, 201);
  t.is((await us.post('/v1/events', { ...sent, description: 'theirs' })).status, 409);
  t.is((await us.get(`/v1/events/${sent.id}`)).body.description, null);
  t.is((await them.get(`/v1/events/${sent.id}`)).body.description, 'theirs');
});

test('no list of an organization holds a record of another', async t => {
  const here = await world(t, { own_database: true, thresholds: true });
  const rival = { ...here.tenant, org_id: (await here.organization('Rival')).id };
  const [us, them] = [await inhabit(here), await inhabit(here, rival)];
  const own = new Set(us.ids);
  // What has to be told what to look for is no list.
  const lists = guarded.filter(
    ({ method, path, params, query }) =>
      method === 'get' && !params && query?.safeParse({}).success && path !== '/v1/event-totals',
  );
  t.true(lists.length > 10);
  for (const route of lists) {
    const [ours, others] = await Promise.all([us, them].map(side => idsOf(side.clientOf(route), route.path)));
    // Somebody may be a member of both.
    const shared = others?.filter(id => own.has(id) && !id.startsWith('usr_'));
    t.deepEqual(shared, [], nameOf(route));
    t.true((ours?.length ?? 0) > 0, `${nameOf(route)} has something to hide`);
  }
});

test('a record of another organization is answered as one that never was, by every route', async t => {
  const here = await world(t, { own_database: true, thresholds: true });
  const rival = { ...here.tenant, org_id: (await here.organization('Rival')).id };
  const [us, them] = [await inhabit(here), await inhabit(here, rival)];
  t.true(recordRoutes.length > 20);
  for (const route of recordRoutes) {
    const ours = idFor(route, us.ids);
    if (!ours) throw new Error(`${nameOf(route)} has no record to ask for`);
    const foreign = await askFor(them.clientOf(route), route, ours, them.ids);
    const never = await askFor(them.clientOf(route), route, unusedId(route), them.ids);
    t.is(foreign.status, 404, nameOf(route));
    t.deepEqual(foreign.body.error, never.body.error, nameOf(route));
  }
  // What removes things comes last, so that every other record is still there to be asked for.
  for (const route of recordRoutes.toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'))) {
    const reply = await askFor(us.clientOf(route), route, idFor(route, us.ids) ?? '', us.ids);
    t.not(reply.status, 404, nameOf(route));
  }
});

test('a cursor of another organization is refused', async t => {
  const { us, them } = await twins(t);
  for (const client of [us, them]) {
    await client.post('/v1/sources', { name: 'second', kind: 'other' });
    await client.post('/v1/events', event({ payee: 'domain:c.example.com', cents: '9000000' }));
  }
  const { body } = await us.get('/v1/events?limit=1');
  const { body: sources } = await us.get('/v1/sources?limit=1');
  for (const path of [`/v1/events?cursor=${body.next_cursor}`, `/v1/sources?cursor=${sources.next_cursor}`]) {
    t.is((await us.get(path)).status, 200);
    const { status, body: answer } = await them.get(path);
    t.is(status, 400);
    t.is(answer.error.details[0].path, 'query.cursor');
  }
});

test('filters and q find nothing of another organization', async t => {
  const { us, them, db, tenant } = await twins(t);
  const secret = event({
    payee: 'domain:hidden.example.com',
    payee_name: 'Hidden Supplier',
    payment_id: 'hidden-1',
    more: { agent: { external_id: 'h', name: 'Hidden Agent' } },
  });
  await us.post('/v1/events', secret);
  const { body: found } = await us.get(`/v1/events/${secret.id}`);
  const alert_id = await alert(db, tenant, { agent_id: found.agent_id, events: [found] });
  const { body: escalated } = await us.post(`/v1/alerts/${alert_id}/actions`, { action: 'escalate' });
  for (const path of [
    ...['hidden', 'Hidden Agent', 'hidden-1', secret.id, found.agent_id].map(
      q => `/v1/events?q=${encodeURIComponent(q)}`,
    ),
    `/v1/events?agent_id=${found.agent_id}`,
    `/v1/events?payee_id=${found.payee_id}`,
    `/v1/alerts?agent_id=${found.agent_id}`,
    `/v1/alerts?event_id=${secret.id}`,
    `/v1/alerts?case_id=${escalated.case_id}`,
  ]) {
    t.is((await idsOf(us, path)).length, 1, path);
    t.deepEqual(await idsOf(them, path), [], path);
  }
});

test('q for what both organizations have finds each its own', async t => {
  const { us, them, events } = await twins(t);
  const [payment, , refund] = events.map(({ id }) => id);
  const onlyOurs = event({ payment_id: 'order-1', payee_name: 'Café', cents: '7' });
  await us.post('/v1/events', onlyOurs);
  t.deepEqual(await idsOf(us, '/v1/events?q=order-1'), [onlyOurs.id, refund, payment]);
  t.deepEqual(await idsOf(them, '/v1/events?q=order-1'), [refund, payment]);
  t.deepEqual(await idsOf(them, '/v1/events?q=cafe'), [refund, payment]);
});

test('a source of another organization cannot be used, and answers as one that never was', async t => {
  const { us, them } = await twins(t);
  const { body: source } = await us.post('/v1/sources', { name: 'till', kind: 'other' });
  const sent = event();
  const errorOf = async (source_id: string) => (await them.post('/v1/events', { ...sent, source_id })).body.error;
  const foreign = await errorOf(source.id);
  t.is(foreign.details[0].code, 'unknown_source');
  t.deepEqual(foreign, await errorOf(newId('src')));
  t.is((await us.post('/v1/events', { ...sent, source_id: source.id })).status, 201);
  t.is((await us.get(`/v1/sources/${source.id}`)).body.state, 'active');
});

test('an action on an alert changes nothing at another organization', async t => {
  const { us, them, db } = await twins(t);
  const [[ours], [others]] = await Promise.all([idsOf(us, '/v1/alerts'), idsOf(them, '/v1/alerts')]);
  t.is((await them.post(`/v1/alerts/${ours}/actions`, { action: 'escalate' })).status, 404);
  t.is((await us.post(`/v1/alerts/${ours}/actions`, { action: 'escalate' })).status, 200);
  t.is((await them.get(`/v1/alerts/${others}`)).body.state, 'open');
  t.deepEqual((await them.get(`/v1/alerts/${others}`)).body.actions, []);
  // The agent has the id that both know it by: the case of one is still not the case of the other.
  t.is((await them.post(`/v1/alerts/${others}/actions`, { action: 'escalate' })).status, 200);
  const Count = z.object({ cases: z.number(), organizations: z.number() });
  const count = await db.one(
    sql.type(Count)`select count(*) as cases, count(distinct org_id) as organizations from cases`,
  );
  t.deepEqual(count, { cases: 2, organizations: 2 });
});
