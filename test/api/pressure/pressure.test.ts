import { once } from 'node:events';
import promises, { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { asOwnerOf } from '#test/helpers/owner.ts';
import { event } from '#test/helpers/make.ts';
import { until } from '#test/helpers/until.ts';
import { wire } from '#test/helpers/wire.ts';
import { world } from '#test/helpers/world.ts';

const batch = (size: number) => ({ events: Array.from({ length: size }, () => event()) });

test('a log that is too far ahead of its analysis is refused with 429, another is not, and after its analysis it is taken again', async t => {
  const w = await world(t, { settings: { BACKPRESSURE: 'behind=1' } });
  const neighbor = w.client((await w.key((await w.organization('Globex')).id)).key);
  const first = await w.as.post('/v1/events', batch(1_000));
  t.is(first.headers.get('ratelimit'), null, 'an idle service says nothing of it');
  const second = await w.as.post('/v1/events', batch(1_000));
  t.is(second.status, 200);
  t.regex(second.headers.get('ratelimit-policy') ?? '', /^"analysis";q=\d+;w=1;qu="events"$/);
  t.regex(second.headers.get('ratelimit') ?? '', /^"analysis";r=\d+;t=\d+$/);

  const refused = await w.as.send('POST', '/v1/events', { body: 'not JSON' });
  t.is(refused.status, 429);
  t.is(refused.body.error.code, 'rate_limited');
  t.regex(refused.body.error.message, /^Your log is 1 second ahead of its analysis\./);
  const wait = refused.headers.get('retry-after');
  t.true(Number(wait) >= 1 && Number(wait) <= 60);
  t.is(refused.headers.get('ratelimit'), `"analysis";r=0;t=${wait}`);
  t.is((await w.as.post('/v1/events/validate', event())).status, 200);
  t.is((await w.as.get('/v1/events')).status, 200);
  t.is((await w.client().get('/readyz')).status, 200);
  t.is((await w.client().post('/v1/events', event())).status, 401);
  t.is((await (await w.withScopes('events:read')).post('/v1/events', event())).status, 403);
  const beside = await neighbor.post('/v1/events', event());
  t.is(beside.status, 201);
  t.is(beside.headers.get('ratelimit'), null);

  await w.analyze();
  await until(async () => (await w.as.post('/v1/events', event())).status === 201);
  t.regex(await w.services.metrics.registry.metrics(), /requests_refused_total\{reason="analysis"\} [1-9]/);
});

test('both limits stand in the headers where there are two', async t => {
  const { as } = await world(t, { settings: { BACKPRESSURE: 'behind=1', RATE_LIMITS: 'write=9/min' } });
  await as.post('/v1/events', batch(1_000));
  const { headers } = await as.post('/v1/events', event());
  t.regex(headers.get('ratelimit-policy') ?? '', /^"write";q=9;w=60, "analysis";q=\d+;w=1;qu="events"$/);
  t.regex(headers.get('ratelimit') ?? '', /^"write";r=7;t=\d+, "analysis";r=\d+;t=\d+$/);
});

test.serial(
  'with too little room on the disk events are refused with 503 before anything is written; the rest goes on',
  async t => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'oversight-disk-'));
    t.teardown(() => rm(DATA_DIR, { recursive: true, force: true }));
    const disk = { bavail: 10, blocks: 1_000, bsize: 1_048_576 };
    const { statfs } = promises;
    t.teardown(() => replaceStatfs(statfs));
    replaceStatfs(async (folder: string) => (folder.startsWith(DATA_DIR) ? disk : statfs(folder)));
    const clock = { at: Date.now() };
    const w = await world(t, { settings: { DATA_DIR }, now: () => clock.at });
    const refused = await w.as.post('/v1/events', event());
    t.deepEqual([refused.status, refused.body.error.code], [503, 'unavailable']);
    t.is(refused.headers.get('retry-after'), '60');
    t.deepEqual((await w.as.get('/v1/events')).body.data, []);
    t.is((await w.as.post('/v1/sources', { name: 'till', kind: 'other' })).status, 201);
    t.is((await w.client().get('/readyz')).status, 200);
    disk.bavail = 500;
    clock.at += 5_000;
    t.is((await w.as.post('/v1/events', event())).status, 201);
  },
);

/** Lets the file system say what a test needs: no test can fill a disk. */
function replaceStatfs(statfs: unknown) {
  Object.assign(promises, { statfs });
  syncBuiltinESMExports();
}

