import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { Route } from '#api/route.ts';
import { startApi } from '#api/server.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client, Reply } from '#test/helpers/client.ts';
import { idFor, inhabit } from '#test/helpers/inhabit.ts';
import { event, type EventOptions } from '#test/helpers/make.ts';
import { guarded, nameOf, pathOf } from '#test/helpers/routes.ts';
import { turnOf } from '#test/helpers/runs.ts';
import { world } from '#test/helpers/world.ts';

const lists = guarded.filter(({ query }) => query && 'cursor' in query.shape);

type Query = Record<string, string>;

/** The ids on all pages of a list; `between` happens before every page but the first. */
async function walk(client: Client, path: string, query: Query, between = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    if (cursor) await between();
    const asked = new URLSearchParams({ ...query, ...(cursor && { cursor }) });
    const { status, body }: Reply = await client.get(`${path}?${asked}`);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor;
  }
  return ids;
}

const Row = z.object({
  id: z.string(),
  occurred_at: z.string(),
  agent_id: z.string(),
  owner_id: z.string(),
  payee_id: z.string(),
  rail: z.string(),
  status: z.string(),
  payee_key: z.string(),
  payment_id: z.string(),
  type: z.string(),
  received_at: z.string(),
});
type Row = z.infer<typeof Row>;

const readLog = (db: Db) =>
  db.any(sql.type(Row)`
    select e.id, e.occurred_at, e.agent_id, e.owner_id, e.payee_id, e.rail, e.status, e.payment_id, e.type, e.received_at,
      p.key as payee_key
    from events e join payees p on p.org_id = e.org_id and p.environment = e.environment and p.id = e.payee_id
    order by e.chain_seq desc`);

/** Each filter as it is asked for, to find events like this one; and the same said in JavaScript. */
const filters: Record<string, (like: Row) => [value: string, holds: (row: Row) => boolean]> = {
  agent_id: like => [like.agent_id, row => row.agent_id === like.agent_id],
  owner_id: like => [like.owner_id, row => row.owner_id === like.owner_id],
  payee_id: like => [like.payee_id, row => row.payee_id === like.payee_id],
  rail: like => [like.rail, row => row.rail === like.rail],
  status: like => [like.status, row => row.status === like.status],
  payee_key: like => [like.payee_key.toUpperCase(), row => row.payee_key === like.payee_key],
  payment_id: like => [like.payment_id, row => row.payment_id === like.payment_id],
  type: like => [like.type, row => row.type === like.type],
  received_from: like => [like.received_at, row => row.received_at >= like.received_at],
  received_to: like => [like.received_at, row => row.received_at < like.received_at],
  from: like => [like.occurred_at, row => row.occurred_at >= like.occurred_at],
  to: like => [like.occurred_at, row => row.occurred_at < like.occurred_at],
  q: like => [like.payee_key.slice(-15).toUpperCase(), row => row.payee_key.endsWith(like.payee_key.slice(-15))],
};

const now = Date.now();
const anEvent = fc.record({
  agent: fc.constantFrom('a', 'b', 'c'),
  rail: fc.constantFrom('card', 'sepa'),
  type: fc.constantFrom('payment.settled', 'payment.failed', 'payment.refunded'),
  payee: fc.constantFrom('domain:one.example.com', 'domain:two.example.com', 'domain:three.example.com'),
  at: fc.integer({ min: 1, max: 20 }).map(minutes => now - minutes * 60_000),
});
const send = (as: Client, options: EventOptions[]) => as.post('/v1/events', { events: options.map(event) });

