import test from 'ava';
import type { Context } from 'koa';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { KNOWN, readRawBody } from '#api/json_body.ts';
import { contents } from '#test/helpers/contents.ts';
import type { Client } from '#test/helpers/client.ts';
import { event } from '#test/helpers/make.ts';
import { wire } from '#test/helpers/wire.ts';
import { world } from '#test/helpers/world.ts';

const LIMIT = 1_048_576;
const json = { 'content-type': 'application/json' };
const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

/** A sound event as a body of exactly this many bytes: JSON may be followed by blanks. */
const sized = (length: number) => new TextEncoder().encode(JSON.stringify(event()).padEnd(length));

const send = (as: Client, encoding: string, body: Uint8Array) =>
  as.send('POST', '/v1/events', { body: new Uint8Array(body), headers: { ...json, 'content-encoding': encoding } });

test('a body of exactly 1 MB is taken and one byte more is not, plain or compressed', async t => {
  const { as } = await world(t);
  for (const [encoding, encode] of [['identity', (plain: Uint8Array) => plain], ...Object.entries(encoders)] as const) {
    t.is((await send(as, encoding, encode(sized(LIMIT)))).status, 201, encoding);
    const over = await send(as, encoding, encode(sized(LIMIT + 1)));
    t.is(over.status, 413, encoding);
    t.is(over.body.error.code, 'payload_too_large');
  }
  t.is((await as.get('/v1/events')).body.data.length, 4);
});

test('Content-Encoding is read in any case, and its absence is identity', async t => {
  const { as } = await world(t);
  t.is((await send(as, 'GZIP', gzipSync(JSON.stringify(event())))).status, 201);
  t.is((await send(as, ' br ', brotliCompressSync(JSON.stringify(event())))).status, 201);
  t.is((await as.post('/v1/events', event())).status, 201);
  for (const type of [
    'application/json; charset=UTF-8',
    'APPLICATION/JSON;charset="utf-8"',
    'application/cloudevents+json',
  ])
    t.is((await as.post('/v1/events', event(), { 'content-type': type })).status, 201, type);
});

test('a Content-Encoding that is unknown is 415 and names those that are known', async t => {
  const { as, db } = await world(t, { own_database: true });
  const before = await contents(db);
  for (const encoding of [
    'zstd',
    'compress',
    'x-gzip',
    'gzip, gzip',
    'gzip, identity',
    '*',
    'constructor',
    'toString',
    '__proto__',
    'é',
  ]) {
    const { status, headers } = await send(as, encoding, gzipSync(JSON.stringify(event())));
    t.is(status, 415, encoding);
    t.is(headers.get('accept-encoding'), 'gzip, deflate, br');
  }
  t.is(await contents(db), before);
});

test('a compressed body that is damaged, cut or not compressed is 400', async t => {
  const { as, db } = await world(t, { own_database: true });
  const before = await contents(db);
  const plain = Buffer.from(JSON.stringify(event()).padEnd(100_000, ' x'));
  for (const [encoding, encode] of Object.entries(encoders)) {
    const whole: Buffer = encode(plain);
    const flipped = Buffer.from(whole);
    flipped.fill(0xff, flipped.length >> 1);
    const damaged = [
      plain,
      whole.subarray(0, -5),
      whole.subarray(0, 12),
      whole.subarray(3),
      flipped,
      encode(whole),
      Buffer.alloc(9),
    ];
    for (const [index, body] of damaged.entries()) {
      const reply = await send(as, encoding, body);
      t.is(reply.status, 400, `${encoding} ${index}`);
      t.is(reply.body.error.code, 'invalid_request');
    }
    t.is((await send(as, encoding, new Uint8Array())).status, 400, `${encoding} of nothing`);
  }
  t.is((await send(as, 'deflate', deflateRawSync(plain))).status, 400);
  t.is(await contents(db), before);
});

test('a body that unpacks to 50 MB is refused, also when many come at once', async t => {
  const { as, db } = await world(t, { own_database: true });
  const before = await contents(db);
  const bombs = Object.entries(encoders).map(
    ([encoding, encode]) => [encoding, encode(Buffer.alloc(50_000_000, ' '))] as const,
  );
  const replies = await Promise.all(
    bombs.flatMap(([encoding, bomb]) => Array.from({ length: 5 }, () => send(as, encoding, bomb))),
  );
  t.deepEqual(
    replies.map(({ status }) => status),
    replies.map(() => 413),
  );
  t.is(await contents(db), before);
});

