import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { routes } from '#api/routes/index.ts';
import { startApi } from '#api/server.ts';
import { startMetricsServer } from '#shared/running/metrics_server.ts';
import { isForPeople } from '#test/helpers/inhabit.ts';
import { event } from '#test/helpers/make.ts';
import { guarded, nameOf, neededQuery, pathOf } from '#test/helpers/routes.ts';
import { wire } from '#test/helpers/wire.ts';
import { world } from '#test/helpers/world.ts';

test('every answer has a Request-Id of its own, whatever it answers', async t => {
  const { api, full } = await world(t);
  const sent = event();
  const asked: [string, string, RequestInit?][] = [
    ['POST', '/v1/events', { body: JSON.stringify(sent), headers: { 'content-type': 'application/json' } }],
    ['GET', '/v1/events'],
    ['HEAD', '/v1/events'],
    ['OPTIONS', '/v1/events'],
    ['PUT', '/v1/events'],
    ['GET', '/v1/events/nothing'],
    ['GET', '/'],
    ['HEAD', '/nothing'],
    ['OPTIONS', '/nothing'],
    ['GET', '/livez'],
    ['HEAD', '/readyz'],
    ['POST', '/readyz'],
    ['GET', '/metrics'],
    ['GET', '/v1/openapi.json'],
  ];
  const ids = new Set<string>();
  for (const [method, path, init] of asked) {
    const headers = { authorization: `Bearer ${full.key}`, 'request-id': 'req_mine', ...init?.headers };
    const response = await fetch(api.address + path, { ...init, method, headers });
    const text = await response.text();
    const id = response.headers.get('request-id') ?? '';
    t.regex(id, /^req_[0-9A-HJKMNP-TV-Z]{26}$/, `${method} ${path}`);
    if (response.status >= 400 && method !== 'HEAD') t.is(JSON.parse(text).request_id, id);
    ids.add(id);
  }
  t.is(ids.size, asked.length);
});

