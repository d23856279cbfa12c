import test, { type ExecutionContext } from 'ava';
import { ErrorBody } from '#shared/interface/schemas.ts';
import { contents } from '#test/helpers/contents.ts';
import { event } from '#test/helpers/make.ts';
import { wire, type WireAnswer } from '#test/helpers/wire.ts';
import { world } from '#test/helpers/world.ts';

/** Holds an answer against what every error promises. */
function checkError(t: ExecutionContext, answer: WireAnswer | null, status: number, what: string) {
  t.is(answer?.status, status, what);
  const body = ErrorBody.parse(JSON.parse(answer?.body ?? ''));
  t.is(body.request_id, answer?.headers['request-id'] ?? '', what);
  t.true(body.error.message.length > 10, what);
  t.is(answer?.headers['x-content-type-options'], 'nosniff', what);
  t.regex(answer?.headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'none'/, what);
}

const get = (...lines: string[]) => ['GET /v1/events HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n');

test('what is not HTTP gets a 400 in JSON, and the connection is closed', async t => {
  const { api, db } = await world(t, { own_database: true });
  const before = await contents(db);
  for (const garbage of [
    'hello\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    'GET\r\n\r\n',
    'GET ? HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /v1/events HTTP/9.9\r\n\r\n',
    'BREW /v1/events HTTP/1.1\r\nHost: x\r\n\r\n',
    'get /v1/events HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /v1/e vents HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /v1/events/\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '{"id":"evt_1"}\r\n\r\n',
    Buffer.from('1603010200010001fc0303', 'hex'),
    get('No colon'),
    get('Bad name: x'),
    get(': x'),
    get('A: b\0c'),
    get('Content-Length: abc'),
    get('Content-Length: -1'),
    get('Content-Length: 1, 2'),
    get('Content-Length: 1', 'Content-Length: 2'),
    get('Content-Length: 99999999999999999999999'),
    get('Content-Length: 3', 'Transfer-Encoding: chunked'),
    get('Transfer-Encoding: chunked, gzip'),
    get('Transfer-Encoding: gzip, chunked') + '0\r\n\r\n',
    get('Transfer-Encoding: x', 'Transfer-Encoding: chunked') +
      '0\r\n\r\nDELETE /v1/hidden HTTP/1.1\r\nHost: x\r\n\r\n',
    get('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') + '0\r\n\r\n',
    get('Transfer-Encoding: chunked') + 'zz\r\n',
  ]) {
    const connection = await wire(t, api.address);
    connection.send(garbage);
    checkError(t, await connection.next(), 400, JSON.stringify(garbage).slice(0, 80));
    t.is(await connection.next(), null);
  }
  t.is(await contents(db), before);
});