const head = (key: string, ...more: string[]) =>
  [
    'POST /v1/events HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...more,
    '',
    '',
  ].join('\r\n');
const chunk = (bytes: Uint8Array) => [`${bytes.length.toString(16)}\r\n`, bytes, '\r\n'];

test('a body over the limit that is sent in pieces is refused, and the connection carries the next request', async t => {
  const { api, full } = await world(t);
  const piece = chunk(Buffer.alloc(65_536, ' '));
  for (const encoding of ['identity', 'gzip', 'br']) {
    const connection = await wire(t, api.address);
    connection.send(head(full.key, 'Transfer-Encoding: chunked', `Content-Encoding: ${encoding}`));
    if (encoding === 'identity') connection.send(...Array.from({ length: 40 }, () => piece).flat());
    else {
      const bomb =
        encoding === 'gzip'
          ? gzipSync(Buffer.alloc(3_000_000, 'x'), { level: 0 })
          : brotliCompressSync(Buffer.alloc(50_000_000));
      connection.send(...chunk(bomb));
    }
    connection.send('0\r\n\r\n');
    t.is((await connection.next())?.status, 413, encoding);
    const next = JSON.stringify(event());
    connection.send(head(full.key, `Content-Length: ${next.length}`), next);
    t.is((await connection.next())?.status, 201, encoding);
  }
});

test('a body in pieces that stays under the limit is taken', async t => {
  const { api, full } = await world(t);
  const connection = await wire(t, api.address);
  connection.send(head(full.key, 'Transfer-Encoding: chunked'));
  for (const letter of JSON.stringify(event())) connection.send(...chunk(Buffer.from(letter)));
  connection.send('0\r\n\r\n');
  t.is((await connection.next())?.status, 201);
});

test('clients that leave in the middle of a body, and damage beyond the limit, leave the service as it was', async t => {
  const { api, full, as, db } = await world(t, { own_database: true });
  const before = await contents(db);
  const random = gzipSync(Buffer.alloc(3_000_000, 'ab'), { level: 0 });
  const damaged = Array.from({ length: 40 }, (_, step) => Buffer.from(random).fill(0xff, LIMIT + step * 3_000));
  for (const [encoding, body] of [['identity', random] as const, ...damaged.map(body => ['gzip', body] as const)]) {
    const connection = await wire(t, api.address);
    connection.send(head(full.key, `Content-Length: ${body.length + 1}`, `Content-Encoding: ${encoding}`), body);
    const status = (await connection.next())?.status;
    t.true(status === 413 || status === 400, `${encoding} ${status}`);
    connection.socket.resetAndDestroy();
  }
  const early = await wire(t, api.address);
  early.send(head(full.key, 'Content-Length: 1000', 'Content-Encoding: gzip'), gzipSync('{"id":').subarray(0, 12));
  early.socket.resetAndDestroy();
  t.is((await as.get('/v1/events')).status, 200);
  t.is(await contents(db), before);
});

test('a body whose client left before it was read is not waited for', async t => {
  const req = Object.assign(Readable.from(['{}']), { headers: {} });
  req.destroy();
  const hold = { take() {}, release() {} };
  const turn = { begin: async () => {}, end() {} };
  await t.throwsAsync(readRawBody({ req } as unknown as Context, { body: hold, turn, bounds: KNOWN }), {
    message: 'The body ended before it was complete.',
  });
});

test('a body on a request that takes none is dropped, and the connection carries the next request', async t => {
  const { api, full } = await world(t);
  const connection = await wire(t, api.address);
  const get = (body: string) =>
    `GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${full.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  connection.send(get('{"broken'), get('x'.repeat(2_000_000)), get(''));
  for (let answer = 0; answer < 3; answer += 1) t.is((await connection.next())?.status, 200);
});

test('a request that is refused for its head gets its answer, and its long body is dropped', async t => {
  const { api, full } = await world(t);
  const connection = await wire(t, api.address);
  const body = Buffer.alloc(3_000_000, ' ');
  const length = `Content-Length: ${body.length}`;
  connection.send(
    head('nonsense', length),
    body,
    head(full.key, length, 'Content-Encoding: zstd'),
    body,
    head(full.key, length),
    body,
  );
  for (const status of [401, 415, 413]) t.is((await connection.next())?.status, status);
});
