import test from 'ava';
import { sql } from '#shared/platform/db.ts';
import { newId } from '#shared/interface/ids.ts';
import { nobody } from '#shared/screening/store/screening_query.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

type Row = { id: string } & Record<string, unknown>;

/** All rows of a list over pages of two. */
async function walk(as: Client, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await as.get(`${path}${path.includes('?') ? '&' : '?'}limit=2${cursor}`);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    rows.push(...body.data);
    if (body.next_cursor === null) return rows;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

const ranks = ['low', 'medium', 'high', 'critical'];
const rank = ({ severity, priority }: Row) => ranks.indexOf(String(severity ?? priority));
const fieldOf = (name: string) => (row: Row) => row[name] as string | number;

/** Rows by a value, then by id, as both sides of a direction have it. */
const sortedBy = (rows: Row[], value: (row: Row) => string | number) =>
  rows.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one !== other) return one < other ? -1 : 1;
    return a.id < b.id ? -1 : 1;
  });

const idsOf = (rows: Row[]) => rows.map(({ id }) => id);

test('alerts and incidents of any state are sorted from either end, page by page, also among what a filter leaves', async t => {
  const { as, db, tenant } = await world(t);
  const states = ['open', 'dismissed', 'acknowledged', 'resolved', 'escalated', 'open', 'open'];
  for (const [index, state] of states.entries()) {
    const at = Date.now() - index * HOUR;
    const id = newId('inc', at);
    await alert(db, tenant, { state, severity: ranks[index % 3] ?? 'low', incident_id: id, created_at: at });
    await db.query(sql.unsafe`
      update incidents set last_at = ${timestamp(at + (index % 4) * DAY)}, amount_usd_micro = ${index % 2 ? String(index) : null}::numeric * 10000000
      where org_id = ${tenant.org_id} and id = ${id}`);
    await db.query(sql.unsafe`
      update alerts set score = ${40 + (index % 3)} where org_id = ${tenant.org_id} and incident_id = ${id}`);
  }
  const orders: [path: string, sort: string, value: (row: Row) => string | number][] = [
    ['/v1/alerts', 'created_at', fieldOf('id')],
    ['/v1/alerts', 'severity', rank],
    ['/v1/alerts', 'score', fieldOf('score')],
    ['/v1/incidents', 'created_at', fieldOf('id')],
    ['/v1/incidents', 'severity', rank],
    ['/v1/incidents', 'amount', row => Number(row['amount_usd_minor'] ?? -1)],
    ['/v1/incidents', 'last_at', fieldOf('last_at')],
  ];
  for (const filter of ['', 'state=open', 'severity=medium'])
    for (const [path, sort, value] of orders) {
      const expected = idsOf(sortedBy((await as.get(`${path}?limit=200&${filter}`)).body.data, value));
      t.true(expected.length >= 2, `${path} ${filter}`);
      const query = `${path}?sort=${sort}${filter && `&${filter}`}`;
      t.deepEqual(idsOf(await walk(as, `${query}&direction=asc`)), expected, `${query} ascending`);
      t.deepEqual(idsOf(await walk(as, `${query}&direction=desc`)), expected.toReversed(), `${query} descending`);
      t.deepEqual(idsOf(await walk(as, query)), expected.toReversed(), query);
    }
  const urgent = idsOf(await walk(as, '/v1/incidents?sort=urgency'));
  t.deepEqual(idsOf(await walk(as, '/v1/incidents?sort=urgency&direction=asc')), urgent.toReversed());
});

test('agents, payees and owners are sorted by name and by when they were seen, from either end', async t => {
  let now = Date.now();
  const { as, analyze } = await world(t, { now: () => now });
  const names = ['zoe', 'Émile', 'adam', 'Bert', 'emil', 'Ｆrank', undefined];
  for (const [index, name] of names.entries()) {
    const events = Array.from({ length: 1 + (index % 3) }, () => {
      const more = {
        agent: { external_id: `agent-${index}`, name },
        owner: { external_id: `owner-${index}`, name },
      };
      return event({ payee: `domain:p${index}.example.com`, ...(name && { payee_name: name }), at: now, more });
    });
    t.is((await as.post('/v1/events', { events })).body.rejected, 0);
    // Two of an hour, then two of another.
    now += index % 2 ? HOUR : 1_000;
    await analyze();
  }
  const called = (row: Row) => row['name'] ?? row['external_id'] ?? row['key'];
  const byName = ['adam', 'agent-6', 'Bert', 'emil', 'Émile', 'Ｆrank', 'zoe'];
  t.deepEqual((await walk(as, '/v1/agents?sort=name')).map(called), byName);
  t.deepEqual((await walk(as, '/v1/agents?sort=name&direction=desc')).map(called), byName.toReversed());
  const owners = byName.map(name => (name === 'agent-6' ? 'owner-6' : name));
  t.deepEqual((await walk(as, '/v1/owners?sort=name')).map(called).toSorted(), owners.toSorted());
  t.deepEqual((await walk(as, '/v1/owners?sort=name&direction=desc')).map(called).at(-1), 'adam');
  t.deepEqual((await walk(as, '/v1/payees?sort=name')).map(called).slice(0, 3), [
    'adam',
    'Bert',
    'domain:p6.example.com',
  ]);
  t.deepEqual((await walk(as, '/v1/agents?sort=name&q=emil')).map(called), ['emil', 'Émile']);
  for (const [path, sort, filter] of [
    ['/v1/agents', 'first_seen_at', '&state=active'],
    ['/v1/payees', 'first_seen_at', '&q=example.com'],
    ['/v1/payees', 'first_seen_at', ''],
    ['/v1/owners', 'first_seen_at', ''],
  ]) {
    const expected = idsOf(sortedBy((await as.get(`${path}?limit=200${filter}`)).body.data, fieldOf(sort ?? '')));
    const query = `${path}?sort=${sort}${filter}`;
    t.deepEqual(idsOf(await walk(as, `${query}&direction=asc`)), expected, `${query} ascending`);
    t.deepEqual(idsOf(await walk(as, query)), expected.toReversed(), query);
  }
  const [first] = await walk(as, '/v1/agents?sort=name');
  t.deepEqual(first, (await as.get(`/v1/agents/${first?.id}`)).body, 'nothing is added by the order');
});

