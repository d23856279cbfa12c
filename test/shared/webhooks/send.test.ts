import { createServer } from 'node:net';
import { createServer as createHttpsServer } from 'node:https';
import test, { type ExecutionContext } from 'ava';
import { createSender, type SenderOptions } from '#shared/webhooks/send.ts';
import { selfSigned } from '#test/fixtures/self_signed.ts';
import { listening } from '#test/helpers/listening.ts';
import { receiver } from '#test/helpers/receiver.ts';
import { until } from '#test/helpers/until.ts';

const body = Buffer.from('{"type":"pack.ready"}');
const headers = { 'Content-Type': 'application/json' };
const post = (url: string, options: Partial<SenderOptions> = {}) =>
  createSender({ allow_private: true, https_only: false, timeout: 20_000, ...options })(url, headers, body);

test('any 2xx acknowledges, and the body arrives byte for byte', async t => {
  for (const status of [200, 201, 202, 204, 299]) {
    const { url, received } = await receiver(t, () => status);
    const attempt = await post(url);
    t.like(attempt, { outcome: 'delivered', status, error: null });
    t.deepEqual(
      received.map(request => request.body),
      [body],
    );
  }
});

test('500, 503, 429 fail and may be retried; 400, 404, 410 are refusals', async t => {
  for (const status of [500, 503, 429]) t.like(await answered(t, status), { outcome: 'failed', status });
  for (const status of [400, 401, 404, 410, 418]) t.like(await answered(t, status), { outcome: 'refused', status });
});

test('a redirect is a refusal and is not followed', async t => {
  const elsewhere = await receiver(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await receiver(t, () => response => response.writeHead(status, { location: elsewhere.url }).end());
    t.like(await post(url), { outcome: 'refused', status });
  }
  t.is(elsewhere.received.length, 0);
});

test('no answer in time is a failure, and the connection is closed', async t => {
  const { url, received, server } = await receiver(t, () => () => {});
  const attempt = await post(url, { timeout: 400 });
  t.like(attempt, { outcome: 'failed', status: null, error: 'no answer within 0.4 s', response: null });
  t.true(attempt.ms >= 395, String(attempt.ms));
  t.is(received.length, 1);
  await until(() => connections(server).then(count => count === 0));
  t.pass();
});

test('an endpoint that accepts no connection, or whose TLS handshake hangs, is given up in time', async t => {
  const silent = createServer(() => {});
  const attempt = await post(`https://127.0.0.1:${await listening(t, silent)}/`, { timeout: 400 });
  t.like(attempt, { outcome: 'failed', status: null, error: 'no answer within 0.4 s' });
  t.true(attempt.ms < 5_000, String(attempt.ms));
});

test('headers that come byte by byte do not stretch the time', async t => {
  const dripping = createServer(socket => {
    socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\nx-slow: ');
    const timer = setInterval(() => socket.write('x'), 50);
    socket.on('close', () => clearInterval(timer));
  });
  const attempt = await post(`http://127.0.0.1:${await listening(t, dripping)}/`, { timeout: 400 });
  t.like(attempt, { outcome: 'failed', status: null, error: 'no answer within 0.4 s' });
});