test('a database whose disk is full answers 503 and when to try again', async t => {
  const w = await world(t, { own_database: true });
  await asOwnerOf(
    w.database,
    `create function full_disk() returns trigger language plpgsql as $$ begin
       raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
     end $$`,
    'create trigger full_disk before insert on events for each statement execute function full_disk()',
  );
  const { status, headers, body } = await w.as.post('/v1/events', event());
  t.is(status, 503);
  t.is(body.error.code, 'unavailable');
  t.is(headers.get('retry-after'), '1');
  await asOwnerOf(w.database, 'drop trigger full_disk on events');
  t.is((await w.as.post('/v1/events', event())).status, 201);
});

test('more bodies than a process takes are refused with 503, those of another organization are not, and later there is room', async t => {
  const w = await world(t, { settings: { BACKPRESSURE: 'bodies=2' } });
  const neighbor = w.client((await w.key((await w.organization('Globex')).id)).key);
  const body = Buffer.from(JSON.stringify(event()).padEnd(1_000_000));
  const head = `POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${w.full.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  t.is((await w.as.send('POST', '/v1/events/validate', large(body))).status, 200);
  const [slow, second] = [await wire(t, w.api.address), await wire(t, w.api.address)];
  slow.send(head, body.subarray(0, -1_000));
  // Server and client are one process: after so many answers the server has read what was sent before.
  for (let turn = 0; turn < 50; turn += 1) await w.as.get('/v1/events');
  t.is((await w.as.send('POST', '/v1/events/validate', large(body))).status, 503);
  second.send(head, body);
  const refused = await second.next();
  t.is(refused?.status, 503);
  t.is(refused?.headers['retry-after'], '1');
  t.is((await neighbor.post('/v1/events', event())).status, 201);
  slow.send(body.subarray(-1_000));
  t.is((await slow.next())?.status, 201);
  t.is((await w.as.send('POST', '/v1/events/validate', large(body))).status, 200);
  t.is((await w.as.get('/v1/events')).body.data.length, 1);
});

const large = (body: Buffer) => ({ body: body.toString(), headers: { 'content-type': 'application/json' } });

test('who leaves answers unread is refused more with 503 while another organization is answered, and has room again once they are read', async t => {
  const w = await world(t, { settings: { BACKPRESSURE: 'bodies=1' } });
  const neighbor = w.client((await w.key((await w.organization('Globex')).id)).key);
  t.is((await w.as.post('/v1/events', batch(200))).status, 200);
  const asking = `GET /v1/events?limit=200 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${w.full.key}\r\n\r\n`;
  const silent = await Promise.all(Array.from({ length: 5 }, () => wire(t, w.api.address)));
  for (const { socket } of silent) socket.pause();
  let refused = await w.as.get('/v1/events?limit=200');
  await until(async () => {
    // What the operating system takes is read as far as the service knows.
    for (const each of silent) each.send(asking);
    refused = await w.as.get('/v1/events?limit=200');
    return refused.status !== 200;
  });
  t.deepEqual([refused.status, refused.headers.get('retry-after'), refused.headers.get('etag')], [503, '1', null]);
  t.is((await neighbor.get('/v1/events')).status, 200);
  for (const { socket } of silent) socket.destroy();
  await until(async () => (await w.as.get('/v1/events?limit=200')).status === 200);
});

test('answers for clients that have left before they are made take no room', async t => {
  const w = await world(t, { settings: { BACKPRESSURE: 'bodies=1' } });
  t.is((await w.as.post('/v1/events', batch(200))).status, 200);
  const leaving = await Promise.all(Array.from({ length: 30 }, () => wire(t, w.api.address)));
  for (const { socket, send } of leaving) {
    send(`GET /v1/events?limit=200 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${w.full.key}\r\n\r\n`);
    // The server has read that when it hears that nobody is there any more.
    socket.end(() => socket.destroy());
  }
  // Server and client are one process: after so many answers the server is through with the others.
  for (let turn = 0; turn < 50; turn += 1) await w.as.get('/v1/events?limit=1');
  t.is((await w.as.get('/v1/events?limit=200')).status, 200);
});

test('bodies that are announced and do not come take no room from those that do', async t => {
  const w = await world(t, { settings: { BACKPRESSURE: 'bodies=1' } });
  const idle = await Promise.all(
    Array.from({ length: 12 }, () => {
      const socket = connect(w.api.port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      socket.on('error', () => {});
      socket.write(
        'POST /v1/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{"email":',
      );
      return once(socket, 'connect');
    }),
  );
  t.is(idle.length, 12);
  for (let turn = 0; turn < 5; turn += 1) t.is((await w.as.post('/v1/events', batch(100))).status, 200);
});