test('the pages of a listing make up the list as it was at its start, whatever arrives meanwhile', async t => {
  const { as, db } = await world(t, { own_database: true });
  await send(as, fc.sample(anEvent, { numRuns: 60, seed: 7 }));
  const listing = fc.record({
    names: fc.subarray(Object.keys(filters), { maxLength: 3 }),
    like: fc.nat(59),
    limit: fc.integer({ min: 1, max: 25 }),
    arriving: fc.array(fc.array(anEvent, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
  });
  const property = fc.asyncProperty(listing, async ({ names, like, limit, arriving }) => {
    const log = await readLog(db);
    const sample = Row.parse(log[like]);
    const asked = names.map(name => [name, ...(filters[name]?.(sample) ?? ['', () => true])] as const);
    const query = Object.fromEntries(asked.map(([name, value]) => [name, value]));
    const batches = [...arriving];
    const pages = await walk(as, '/v1/events', { ...query, limit: String(limit) }, async () => {
      const batch = batches.pop();
      if (batch) t.is((await send(as, batch)).body.accepted, batch.length);
    });
    const expected = log.filter(row => asked.every(([, , holds]) => holds(row))).map(({ id }) => id);
    t.deepEqual(pages, expected, JSON.stringify(query));
  });
  await fc.assert(property, { seed: 11, numRuns: 40 });
});

test('alerts and sources are listed page by page too, while new ones arrive', async t => {
  const { as, db, tenant } = await world(t, { own_database: true });
  const makers: [string, Query, () => Promise<string>][] = [
    ['/v1/alerts', { severity: 'high' }, () => alert(db, tenant, { severity: 'high' })],
    ['/v1/sources', {}, async () => (await as.post('/v1/sources', { name: 'till', kind: 'other' })).body.id],
  ];
  for (const [path, query, make] of makers) {
    for (let made = 0; made < 12; made += 1) await make();
    await alert(db, tenant, { severity: 'low' });
    const before = await walk(as, path, { ...query, limit: '200' });
    const pages = await walk(as, path, { ...query, limit: '5' }, async () => void (await make()));
    t.deepEqual(pages, before, path);
    t.deepEqual(before, before.toSorted().toReversed(), path);
  }
});

/** A world with two of everything that is listed, and a cursor of each list. */
async function begun(t: ExecutionContext) {
  const here = await world(t, { own_database: true });
  const { as, db, tenant, analyze } = here;
  await inhabit(here);
  const { clientOf, ids, owner } = await inhabit(here);
  await here.session(owner.user.id, undefined, true);
  const mandate = ids.find(id => id.startsWith('mnd_'));
  t.is((await owner.patch(`/v1/mandates/${mandate}`, { name: 'changed' })).status, 200);
  // The name of the example is taken by now.
  t.is((await owner.post('/v1/saved-views', { page: '/events', name: 'another', query: '' })).status, 201);
  await send(as, fc.sample(anEvent, { numRuns: 3, seed: 3 }));
  await as.post('/v1/events', event({ more: { owner: { external_id: 'another' } }, agent: 'another' }));
  for (const _ of ['first', 'second']) await as.post('/v1/events', event({ more: { mandate_id: mandate } }));
  await analyze();
  await alert(db, tenant);
  const sound = (route: Route) => pathOf(route, idFor(route, ids));
  const cursorOf = async (route: Route): Promise<string> =>
    (await clientOf(route).get(`${sound(route)}?limit=1`)).body.next_cursor;
  return { ...here, clientOf, sound, cursorOf };
}

test('every list refuses a cursor that was changed, cut, made up, or given by another list', async t => {
  const { clientOf, sound, cursorOf } = await begun(t);
  const cursors = new Map<Route, string>();
  for (const route of lists) cursors.set(route, await cursorOf(route));
  for (const [index, [route, cursor]] of [...cursors].entries()) {
    const client = clientOf(route);
    const path = sound(route);
    t.is(typeof cursor, 'string', `${nameOf(route)} has a second page`);
    t.is((await client.get(`${path}?cursor=${cursor}`)).status, 200);
    t.is((await client.get(`${path}?limit=2&cursor=${cursor}`)).status, 200, 'the size of a page may change');
    const changed = turnOf([...cursor].keys().toArray(), index, 8).map(
      at => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    );
    const others = [...cursors].flatMap(([other, given]) => (other === route ? [] : [given]));
    const made = [16, 17, 20, 40].map(bytes => randomBytes(bytes).toString('base64url'));
    const odd = [
      '',
      ' ',
      'null',
      '0',
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}%0A`,
      'x'.repeat(501),
    ];
    for (const bad of [...changed, ...turnOf(others, index, 6), ...made, ...odd]) {
      const { status, body } = await client.get(`${path}?cursor=${bad}`);
      t.is(status, 400, `${nameOf(route)} ${bad}`);
      t.is(body.error.details[0].path, 'query.cursor');
    }
  }
});

const limits = ['0', '201', '1.5', 'abc', '', '050', '-1', '+1', '1e2', '0x10', '%201', '１', '99999999999999999999'];

test('every list refuses a limit that is not a whole number from 1 to 200', async t => {
  const { clientOf, sound } = await begun(t);
  for (const [index, route] of lists.entries()) {
    const client = clientOf(route);
    const path = sound(route);
    for (const limit of turnOf(limits, index, 3)) {
      const { status, body } = await client.get(`${path}?limit=${limit}`);
      t.is(status, 400, `${nameOf(route)} ${limit}`);
      t.is(body.error.details[0].path, 'query.limit');
    }
    for (const limit of ['1', '200']) t.is((await client.get(`${path}?limit=${limit}`)).status, 200);
  }
});

test('a cursor is good for the filters it was given with, on every server that has the secret key, and on no other', async t => {
  const { as, services, config, client, full } = await begun(t);
  const { body } = await as.get('/v1/events?limit=1&from=2020-01-01T00:00:00Z');
  const cursor: string = body.next_cursor;
  for (const filters of [
    '',
    'from=2020-01-01T00:00:01Z&',
    'from=2020-01-01T00:00:00Z&rail=card&',
    'to=2020-01-01T00:00:00Z&',
  ])
    t.is((await as.get(`/v1/events?${filters}cursor=${cursor}`)).status, 400, filters);
  const again = `/v1/events?limit=2&cursor=${cursor}&from=2020-01-01T01:00:00%2B01:00`;
  t.is((await as.get(again)).status, 200, 'the same moment, written differently');
  const another = randomBytes(32);
  for (const [keys, status] of [
    [config.secret_key, 200],
    [[another, ...config.secret_key], 200],
    [[another], 400],
  ] as const) {
    const other = await startApi({ ...services, config: { ...config, secret_key: keys } });
    t.teardown(other.stop);
    t.is((await client(full.key, other.address).get(again)).status, status);
  }
});

test('the default page has 50 items', async t => {
  const { as } = await world(t, { own_database: true });
  await send(as, fc.sample(anEvent, { numRuns: 51, seed: 5 }));
  const { body } = await as.get('/v1/events');
  t.is(body.data.length, 50);
  t.is(typeof body.next_cursor, 'string');
  t.is((await as.get('/v1/events?limit=51')).body.next_cursor, null);
});
