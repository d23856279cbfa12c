import test from 'ava';
import { sweepRecentSpend } from '#shared/detection/sweeps/recent_spend.ts';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const namesOf = async (client: Client, query = '') =>
  (await client.get(`/v1/agents?limit=200${query}`)).body.data.map(
    (agent: { external_id: string | null; id: string }) => agent.external_id ?? agent.id,
  );
const idOf = async (client: Client, name: string): Promise<string> =>
  (await client.get(`/v1/agents?q=${name}`)).body.data[0].id;

test('an agent is registered by its first event, and counted once that is analyzed', async t => {
  const w = await world(t);
  const described = { external_id: 'shopper', name: 'Shopping agent', framework: 'langgraph', model: 'm-1' };
  await w.as.post('/v1/events', event({ cents: '1999', more: { agent: described } }));
  const [fresh] = (await w.as.get('/v1/agents')).body.data;
  t.like(fresh, {
    ...described,
    labels: [],
    state: 'active',
    event_count: 0,
    spend_usd_minor_30d: '0',
    open_alerts: 0,
  });
  t.is(fresh.last_seen_at, fresh.first_seen_at);
  await w.as.post('/v1/events', event({ cents: '1', more: { agent: described } }));
  await w.analyze();
  const path = `/v1/agents/${fresh.id}`;
  const { body } = await w.as.get(path.toLowerCase());
  t.like(body, { id: fresh.id, event_count: 2, spend_usd_minor_30d: '2000', owner_id: fresh.owner_id });
  const received = (await w.as.get('/v1/events')).body.data[0].received_at;
  t.is(body.last_seen_at, received);
  t.deepEqual((await w.as.get('/v1/agents')).body.data, [body]);
  t.is((await w.as.get(`/v1/agents/${newId('agt')}`)).status, 404);
  await w.as.post('/v1/events', event({ more: { agent: { ...described, name: 'Renamed' } } }));
  t.is((await w.as.get(path)).body.name, 'Renamed');
});

test('spend is that of the last 30 days (UTC) in cents, rounded half up', async t => {
  const today = Math.floor(Date.now() / DAY) * DAY;
  let now = today + 12 * HOUR;
  const w = await world(t, { now: () => now });
  const micro = (value: string, at: number) => {
    const sent = event({ at, agent: 'micro', rail: 'x402' });
    const asset = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
    Object.assign(sent['payment'] as object, { amount: { value, unit: 'atomic', asset } });
    return sent;
  };
  await w.as.post('/v1/events', { events: [micro('900000', today - 30 * DAY), micro('4999', today - 29 * DAY)] });
  await w.analyze();
  const spend = async () => (await w.as.get('/v1/agents')).body.data[0].spend_usd_minor_30d;
  t.is(await spend(), '0');
  await w.as.post('/v1/events', micro('1', today + HOUR));
  await w.analyze();
  t.is(await spend(), '1', '$0.005 is a cent');
  now += DAY;
  t.is(await spend(), '0', 'of which $0.004999 was paid 30 days ago');
});

test('open alerts are those not yet resolved or dismissed', async t => {
  const w = await world(t);
  await w.as.post('/v1/events', event());
  const [{ id: agent_id }] = (await w.as.get('/v1/agents')).body.data;
  for (const state of ['open', 'acknowledged', 'escalated', 'resolved', 'dismissed'])
    await alert(w.db, w.tenant, { agent_id, state, subject: state });
  t.is((await w.as.get(`/v1/agents/${agent_id}`)).body.open_alerts, 3);
});