test('every path answers 405 to each method it has not, and lists its own in Allow', async t => {
  const { as } = await world(t);
  const fixed = new Set(routes.filter(route => !route.params).map(({ path }) => path));
  for (const [path, owners] of Map.groupBy(routes, route => route.path)) {
    const [first] = owners;
    if (!first) throw new Error('unreachable');
    const asked = pathOf(first);
    // A path with a name of its own is no id of another's.
    const like = fixed.has(path) ? owners : routes.filter(route => templateOf(route.path).test(asked));
    const own = new Set(like.map(({ method }) => method.toUpperCase()));
    const allow = [...own, ...(own.has('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted().join(', ');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter(verb => !own.has(verb))) {
      const { status, headers, body } = await as.send(method, asked);
      t.is(status, 405, `${method} ${path}`);
      t.is(body.error.code, 'method_not_allowed');
      t.is(headers.get('allow'), allow, path);
    }
    const options = await as.send('OPTIONS', asked);
    t.is(options.status, 204);
    t.is(options.headers.get('allow'), allow, path);
  }
});

const templateOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

test('a path that could be read as an id of another route takes the methods of its own', async t => {
  const { as, client } = await world(t);
  for (const anybody of [as, client()]) {
    const { status, headers } = await anybody.get('/v1/events/validate');
    t.is(status, 405);
    t.is(headers.get('allow'), 'OPTIONS, POST');
  }
  t.is((await as.get('/v1/events/validated')).status, 404);
});

test('HEAD answers as GET does, without the body', async t => {
  const { api, full, as } = await world(t);
  await as.post('/v1/events', event());
  for (const route of routes.filter(({ method }) => method === 'get')) {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map(method =>
        fetch(api.address + pathOf(route), { method, headers: { authorization: `Bearer ${full.key}` } }),
      ),
    );
    t.is(head?.status, get?.status, nameOf(route));
    const [whole, nothing] = [await get?.arrayBuffer(), await head?.arrayBuffer()];
    t.is(nothing?.byteLength, 0);
    t.is(head?.headers.get('content-length'), String(whole?.byteLength));
    t.is(head?.headers.get('content-type'), 'application/json; charset=utf-8');
  }
});

test('answers may not be kept by shared caches', async t => {
  const { as, client } = await world(t);
  for (const route of guarded.filter(({ method, params }) => method === 'get' && !params)) {
    // Of an event that is not there nothing is proven.
    if (isForPeople(route) || route.operation_id === 'proveEvent') continue;
    t.is((await as.get(pathOf(route) + neededQuery(route))).headers.get('cache-control'), 'private, no-cache');
    t.is((await client().get(pathOf(route))).headers.get('cache-control'), 'no-store');
  }
});

test('/livez and /readyz answer without a credential, and refuse other methods', async t => {
  const { client } = await world(t);
  for (const path of ['/livez', '/readyz']) {
    t.deepEqual((await client().get(path)).body, { status: 'ok' });
    const reply = await client().send('POST', path);
    t.is(reply.status, 405);
    t.is(reply.headers.get('allow'), 'GET, HEAD, OPTIONS');
    t.is((await client().send('OPTIONS', path)).status, 204);
  }
});

test('/metrics counts requests by route template and status, and names nothing else', async t => {
  const { as, client, full } = await world(t, { own_database: true });
  const sent = event({ agent: 'secret-agent', payee: 'domain:secret.example.com' });
  await as.post('/v1/events', sent);
  await as.get(`/v1/events/${sent.id}`);
  await as.get('/v1/events/nothing');
  await as.get(`/unknown/${sent.id}?q=secret`);
  const { body: text }: { body: string } = await client().get('/metrics');
  const counts = text.split('\n').filter(line => line.startsWith('http_request_duration_seconds_count'));
  t.deepEqual(counts.toSorted(), [
    'http_request_duration_seconds_count{method="GET",route="/v1/events/{id}",status="200"} 1',
    'http_request_duration_seconds_count{method="GET",route="/v1/events/{id}",status="404"} 1',
    'http_request_duration_seconds_count{method="GET",route="none",status="404"} 1',
    'http_request_duration_seconds_count{method="POST",route="/v1/events",status="201"} 1',
  ]);
  t.true(text.includes('events_ingested_total{status="accepted"} 1'));
  for (const secret of [sent.id, sent.id.slice(4), full.id, full.key, 'secret']) t.false(text.includes(secret));
});

test('/metrics is not on the port of the API in production, nor where it has a port of its own', async t => {
  for (const settings of [{ ENVIRONMENT: 'production' }, { METRICS_PORT: '0' }] as Record<string, string>[]) {
    const { client } = await world(t, { settings });
    t.is((await client().get('/metrics')).status, 404);
  }
});

test('a stopping server turns red, finishes what was begun, closes its connections and takes no new ones', async t => {
  const { services, full } = await world(t);
  const api = await startApi(services);
  const [slow, probe, silent] = [await wire(t, api.address), await wire(t, api.address), await wire(t, api.address)];
  const body = JSON.stringify(event());
  slow.send(
    `POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${full.key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  probe.send('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n', 'GET /readyz HTTP/1.1\r\n');
  t.is((await probe.next())?.status, 200);
  t.is((await slow.next())?.status, 100);

  const stopped = api.stop();
  t.is(await silent.next(), null, 'a connection that never asked anything is closed at once');
  probe.send('Host: x\r\n\r\n');
  const red = await probe.next();
  t.is(red?.status, 503);
  t.deepEqual(JSON.parse(red?.body ?? ''), { status: 'shutting down' });
  const late = connect(api.port, '127.0.0.1');
  const [error] = await once(late, 'error');
  t.is(error.code, 'ECONNREFUSED');

  slow.send(body);
  const answer = await slow.next();
  t.is(answer?.status, 201);
  for (const { headers } of [answer, red].filter(given => given !== null && given !== undefined))
    t.is(headers['connection'], 'close');
  t.is(await slow.next(), null);
  await stopped;
});

test('an address that cannot be listened on is said with its setting', async t => {
  const { services, config, api } = await world(t);
  const { port } = api;
  const taken = (setting: string) =>
    `Port ${port} on 127.0.0.1 is taken. Stop what uses it, or set ${setting} to another one.`;
  for (const [settings, message] of [
    [{ port }, taken('PORT')],
    [{ port, metrics_port: port }, `PORT and METRICS_PORT are both ${port}. Set one of them to another port.`],
    [{ host: '192.0.2.1' }, 'Nothing can listen on port 0 of 192.0.2.1 (EADDRNOTAVAIL). Check HOST and PORT.'],
  ] as const)
    await t.throwsAsync(startApi({ ...services, config: { ...config, ...settings } }), { message });
  const measured = startMetricsServer({ ...services, config: { ...config, metrics_port: port } });
  await t.throwsAsync(measured, { message: taken('METRICS_PORT') });
});

test('a request with two Host headers is refused: a proxy may have gone by the other', async t => {
  const { api } = await world(t);
  const probe = await wire(t, api.address);
  for (const path of ['/livez', '/v1/events', '/']) {
    probe.send(`GET ${path} HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n`);
    const answer = await probe.next();
    t.is(answer?.status, 400, path);
    t.true(answer?.body.includes('header.host'));
  }
});
