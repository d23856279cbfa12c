import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { moveVersions, readVersions } from '#shared/interface/versions.ts';
import { alert } from '#test/helpers/alert.ts';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { guarded, nameOf } from '#test/helpers/routes.ts';
import { world } from '#test/helpers/world.ts';

const poll = (client: Client, path: string, etag: string | null) =>
  client.send('GET', path, { headers: { 'if-none-match': etag ?? '' } });

test('every GET of records and lists says of what its ETag is made', t => {
  for (const route of guarded.filter(({ method }) => method === 'get')) t.truthy(route.version, nameOf(route));
  for (const route of guarded.filter(({ method }) => method !== 'get')) t.is(route.version, undefined, nameOf(route));
});

test('an unchanged list answers 304 without a body, with its ETag and Request-Id', async t => {
  const { as } = await world(t);
  await as.post('/v1/events', event());
  const { headers } = await as.get('/v1/events');
  const etag = headers.get('etag');
  t.regex(etag ?? '', /^W\/"[\w-]{22}"$/);
  t.is(headers.get('cache-control'), 'private, no-cache');
  for (const name of ['Authorization', 'Cookie']) t.true(headers.get('vary')?.includes(name));
  const again = await poll(as, '/v1/events', etag);
  t.is(again.status, 304);
  t.is(again.body, '');
  t.is(again.headers.get('etag'), etag);
  t.truthy(again.headers.get('request-id'));
});

for (const reader of ['key', 'session'] as const)
  test(`the ETag that a ${reader} is given moves when events arrive, and again when they have been analyzed`, async t => {
    const { as, analyze, person } = await world(t);
    const { get } = reader === 'key' ? as : await person('owner');
    const tags: (string | null)[] = [];
    const look = async () => tags.push((await get('/v1/events')).headers.get('etag'));
    await look();
    const sent = event();
    await as.post('/v1/events', sent);
    await look();
    t.is((await get(`/v1/events/${sent.id}`)).body.analyzed_at, null);
    await analyze();
    await look();
    t.is(new Set(tags).size, 3);
    await look();
    t.is(tags[3], tags[2]);
    t.not((await get(`/v1/events/${sent.id}`)).body.analyzed_at, null);
  });

test('304 is decided before the list is asked for', async t => {
  const { as, db, tenant } = await world(t, { own_database: true });
  await as.post('/v1/events', event());
  await alert(db, tenant);
  const etag = (await as.get('/v1/alerts')).headers.get('etag');
  // Nobody can read the table now: whoever asks it waits until the end.
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const holding = db.transaction(async tx => {
    await tx.query(sql.unsafe`lock table alerts in access exclusive mode`);
    lock();
    await done;
  });
  await locked;
  t.is((await poll(as, '/v1/alerts', etag)).status, 304);
  finish();
  await holding;
});

test('the ETag of one list, page, organization or person is not that of another', async t => {
  const { as, key, client, organization, tenant, withScopes } = await world(t);
  for (const path of ['/v1/events', '/v1/sources']) await as.get(path);
  const rival = client((await key((await organization('Rival')).id)).key);
  const tags: (string | null)[] = [];
  for (const path of ['/v1/events', '/v1/events?limit=1', '/v1/events?rail=card', '/v1/sources'])
    tags.push((await as.get(path)).headers.get('etag'));
  tags.push((await rival.get('/v1/events')).headers.get('etag'));
  t.is(new Set(tags).size, 5);
  const colleague = await withScopes('events:read');
  t.is((await poll(colleague, '/v1/events', tags[0] ?? '')).status, 304, 'the same answer, the same ETag');
  t.truthy(tenant);
});

test('who polls at the same moment is told of their own organization, and whoever has just written sees it', async t => {
  const { as, key, client, organization, person } = await world(t);
  const rival = await organization('Rival');
  const theirs = client((await key(rival.id)).key);
  const [ada, eve] = [await person('owner'), await person('owner', { of: rival.id })];
  await as.post('/v1/events', event());
  for (let round = 0; round < 20; round += 1) {
    const tag = (await as.get('/v1/events')).headers.get('etag');
    const crowd = [as, ada, theirs, eve].flatMap(reader =>
      Array.from({ length: 5 }, () => reader.send('GET', '/v1/events')),
    );
    await as.post('/v1/events', event());
    const [mine, adas] = await Promise.all([poll(as, '/v1/events', tag), poll(ada, '/v1/events', tag)]);
    t.deepEqual([mine.status, adas.status], [200, 200]);
    const counts = (await Promise.all(crowd)).map(({ body }) => body.data.length);
    t.true(counts.slice(0, 10).every(count => count === Math.min(50, round + 1) || count === Math.min(50, round + 2)));
    t.true(counts.slice(10).every(count => count === 0));
  }
});

test('If-None-Match is read as a list, weak or strong; a star or nonsense asks for the answer', async t => {
  const { as } = await world(t);
  const etag = (await as.get('/v1/sources')).headers.get('etag') ?? '';
  for (const header of [etag, etag.slice(2), `"x", ${etag}`, `W/"y",${etag} , "z"`])
    t.is((await poll(as, '/v1/sources', header)).status, 304, header);
  for (const header of ['*', '""', 'x', etag.slice(0, -2), ',,,', '"é"'])
    t.is((await poll(as, '/v1/sources', header)).status, 200, header);
});

test('an ETag is no way around a bad query, a missing record, or a missing permission', async t => {
  const { as, withScopes } = await world(t);
  const etag = (await as.get('/v1/sources')).headers.get('etag');
  t.is((await poll(as, '/v1/sources?limit=0', etag)).status, 400);
  t.is((await poll(as, '/v1/sources?cursor=x', etag)).status, 400);
  t.is((await poll(as, '/v1/sources/src_01ARZ3NDEKTSV4RRFFQ69G5FAV', etag)).status, 404);
  t.is((await poll(await withScopes('cases:read'), '/v1/sources', etag)).status, 403);
  const missing = await as.get('/v1/sources/src_01ARZ3NDEKTSV4RRFFQ69G5FAV');
  t.is(missing.headers.get('etag'), null);
});

test('counters move with the transaction that changes something, or not at all', async t => {
  const { db, tenant } = await world(t);
  const versions = () => readVersions(db, tenant, ['cases', 'alerts']);
  const before = await versions();
  await t.throwsAsync(
    db.transaction(async tx => {
      await moveVersions(tx, tenant, ['cases']);
      throw new Error('undone');
    }),
  );
  t.is(await versions(), before);
  await moveVersions(db, tenant, ['cases', 'cases']);
  await moveVersions(db, tenant, ['alerts', 'cases']);
  t.is(await versions(), 'cases 2 alerts 1');
});

test('counters are read before a log has begun', async t => {
  const { db, tenant } = await world(t);
  const elsewhere = { ...tenant, environment: 'production' };
  await moveVersions(db, elsewhere, ['cases']);
  t.is(await readVersions(db, elsewhere, ['cases', 'log', 'analysis']), 'cases 1 log 0 analysis 0');
});

test('two changes that move the same counters do not wait for each other in a circle', async t => {
  const { db, tenant } = await world(t, { own_database: true });
  const rounds = Array.from({ length: 40 }, (_, index) =>
    db.transaction(tx =>
      moveVersions(tx, tenant, index % 2 ? ['alerts', 'cases', 'keys'] : ['keys', 'cases', 'alerts']),
    ),
  );
  await Promise.all(rounds);
  const total = await db.oneFirst(
    sql.type(z.object({ total: z.number() }))`select sum(version)::int as total from versions`,
  );
  t.is(total, 120);
});