test('agents are listed newest first by arrival, whatever ids their clients made, and each once over the pages', async t => {
  let now = Date.now();
  const w = await world(t, { now: () => now });
  // The older an id says to be, the later it arrives; three arrive together.
  const ids = [5, 4, 3, 3, 3, 2, 1].map((age, n) => newId('agt', now - age * DAY - n));
  for (const batch of [ids.slice(0, 2), ids.slice(2, 5), ids.slice(5)].map(batch => batch.toReversed())) {
    const events = batch.map(agent_id => event({ more: { agent: undefined, agent_id } }));
    await w.as.post('/v1/events', { events });
    now += 1_000;
  }
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await w.as.get(`/v1/agents?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
  }
  const byId = (list: string[]) => list.toSorted().toReversed();
  t.deepEqual(seen, [ids.slice(5), ids.slice(2, 5), ids.slice(0, 2)].flatMap(byId));
});

/** The names of all agents by spend, over pages of two. */
async function bySpend(client: Client): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await client.get(`/v1/agents?sort=spend&limit=2${cursor && `&cursor=${cursor}`}`);
    names.push(...body.data.map((agent: { external_id: string }) => agent.external_id));
    cursor = body.next_cursor;
  }
  return names;
}

test('by spend, those who spent the most in the last 30 days come first, each once over the pages', async t => {
  const today = Math.floor(Date.now() / DAY) * DAY;
  let now = today + 12 * HOUR;
  const w = await world(t, { now: () => now });
  const pay = (agent: string, cents: string, at = today, more = {}) => event({ agent, cents, at, ...more });
  await w.as.post('/v1/events', {
    events: [
      ...['a', 'b', 'c'].map(agent => pay(agent, '300')),
      pay('old', '900', today - 29 * DAY),
      pay('older', '5000', today - 30 * DAY),
      pay('first', '700'),
      pay('none', '100', today, { type: 'payment.failed', status: 'failed' }),
    ],
  });
  await w.analyze();
  const [old, first, ...equal] = await bySpend(w.as);
  t.deepEqual([old, first, ...equal.toSorted()], ['old', 'first', 'a', 'b', 'c']);
  t.deepEqual(await namesOf(w.as, '&sort=spend&q=first'), ['first']);
  t.deepEqual((await namesOf(w.as, '&sort=first_seen_at')).length, 7);
  const [top] = (await w.as.get('/v1/agents?sort=spend')).body.data;
  t.deepEqual((await w.as.get(`/v1/agents/${top.id}`)).body, top);

  await w.as.post('/v1/events', pay('b', '601', now - HOUR));
  await w.analyze();
  t.deepEqual((await bySpend(w.as)).slice(0, 3), ['b', 'old', 'first']);
  now += DAY;
  const etag = (await w.as.get('/v1/agents?sort=spend')).headers.get('etag');
  await sweepRecentSpend(w.services);
  t.deepEqual((await bySpend(w.as)).slice(0, 2), ['b', 'first'], 'what was paid 30 days ago is no part of it');
  t.not((await w.as.get('/v1/agents?sort=spend')).headers.get('etag'), etag);
});

test('what agents spend by day falls out of their order once a day, part by part, whoever is killed on the way', async t => {
  let now = Math.floor(Date.now() / DAY) * DAY;
  const w = await world(t, { now: () => now });
  const names = Array.from({ length: 250 }, (_, n) => `agent-${n}`);
  await w.as.post('/v1/events', {
    events: names.map((agent, n) => event({ agent, cents: String(100 + n), at: now - 29 * DAY })),
  });
  await w.analyze();
  const spenders = async () => (await namesOf(w.as, '&sort=spend')).length;
  t.is(await spenders(), 200);
  now += DAY;
  const killed = new AbortController();
  const transaction: typeof w.db.transaction = async (...given) =>
    w.db.transaction(...given).finally(() => killed.abort());
  await sweepRecentSpend({ ...w.services, db: { ...w.db, transaction } }, killed.signal);
  t.is(await spenders(), 50);
  await Promise.all([sweepRecentSpend(w.services), sweepRecentSpend(w.services)]);
  t.is(await spenders(), 0);
  // Whatever is wrong is made anew on the next day.
  await w.db.query(sql.unsafe`update agent_totals set spend_usd_micro = 1`);
  now += DAY;
  await sweepRecentSpend(w.services);
  t.is(await spenders(), 0);
});

test('agents are found by owner, by label, and by part of a name or an exact id', async t => {
  const w = await world(t);
  const from = (owner: string, external_id: string, name?: string) =>
    event({ more: { owner: { external_id: owner }, agent: { external_id, name } } });
  await w.as.post('/v1/events', {
    events: [from('o-1', 'a', 'Réservation 100%'), from('o-1', 'b', 'Reserve_2'), from('o-2', 'c-3')],
  });
  const [c, , a] = (await w.as.get('/v1/agents')).body.data;
  t.deepEqual(await namesOf(w.as, `&owner_id=${a.owner_id}`), ['b', 'a']);
  t.deepEqual(await namesOf(w.as, `&owner_id=${newId('own')}`), []);
  t.deepEqual(await namesOf(w.as, '&q=reserv'), ['b', 'a']);
  t.deepEqual(await namesOf(w.as, `&q=${encodeURIComponent('0%')}`), ['a']);
  t.deepEqual(await namesOf(w.as, '&q=ve_2'), ['b']);
  t.deepEqual(await namesOf(w.as, '&q=c-3'), ['c-3']);
  t.deepEqual(await namesOf(w.as, `&q=${c.id.toLowerCase()}`), ['c-3']);
  t.deepEqual(await namesOf(w.as, `&q=${encodeURIComponent('\u0301\u0301')}`), []);
  const person = await w.person('developer');
  await person.post(`/v1/agents/${a.id}/labels`, { add: ['travel'] });
  await person.post(`/v1/agents/${c.id}/labels`, { add: ['travel', 'trial'] });
  t.deepEqual(await namesOf(w.as, '&label=travel'), ['c-3', 'a']);
  t.deepEqual(await namesOf(w.as, `&label=travel&owner_id=${a.owner_id}`), ['a']);
  t.deepEqual(await namesOf(w.as, '&label=tra'), []);
});

test('an agent is dormant when nothing of it was received for 30 days', async t => {
  let now = Date.now();
  const w = await world(t, { now: () => now });
  await w.as.post('/v1/events', { events: [event({ agent: 'quiet' }), event({ agent: 'never-analyzed' })] });
  await w.analyze({ limit: 1 });
  await w.db.query(
    sql.unsafe`
      delete from agent_totals t using agents a
      where t.org_id = ${w.tenant.org_id} and a.org_id = ${w.tenant.org_id} and a.id = t.agent_id and a.external_id = 'never-analyzed'`,
  );
  t.deepEqual(await namesOf(w.as, '&state=dormant'), []);
  now += 31 * DAY;
  t.deepEqual((await namesOf(w.as, '&state=dormant')).toSorted(), ['never-analyzed', 'quiet']);
  t.deepEqual(await namesOf(w.as, '&state=active'), []);
  t.is((await w.as.get('/v1/agents')).body.data[0].state, 'dormant');
  // The log takes its times from the database's clock.
  await w.db.query(sql.unsafe`update agent_totals set last_seen_at = ${new Date(now - 29 * DAY).toISOString()}`);
  now += HOUR;
  t.deepEqual(await namesOf(w.as, '&state=active'), ['quiet']);
  t.is((await w.as.get(`/v1/agents/${await idOf(w.as, 'quiet')}`)).body.state, 'active');
});

test('a query that is not sound is refused', async t => {
  const { as } = await world(t);
  for (const query of [
    'state=asleep',
    'label=Nope',
    'label=',
    'q=x',
    'owner_id=agt_1',
    'page=2',
    `q=${'x'.repeat(201)}`,
  ])
    t.is((await as.get(`/v1/agents?${query}`)).status, 400, query);
});

test('an agent falls dormant on the hour, when its ETag changes', async t => {
  let now = Date.parse('2026-11-20T10:10:00.000Z');
  const w = await world(t, { now: () => now });
  await w.as.post('/v1/events', event({ at: now }));
  const [{ id }] = (await w.as.get('/v1/agents')).body.data;
  const state = async () => (await w.as.get(`/v1/agents/${id}`)).body.state;
  for (const [minutes, expected] of [
    [-5, 'active'],
    [5, 'active'],
    [50, 'dormant'],
  ] as const) {
    now = Date.parse('2026-12-20T10:10:00.000Z') + minutes * MINUTE;
    t.is(await state(), expected, `${minutes}`);
  }
});
