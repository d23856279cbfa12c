import { once } from 'node:events';
import { request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import test from 'ava';
import Koa from 'koa';
import { createApp } from '#api/app.ts';
import { compression } from '#api/headers.ts';
import { createApiServices } from '#api/services.ts';
import { readConfig } from '#shared/settings/config.ts';
import { event } from '#test/helpers/make.ts';
import { wire } from '#test/helpers/wire.ts';
import { world } from '#test/helpers/world.ts';

const expected = {
  'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'strict-transport-security': null,
  'access-control-allow-origin': null,
  'x-powered-by': null,
  server: null,
};

test('every answer tells browsers to do nothing with it', async t => {
  const { as } = await world(t);
  for (const [what, method, path, status] of [
    ['a list', 'GET', '/v1/events', 200],
    ['an error', 'GET', '/v1/events/nothing', 404],
    ['an unknown path', 'GET', '/nothing', 404],
    ['a refused method', 'PUT', '/v1/events', 405],
    ['OPTIONS', 'OPTIONS', '/v1/events', 204],
    ['HEAD', 'HEAD', '/v1/events', 200],
    ['a probe', 'GET', '/livez', 200],
    ['a script of the reference', 'GET', '/docs/start.js', 200],
  ] as const) {
    const reply = await as.send(method, path, { headers: { origin: 'https://elsewhere.example.com' } });
    t.is(reply.status, status);
    for (const [name, value] of Object.entries(expected)) t.is(reply.headers.get(name), value, `${what}: ${name}`);
  }
});

test('a page may use scripts and styles of its own origin only', async t => {
  const { client } = await world(t);
  for (const path of ['/', '/docs']) {
    const { headers } = await client().get(path);
    t.deepEqual(
      headers.get('content-security-policy')?.split(';').toSorted(),
      [
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "script-src 'self'",
        "style-src 'self'",
      ],
      path,
    );
  }
});

test('browsers are told to stay with https where the service is reached through it, and nowhere else', async t => {
  const { client } = await world(t, { settings: { BASE_URL: 'https://oversight.example.com' } });
  t.is((await client().get('/livez')).headers.get('strict-transport-security'), 'max-age=31536000');
});

/** GET as the bytes on the wire say it; `accept` undefined sends no Accept-Encoding. */
async function getRaw(url: string, accept?: string, more: Record<string, string> = {}) {
  const sent = request(url, { headers: { ...more, ...(accept !== undefined && { 'accept-encoding': accept }) } }).end();
  const [answer] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) };
}

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

test('an answer is sent in the best coding that the client takes, or as it is', async t => {
  const { api } = await world(t);
  const { bytes: plain } = await getRaw(`${api.address}/v1/openapi.json`);
  for (const [accept, coding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['br;q=0.2, gzip;q=0.9', 'gzip'],
    ['*', 'gzip'],
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['zstd', undefined],
    ['gzip;q=0', undefined],
    ['identity;q=0', undefined],
    ['*;q=0', undefined],
    ['identity;q=0, zstd', undefined],
    ['gzip;q=none, ;;,=', undefined],
    ['__proto__', undefined],
  ] as const) {
    const { status, headers, bytes } = await getRaw(`${api.address}/v1/openapi.json`, accept);
    t.is(status, 200, accept);
    t.is(headers['content-encoding'], coding, accept);
    t.true(headers.vary.split(', ').includes('Accept-Encoding'));
    t.is(headers['transfer-encoding'], coding && 'chunked');
    t.is(headers['content-length'], coding ? undefined : String(plain.length));
    t.true((coding ? decoders[coding]?.(bytes) : bytes)?.equals(plain), accept);
  }
});

test('an answer that holds a secret is not compressed', async t => {
  const app = new Koa().use(compression()).use(ctx => {
    ctx['compress'] = ctx.path !== '/secret';
    ctx.body = { text: 'x'.repeat(5_000) };
  });
  const server = app.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const at = (path: string) => getRaw(`${addressOf(server)}${path}`, 'gzip');
  t.is((await at('/')).headers['content-encoding'], 'gzip');
  t.is((await at('/secret')).headers['content-encoding'], undefined);
});