test('mandates are sorted by name and by when they expire, those that never do last', async t => {
  const { as, person } = await world(t);
  await as.post('/v1/events', event({ agent: 'one' }));
  const agent_id = (await as.get('/v1/agents')).body.data[0].id;
  const owner_id = (await as.get('/v1/owners')).body.data[0].id;
  const owner = await person('owner');
  const days: (number | null)[] = [3, null, 1, 2, null, 1];
  for (const [index, day] of days.entries()) {
    const valid_until = day === null ? null : timestamp(Date.now() + day * DAY);
    const name = ['b', 'C', 'a', 'B', 'Å', 'c'][index];
    const { status, body } = await owner.post('/v1/mandates', {
      agent_id,
      owner_id,
      name,
      valid_until,
      constraints: [],
    });
    t.is(status, 201, JSON.stringify(body));
  }
  const names = async (query: string) => (await walk(as, `/v1/mandates?${query}`)).map(({ name }) => String(name));
  const byName = await names('sort=name');
  t.deepEqual(
    byName.map(name => name.toLowerCase()),
    ['a', 'å', 'b', 'b', 'c', 'c'],
  );
  t.deepEqual(await names('sort=name&direction=desc'), byName.toReversed());
  const expiring = await names('sort=valid_until&state=active');
  t.deepEqual(expiring.slice(2, 4), ['B', 'b']);
  t.deepEqual(expiring.slice(4), ['C', 'Å']);
  t.deepEqual(await names('sort=valid_until&direction=desc'), expiring.toReversed());
  t.deepEqual(await names('direction=asc'), ['b', 'C', 'a', 'B', 'Å', 'c']);
  t.deepEqual(Object.keys((await walk(as, '/v1/mandates?sort=name'))[0] ?? {}).includes('sort_key'), false);
});

test('cases, screenings, packs, deliveries and the audit log are listed from either end', async t => {
  const { as, db, tenant, person } = await world(t);
  const owner = await person('owner');
  for (const [index, priority] of ['high', 'low', 'high', 'critical'].entries())
    t.is((await owner.post('/v1/cases', { title: `case ${index}`, priority })).status, 201);
  const sent = event({});
  await as.post('/v1/events', sent);
  const scope = { event_ids: [sent.id] };
  for (let made = 0; made < 3; made += 1)
    t.is((await owner.post('/v1/packs', { kind: 'evidence_pack', scope })).status, 202);
  for (let made = 0; made < 3; made += 1) {
    const id = newId('whd', Date.now() + made);
    await db.query(sql.unsafe`
      insert into webhook_deliveries (org_id, environment, id, endpoint_id, type, body, created_at, not_before, next_at)
      values (${tenant.org_id}, ${tenant.environment}, ${id}, ${newId('whe')}, 'pack.ready', '{}', now(), now(), now())`);
    await db.query(sql.unsafe`
      insert into screenings (org_id, environment, id, state, query, score, threshold, lists, created_at, updated_at)
      values (${tenant.org_id}, ${tenant.environment}, ${newId('scr', Date.now() + made)}, 'potential_match', ${JSON.stringify(nobody)}, ${[0.9, 0.95, 0.9][made] ?? 0}, 0.85, '[]',
        now(), now())`);
  }
  for (const path of [
    '/v1/packs?kind=evidence_pack',
    '/v1/webhook-deliveries?type=pack.ready',
    '/v1/screenings?state=potential_match',
    '/v1/cases?sort=created_at',
    '/v1/audit-log?action=case.created',
  ]) {
    const client = path.includes('audit') ? owner : as;
    const down = idsOf(await walk(client, path));
    t.true(down.length >= 3, path);
    t.deepEqual(down, down.toSorted().toReversed(), path);
    t.deepEqual(idsOf(await walk(client, `${path}&direction=asc`)), down.toReversed(), path);
  }
  const cases = sortedBy((await as.get('/v1/cases?limit=200')).body.data, rank);
  t.deepEqual(idsOf(await walk(as, '/v1/cases?sort=priority&direction=asc')), idsOf(cases));
  t.deepEqual(idsOf(await walk(as, '/v1/cases?sort=priority')), idsOf(cases).toReversed());
  const scores = await walk(as, '/v1/screenings?state=potential_match&sort=score&direction=asc');
  t.deepEqual(
    scores.map(({ score }) => score),
    [0.9, 0.9, 0.95],
  );
  t.is((await as.get('/v1/screenings?sort=score')).body.error.details[0].path, 'query.sort');
});