test('a body that drips does not undo the acknowledgement, nor hold the sender', async t => {
  const { url } = await receiver(t, () => response => {
    response.writeHead(200).write('first');
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const attempt = await post(url);
  t.like(attempt, { outcome: 'delivered', status: 200 });
  t.regex(attempt.response ?? '', /^first\.+$/);
  t.true(attempt.ms < 15_000, String(attempt.ms));
});

test('of a 10 MB answer, 4 KB are kept and the rest is not read', async t => {
  let whole = false;
  const { url } = await receiver(t, () => response => {
    response
      .on('finish', () => (whole = true))
      .writeHead(200)
      .end(Buffer.alloc(10_000_000, 'x'));
  });
  const attempt = await post(url);
  t.like(attempt, { outcome: 'delivered', response: 'x'.repeat(4_096) });
  t.false(whole);
});

test('an answer that is cut off counts by its status; a connection cut before it is a failure', async t => {
  const cut = await receiver(t, () => response => {
    response.writeHead(200, { 'content-length': 100 }).write('half');
    setTimeout(() => response.destroy(), 50);
  });
  t.like(await post(cut.url), { outcome: 'delivered', status: 200, response: 'half' });
  const closed = await receiver(t, () => response => void response.destroy());
  t.like(await post(closed.url), {
    outcome: 'failed',
    status: null,
    error: 'the connection was closed before an answer came',
  });
});

test('an answer is kept as text that the database takes', async t => {
  const odd = Buffer.concat([Buffer.from('a\0b\u{1f600}'), Buffer.of(0xff, 0xc3)]);
  const { url } = await receiver(t, () => response => response.writeHead(200).end(odd));
  const { response } = await post(url);
  t.is(response, 'ab\u{1f600}\ufffd');
  const emoji = await receiver(
    t,
    () => reply => reply.writeHead(200).end(Buffer.from(`x${'\u{1f600}'.repeat(2_000)}`)),
  );
  t.is((await post(emoji.url)).response, `x${'\u{1f600}'.repeat(1_023)}`, 'a character cut in two is left out');
});

test('what went wrong is said in words that quote neither the URL nor an address', async t => {
  const { port, server } = await receiver(t);
  server.close();
  const refused = await post(`http://127.0.0.1:${port}/path?token=hunter2`);
  t.like(refused, { outcome: 'failed', status: null, error: 'the connection was refused' });
  const noise = createServer(socket => void socket.on('error', () => {}).end('SSH-2.0-hunter2\r\n'));
  const other = await post(`http://127.0.0.1:${await listening(t, noise)}/`);
  t.is(other.outcome, 'failed');
  t.regex(other.error ?? '', /^the answer is not HTTP/);
  t.notRegex(JSON.stringify([refused, other]), /hunter2|127\.0\.0\.1/);
  t.like(await post('not a url'), { outcome: 'failed', status: null });
});

test('a private target is blocked, as an address and behind a name, and no connection is made', async t => {
  const { port, received } = await receiver(t);
  const guarded = { allow_private: false, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
  const targets = [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '[::1]',
    'localhost',
    '127.0.0.1.',
    'hook.example',
  ];
  for (const host of targets) {
    const attempt = await post(`http://${host}:${port}/`, guarded);
    t.like(attempt, { outcome: 'blocked', status: null, response: null }, host);
    t.regex(attempt.error ?? '', /not a public address|names a local host|does not resolve to a public address/, host);
  }
  t.is(received.length, 0);
});

test('a name that is public when checked and private a moment later gains nothing', async t => {
  const { port, received } = await receiver(t);
  const answers = [[{ address: '192.0.2.1', family: 4 }], [{ address: '127.0.0.1', family: 4 }]];
  const resolve = async () => answers.shift() ?? [{ address: '127.0.0.1', family: 4 }];
  const send = createSender({ allow_private: false, https_only: false, resolve });
  for (let turn = 0; turn < 3; turn++)
    t.is((await send(`http://flip.example:${port}/`, headers, body)).outcome, 'blocked');
  t.is(received.length, 0);
});

test('in production only https is sent to', async t => {
  const { url, received } = await receiver(t);
  t.like(await post(url, { https_only: true }), {
    outcome: 'blocked',
    error: 'only https targets are allowed in production',
  });
  t.is(received.length, 0);
});

test('a certificate that cannot be verified is a failure, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async t => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  t.teardown(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
  let requests = 0;
  const server = createHttpsServer(selfSigned, (_request, response) => {
    requests += 1;
    response.end();
  });
  server.on('tlsClientError', () => {});
  const attempt = await post(`https://127.0.0.1:${await listening(t, server)}/`);
  t.is(attempt.outcome, 'failed');
  t.regex(attempt.error ?? '', /TLS handshake or certificate/);
  t.is(requests, 0);
});

test('one endpoint that hangs does not hold up another on the same host', async t => {
  const { url } = await receiver(t, request => (request.url === '/hang' ? () => {} : 200));
  const send = createSender({ allow_private: true, https_only: false, timeout: 3_000 });
  const hanging = Array.from({ length: 50 }, () => send(url.replace('/hook', '/hang'), headers, body));
  const first = await Promise.race([send(url, headers, body), ...hanging]);
  t.is(first.outcome, 'delivered');
  t.true((await Promise.all(hanging)).every(({ outcome }) => outcome === 'failed'));
});

test('connections are kept and used again', async t => {
  const { url, server } = await receiver(t);
  let connected = 0;
  server.on('connection', () => (connected += 1));
  const send = createSender({ allow_private: true, https_only: false });
  for (let turn = 0; turn < 50; turn++) await send(url, headers, body);
  t.true(connected <= 2, `${connected} connections for 50 attempts`);
});

async function answered(t: ExecutionContext, status: number) {
  const { url } = await receiver(t, () => status);
  return post(url);
}

const connections = (server: { getConnections(done: (error: Error | null, count: number) => void): unknown }) =>
  new Promise<number>(resolve => server.getConnections((_error, count) => resolve(count)));