test('a small answer is not compressed, and still varies', async t => {
  const { api } = await world(t);
  const { headers, bytes } = await getRaw(`${api.address}/livez`, 'gzip');
  t.is(headers['content-encoding'], undefined);
  t.is(headers['content-length'], String(bytes.length));
  t.is(headers.vary, 'Accept-Encoding');
});

test('a long error is compressed like any answer', async t => {
  const { api, full } = await world(t);
  const sent = request(`${api.address}/v1/sources`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${full.key}`,
      'content-type': 'application/json',
      'accept-encoding': 'gzip',
    },
  }).end(JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`unknown_${index}`, 1]))));
  const [answer] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  t.is(answer.statusCode, 400);
  t.is(answer.headers['content-encoding'], 'gzip');
  t.is(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()).request_id, answer.headers['request-id']);
});

test('HEAD and 304 say nothing of a body they do not send, and the connection carries the next request', async t => {
  const { api, as, full } = await world(t);
  for (let count = 0; count < 5; count += 1) await as.post('/v1/events', event());
  const ask = `Host: test\r\nAuthorization: Bearer ${full.key}\r\nAccept-Encoding: gzip\r\n`;
  const { send, next } = await wire(t, api.address);
  send(`HEAD /v1/events HTTP/1.1\r\n${ask}\r\n`);
  const head = await next({ head: true });
  t.is(head?.status, 200);
  t.is(head?.headers['content-encoding'], undefined);
  t.is(head?.headers['transfer-encoding'], undefined);
  send(`GET /v1/events HTTP/1.1\r\n${ask}If-None-Match: ${head?.headers['etag']}\r\n\r\n`);
  const unchanged = await next({ head: true });
  t.is(unchanged?.status, 304);
  for (const name of ['content-encoding', 'transfer-encoding', 'content-length', 'content-type'])
    t.is(unchanged?.headers[name], undefined, name);
  send(`OPTIONS /v1/events HTTP/1.1\r\n${ask}\r\n`);
  t.is((await next())?.status, 204);
  send(`GET /livez HTTP/1.1\r\n${ask}\r\n`);
  t.is((await next())?.body, '{"status":"ok"}');
});

test('an ETag holds for the answer whether it is compressed or not', async t => {
  const { api, as, full } = await world(t);
  for (let count = 0; count < 5; count += 1) await as.post('/v1/events', event());
  const credential = { authorization: `Bearer ${full.key}` };
  const small = await getRaw(`${api.address}/v1/events`, 'br', credential);
  const whole = await getRaw(`${api.address}/v1/events`, undefined, credential);
  t.is(small.headers['content-encoding'], 'br');
  t.true(small.headers.etag.startsWith('W/'));
  t.is(small.headers.etag, whole.headers.etag);
});

for (const [proxies, forwarded, expects] of [
  ['0', '203.0.113.7', '127.0.0.1'],
  ['1', undefined, '127.0.0.1'],
  ['1', '203.0.113.7', '203.0.113.7'],
  ['1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['2', '198.51.100.1, 203.0.113.7, 192.0.2.1', '203.0.113.7'],
] as const) {
  test(`behind ${proxies} proxies, X-Forwarded-For ${forwarded ?? 'left out'} means a client at ${expects}`, async t => {
    const { services, config } = await world(t, { settings: { TRUSTED_PROXIES: proxies } });
    const api = createApiServices({ ...services, config }, 'test');
    t.teardown(api.callers.close);
    const app = createApp(api, () => true);
    const seen: string[] = [];
    app.middleware.unshift(async (ctx, next) => {
      seen.push(ctx.ip);
      await next();
    });
    const server = app.listen(0, '127.0.0.1');
    t.teardown(() => server.close());
    await once(server, 'listening');
    await getRaw(`${addressOf(server)}/livez`, undefined, forwarded ? { 'x-forwarded-for': forwarded } : {});
    t.deepEqual(seen, [expects]);
  });
}

test('a number of proxies that is none is refused at the start', t => {
  const SECRET_KEY = Buffer.alloc(32).toString('base64');
  for (const TRUSTED_PROXIES of ['-1', '1.5', 'many', '11'])
    t.throws(() => readConfig({ SECRET_KEY, TRUSTED_PROXIES }), { message: /TRUSTED_PROXIES/ }, TRUSTED_PROXIES);
});
