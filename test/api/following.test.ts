import test from 'ava';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const seqs = (body: { data: { chain_seq: number }[] }) => body.data.map(({ chain_seq }) => chain_seq);
const send = (as: Client, ...more: Parameters<typeof event>[0][]) => as.post('/v1/events', { events: more.map(event) });
/** Sees to it that a request has been asked and waits: what is asked after it on the same server has been answered. */
const begun = async (as: Client, promise: Promise<unknown>) => {
  void promise;
  for (let asked = 0; asked < 3; asked += 1) await as.get('/v1/events?limit=1');
};

test('who follows the log reads it oldest first from a position on, page by page, without a gap', async t => {
  const { as } = await world(t);
  await send(as, {}, {}, {}, {}, {});
  const { body: page } = await as.get('/v1/events?after_seq=1&limit=3');
  t.deepEqual(seqs(page), [2, 3, 4]);
  const next = `/v1/events?after_seq=1&limit=3&cursor=${page.next_cursor}`;
  const { body: last } = await as.get(next);
  t.deepEqual(seqs(last), [5]);
  t.is(last.next_cursor, null);
  await send(as, {});
  t.deepEqual(seqs((await as.get(next)).body), [5, 6]);
  t.deepEqual(seqs((await as.get(`${next}&wait=30`)).body), [5, 6], 'a cursor is as good for who waits');
  t.deepEqual(seqs((await as.get('/v1/events?after_seq=6')).body), []);
  t.is((await as.get(`/v1/events?after_seq=2&cursor=${page.next_cursor}`)).status, 400);
});

test('filters hold for who follows the log, and a result of verification is not passed over before it is there', async t => {
  const { as, analyze } = await world(t);
  await send(as, { rail: 'card' }, { rail: 'sepa' }, { rail: 'card', type: 'payment.failed' });
  t.deepEqual(seqs((await as.get('/v1/events?after_seq=0&rail=card')).body), [1, 3]);
  t.deepEqual(seqs((await as.get('/v1/events?after_seq=0&q=example&type=payment.failed')).body), [3]);
  t.deepEqual(seqs((await as.get('/v1/events?after_seq=0&verification=none')).body), []);
  await analyze();
  t.deepEqual(seqs((await as.get('/v1/events?after_seq=0&verification=none')).body), [1, 2, 3]);
});

test('an empty page is held back until an event arrives that belongs on it', async t => {
  const { as, startServer, client, full } = await world(t);
  await send(as, {});
  const started = performance.now();
  const waits = as.get('/v1/events?after_seq=1&rail=sepa&wait=30');
  await begun(as, waits);
  const other = client(full.key, (await startServer()).address);
  await send(other, { rail: 'card' });
  await send(other, { rail: 'sepa' });
  const { status, body } = await waits;
  t.is(status, 200);
  t.deepEqual(seqs(body), [3]);
  t.true(performance.now() - started < 15_000);
});

test('when the time is over the page is answered as it is, and its ETag says whether anything is new', async t => {
  const { as } = await world(t);
  await send(as, {});
  const path = '/v1/events?after_seq=1&wait=1';
  const { status, body, headers } = await as.get(path);
  t.is(status, 200);
  t.deepEqual(body, { data: [], next_cursor: null });
  const etag = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
  t.is((await as.send('GET', path, etag)).status, 304);
  await send(as, {});
  const again = await as.send('GET', path, etag);
  t.is(again.status, 200);
  t.deepEqual(seqs(again.body), [2]);
});

test('only who follows the log can wait, and for half a minute at most', async t => {
  const { as } = await world(t);
  for (const [query, name] of [
    ['wait=1', 'wait'],
    ['after_seq=0&wait=31', 'wait'],
    ['after_seq=0&wait=1.5', 'wait'],
    ['after_seq=-1', 'after_seq'],
    ['after_seq=1e3', 'after_seq'],
    ['after_seq=9999999999999999', 'after_seq'],
  ]) {
    const { status, body } = await as.get(`/v1/events?${query}`);
    t.is(status, 400, query);
    t.is(body.error.details[0].path, `query.${name}`);
  }
  t.is((await as.get('/v1/events?wait=0')).status, 200);
  t.deepEqual((await as.get('/v1/events?after_seq=999999999999999')).body.data, []);
});

test('a request that waits is answered when the service stops', async t => {
  const { client, full, startServer } = await world(t);
  const server = await startServer();
  const as = client(full.key, server.address);
  const started = performance.now();
  const waits = as.get('/v1/events?after_seq=0&wait=30');
  await begun(as, waits);
  await server.stop();
  const { status, body } = await waits;
  t.is(status, 200);
  t.deepEqual(body.data, []);
  t.true(performance.now() - started < 10_000);
});

test('who waits with a key that is revoked meanwhile is told nothing that came in since', async t => {
  const { as, client, person } = await world(t);
  const developer = await person('developer');
  const { body: made } = await developer.post('/v1/api-keys', { name: 'reader', env: 'test', scopes: ['events:read'] });
  const waits = client(made.key).get('/v1/events?after_seq=0&wait=30');
  await begun(as, waits);
  t.is((await developer.delete(`/v1/api-keys/${made.id}`)).status, 200);
  await send(as, {});
  t.is((await waits).status, 401);
});
