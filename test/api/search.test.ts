import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

type Group = { kind: string; results: { id: string; title: string }[] };

/** The ids that are found, by kind. */
async function found(client: Client, q: string): Promise<Record<string, string[]>> {
  const { status, body } = await client.get(`/v1/search?q=${encodeURIComponent(q)}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return Object.fromEntries(body.groups.map(({ kind, results }: Group) => [kind, results.map(({ id }) => id)]));
}

test('a payment is found by its amount, order, card, position in the log and ids', async t => {
  const { as } = await world(t);
  const dinner = event({
    cents: '3577',
    payment_id: 'pay_dinner',
    payee: 'domain:bistro.example.com',
    payee_name: 'Café Bistro',
    more: { instrument: { type: 'card', id: 'card_7Q', last4: '4242' }, metadata: { order_id: 'PO-2041' } },
  });
  const other = event({ cents: '3578' });
  const euros = event({ cents: '3577', currency: 'EUR' });
  await as.post('/v1/events', { events: [dinner, other, euros] });
  for (const q of [
    '$35.77',
    '35.77 USD',
    'PO-2041',
    '#PO-2041',
    '4242',
    '•••• 4242',
    'card 4242',
    'card_7Q',
    '#1',
    'pay_dinner',
  ])
    t.deepEqual((await found(as, q))['event'], [dinner.id], q);
  t.deepEqual((await found(as, dinner.id.toLowerCase()))['event'], [dinner.id]);
  t.deepEqual((await found(as, '35.77'))['event'], [euros.id, dinner.id], 'newest first');
  t.deepEqual(await found(as, '35.79'), {});
  const { body } = await as.get('/v1/search?q=PO-2041');
  t.like(body.groups[0].results[0], {
    title: 'Café Bistro',
    detail: 'pay_dinner',
    state: 'settled',
    chain_seq: 1,
    amount: { value: '3577', unit: 'minor', currency: 'USD' },
  });
});

test('an incident is found by what its payments come to in dollars', async t => {
  const { as, db, tenant } = await world(t);
  const [dear, cheap] = [newId('inc'), newId('inc')];
  for (const [incident_id, micro] of [
    [dear, '1366918000'],
    [cheap, '5000000'],
  ] as const) {
    await alert(db, tenant, { incident_id, title: `Paid $1,366.92 and more` });
    await db.query(sql.unsafe`
      update incidents set amount_usd_micro = ${micro}::numeric where org_id = ${tenant.org_id} and id = ${incident_id}`);
  }
  for (const q of ['1366.92', '$1366.92', 'USD 1366.92']) t.deepEqual((await found(as, q))['incident'], [dear], q);
  t.deepEqual((await found(as, '$1,366.92'))['incident']?.toSorted(), [dear, cheap].toSorted(), 'by title too, once');
  for (const q of ['5', '$5', '5.00']) t.deepEqual((await found(as, q))['incident'], [cheap], q);
  t.deepEqual((await found(as, '€1366.92'))['incident'], undefined);
});

test('a payment of many events is answered once, by its latest', async t => {
  const { as } = await world(t);
  const reports = ['payment.authorized', 'payment.settled', 'payment.disputed'].map(type =>
    event({ type, payment_id: 'pay_1', cents: '990' }),
  );
  await as.post('/v1/events', { events: reports });
  t.deepEqual((await found(as, '$9.90'))['event'], [reports[2]?.id]);
  t.deepEqual((await found(as, String(reports[0]?.id)))['event'], [reports[0]?.id]);
});

test('agents, owners, payees and records are found by part of a name, and every record by its id', async t => {
  const { as, db, tenant, person, user } = await withPeople(t);
  const sent = event({
    agent: 'northwind-buyer',
    payee_name: 'Über Müller GmbH',
    more: { owner: { external_id: 'acct-77', name: 'Northwind Traders' } },
  });
  await as.post('/v1/events', sent);
  const { agent_id, owner_id, payee_id } = (await as.get(`/v1/events/${sent.id}`)).body;
  t.like(await found(as, 'NORTHWIND'), { owner: [owner_id] });
  t.like(await found(as, 'northwind-buyer'), { agent: [agent_id] });
  t.like(await found(as, 'uber mull'), { payee: [payee_id] });
  t.like(await found(as, 'acct-77'), { owner: [owner_id] });
  t.deepEqual(await found(as, '100%_'), {});
  const alert_id = await alert(db, tenant, { title: 'Paid twice in a minute' });
  const { body: opened } = await as.post('/v1/cases', { title: 'Refund of Müller' });
  const session = await person('developer');
  t.like(await found(session, 'twice in'), { alert: [alert_id] });
  t.like(await found(session, 'refund of'), { case: [opened.id] });
  for (const [id, kind] of [
    [agent_id, 'agent'],
    [owner_id, 'owner'],
    [payee_id, 'payee'],
    [alert_id, 'alert'],
    [opened.id, 'case'],
    [user.id, 'member'],
  ])
    t.deepEqual(await found(session, id), { [kind]: [id] }, kind);
  t.deepEqual(await found(session, newId('scr')), {});
});

test('a key finds only the kinds that it may list, and nothing of another organization', async t => {
  const { as, key, client, tenant, organization, db } = await world(t);
  const sent = event({ cents: '123456' });
  await as.post('/v1/events', sent);
  const { agent_id } = (await as.get(`/v1/events/${sent.id}`)).body;
  const alert_id = await alert(db, tenant, { title: 'Over the budget' });
  const reader = client((await key(tenant.org_id, ['agents:read'])).key);
  t.deepEqual(Object.keys(await found(reader, agent_id)), ['agent']);
  for (const q of [sent.id, '1,234.56', alert_id, 'Over the budget']) t.deepEqual(await found(reader, q), {}, q);
  t.is((await client((await key(tenant.org_id, ['events:write'])).key).get('/v1/search?q=abc')).status, 403);
  const rival = client((await key((await organization('Rival')).id)).key);
  for (const q of [sent.id, agent_id, alert_id, '1234.56', '#1', 'shop.example', 'Over the'])
    t.deepEqual(await found(rival, q), {}, q);
});

test('a search without text is refused, and any text is answered', async t => {
  const { as } = await world(t);
  for (const q of ['', '%20', 'x'.repeat(201)]) t.is((await as.get(`/v1/search?q=${q}`)).status, 400, q);
  t.is((await as.get('/v1/search')).status, 400);
  for (const q of ['%', '_', "'", '\\', '"', '$', '#', '999999999999999', '1'.repeat(200), '(', '́', '💳', 'evt_', 'a'])
    t.is((await as.get(`/v1/search?q=${encodeURIComponent(q)}`)).status, 200, q);
});

async function withPeople(t: Parameters<typeof world>[0]) {
  const here = await world(t);
  const { user } = await here.person('owner');
  return { ...here, user };
}

test('nobody finds by search what they may not read: roles of members, exports of the audit log', async t => {
  const { person, withScopes } = await world(t);
  const [owner, developer] = [await person('owner'), await person('developer')];
  const rolesFor = async (who: Client) =>
    (await who.get('/v1/search?q=example.com')).body.groups
      .find(({ kind }: { kind: string }) => kind === 'member')
      .results.map(({ state }: { state: string | null }) => state);
  t.deepEqual((await rolesFor(owner)).toSorted(), ['developer', 'owner']);
  t.deepEqual(await rolesFor(developer), [null, null]);
  const cases = await withScopes('cases:read', 'cases:write');
  t.deepEqual(await rolesFor(cases), [null, null]);
  const { id: audit } = (await owner.post('/v1/exports', { kind: 'audit', format: 'ndjson' })).body;
  const { id: events } = (await owner.post('/v1/exports', { kind: 'events', format: 'csv' })).body;
  const readers: [Client, string[]][] = [
    [owner, [audit, events]],
    [developer, [events]],
    [cases, []],
  ];
  for (const [who, ids] of readers)
    for (const id of [audit, events]) {
      const isFound = (await found(who, id))['export'] !== undefined;
      t.is(isFound, ids.includes(id));
      t.is(isFound, (await who.get(`/v1/exports/${id}`)).status === 200);
    }
});