test('headers over 16 KB are 431 in JSON, be it one header, many, or the path', async t => {
  const { api } = await world(t);
  for (const head of [
    get(`Authorization: Bearer ${'x'.repeat(17_000)}`),
    get(...Array.from({ length: 400 }, (_, index) => `X-${index}: ${'y'.repeat(50)}`)),
    `GET /v1/events/${'z'.repeat(17_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ]) {
    const connection = await wire(t, api.address);
    connection.send(head);
    checkError(t, await connection.next(), 431, head.slice(0, 60));
    t.is(await connection.next(), null);
  }
});

test('HTTP/1.1 without a Host is 400; an expectation or upgrade that we do not know is ignored', async t => {
  const { api } = await world(t);
  const connection = await wire(t, api.address);
  connection.send('GET /livez HTTP/1.1\r\n\r\n');
  checkError(t, await connection.next(), 400, 'no Host');
  for (const line of [
    'Expect: a-miracle',
    'Expect: 100-continue',
    'Connection: Upgrade\r\nUpgrade: websocket',
    'TE: trailers',
  ])
    await t.notThrowsAsync(async () => {
      connection.send(`GET /livez HTTP/1.1\r\nHost: localhost\r\n${line}\r\n\r\n`);
      let answer = await connection.next();
      if (answer?.status === 100) answer = await connection.next();
      t.is(answer?.status, 200, line);
      t.regex(answer?.headers['request-id'] ?? '', /^req_/);
    });
});

test('odd paths and headers that are HTTP all the same get a precise answer', async t => {
  const { api, full } = await world(t);
  const connection = await wire(t, api.address);
  const credential = `Authorization: Bearer ${full.key}`;
  const asked: [string, number][] = [
    ['GET /v1/../v1/events', 404],
    ['GET //v1/events', 404],
    ['GET /v1//events', 404],
    ['GET /v1/events/', 200],
    ['GET /v1/events//', 404],
    ['GET /V1/events', 404],
    ['GET /v1/events%2f', 404],
    ['GET /v1%2fevents', 404],
    ['GET /v1\\events', 404],
    ['GET *', 404],
    ['OPTIONS *', 404],
    ['GET /v1/events#fragment', 200],
    ['GET http://elsewhere.example/v1/events', 200],
    ['GET http://[/v1/events', 400],
    ['GET /v1/events?', 200],
    ['GET /v1/events?&&', 200],
    ['GET /v1/events?%', 400],
    ['GET /v1/events?limit=1?limit=2', 400],
    ['PROPFIND /v1/events', 405],
    ['TRACE /v1/events', 405],
    ['PURGE /v1/nothing', 404],
  ];
  for (const [line, status] of asked) {
    connection.send(Buffer.from(`${line} HTTP/1.1\r\nHost: localhost\r\n${credential}\r\n\r\n`, 'latin1'));
    const answer = await connection.next();
    if (status >= 400) checkError(t, answer, status, line);
    else t.is(answer?.status, status, line);
  }
});

test('of two Authorization headers the first counts, and one with bytes beyond ASCII is 401', async t => {
  const { api, full } = await world(t);
  const connection = await wire(t, api.address);
  connection.send(get('Authorization: Bearer x', `Authorization: Bearer ${full.key}`));
  checkError(t, await connection.next(), 401, 'two');
  connection.send(Buffer.from(get('Authorization: Bearer hk_test_\u00e9\u00ff'), 'latin1'));
  checkError(t, await connection.next(), 401, 'Latin-1');
  connection.send(get(`Authorization: Bearer ${'x'.repeat(10_000)}`));
  checkError(t, await connection.next(), 401, 'long');
});

const post = (key: string, body: string) =>
  `POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

test('requests that come together are answered in their order; garbage after them is refused after their answers', async t => {
  const { api, full, as } = await world(t);
  const connection = await wire(t, api.address);
  const [first, second] = [event(), event()];
  connection.send(post(full.key, JSON.stringify(first)) + post(full.key, JSON.stringify(second)) + 'garbage\r\n\r\n');
  for (const { id } of [first, second]) {
    const answer = await connection.next();
    t.is(answer?.status, 201);
    t.is(JSON.parse(answer?.body ?? '').id, id);
  }
  checkError(t, await connection.next(), 400, 'garbage');
  t.is(await connection.next(), null);
  t.is((await as.get('/v1/events')).body.data.length, 2);
});

test('garbage on a connection that has been answered is refused too', async t => {
  const { api, full } = await world(t);
  const connection = await wire(t, api.address);
  connection.send(post(full.key, '{}'));
  checkError(t, await connection.next(), 400, 'not an event');
  connection.send('garbage\r\n\r\n');
  checkError(t, await connection.next(), 400, 'garbage');
  t.is(await connection.next(), null);
});

test('a request whose body turns to garbage has one answer', async t => {
  const { api, full, db } = await world(t, { own_database: true });
  const before = await contents(db);
  const head = (key: string) =>
    `POST /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
    'Transfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n';
  const reading = await wire(t, api.address);
  reading.send(head(full.key), 'garbage');
  checkError(t, await reading.next(), 400, 'while it is read');
  t.is(await reading.next(), null);
  const answered = await wire(t, api.address);
  answered.send(head('nobody'));
  checkError(t, await answered.next(), 401, 'answered before');
  answered.send('garbage');
  t.is(await answered.next(), null);
  t.is(await contents(db), before);
});
