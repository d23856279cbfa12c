import test from 'ava';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

test('a slash at the end of a path of the API names the same', async t => {
  const { as } = await world(t);
  const sent = event();
  t.is((await as.post('/v1/events/', sent)).status, 201);
  const plain = await as.get('/v1/events?limit=1');
  const slashed = await as.get('/v1/events/?limit=1');
  t.deepEqual(slashed.body, plain.body);
  t.is(slashed.headers.get('etag'), plain.headers.get('etag'));
  t.is((await as.get(`/v1/events/${sent.id}/`)).body.id, sent.id);
  t.is((await as.get('/livez/')).status, 200);
  for (const path of ['/v1/', '/v1/nothing/', '/v1/events//']) t.is((await as.get(path)).status, 404, path);
});

test('a slash at the end of the path of a page leads to the path without it, and never to another host', async t => {
  const { api, client } = await world(t);
  const anybody = client();
  for (const [path, location] of [
    ['/docs/', '/docs'],
    ['/alerts/?state=open', '/alerts?state=open'],
    [`/share/${'x'.repeat(43)}/`, `/share/${'x'.repeat(43)}`],
  ]) {
    const { status, headers } = await anybody.get(path ?? '');
    t.deepEqual([status, headers.get('location')], [308, location]);
  }
  for (const path of [
    '//evil.example/',
    String.raw`/\evil.example/`,
    String.raw`\\evil.example/`,
    '///evil.example/',
  ]) {
    const { headers } = await fetch(api.address + path, { redirect: 'manual' });
    const location = headers.get('location');
    t.is(new URL(location ?? '/', api.address).origin, api.address, path);
  }
});

test('whoever asks for HTML is told of an error on a page with the id of the request, everybody else in JSON', async t => {
  const { api, full } = await world(t);
  const authorization = `Bearer ${full.key}`;
  const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';
  for (const [path, status] of [
    ['/v1/events/evt_01ARZ3NDEKTSV4RRFFQ69G5FAV', 404],
    ['/v1/events?limit=%3Cb%3E', 400],
    ['/nothing', 404],
    [`/share/${'x'.repeat(43)}`, 404],
  ] as const)
    for (const accept of ['text/html', browsers]) {
      const answer = await fetch(api.address + path, { headers: { accept, authorization } });
      const text = await answer.text();
      t.is(answer.status, status);
      t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8', path);
      t.true(text.includes(answer.headers.get('request-id') ?? '?'));
      t.notRegex(text, /<b>|<script/);
      t.regex(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self'/);
      t.is(answer.headers.get('cache-control'), 'no-store');
    }
  for (const accept of [
    '*/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'text/*;q=0.1, application/json',
  ])
    for (const path of ['/v1/nothing', '/nothing']) {
      const answer = await fetch(api.address + path, { headers: { accept } });
      t.is(answer.headers.get('content-type'), 'application/json; charset=utf-8', accept);
      t.is(JSON.parse(await answer.text()).request_id, answer.headers.get('request-id'));
    }
});

test('an agent is found by its external id, a payee by its key however it is spelled', async t => {
  const { as } = await world(t);
  await as.post('/v1/events', {
    events: [
      event({ agent: 'till-1', payee: 'domain:one.example.com' }),
      event({ agent: 'till-2', payee: 'domain:two.example.com' }),
    ],
  });
  const { body: agents } = await as.get('/v1/agents?external_id=till-1');
  t.deepEqual(
    agents.data.map(({ external_id }: { external_id: string }) => external_id),
    ['till-1'],
  );
  t.deepEqual((await as.get('/v1/agents?external_id=till')).body.data, []);
  const { body: payees } = await as.get(`/v1/payees?key=${encodeURIComponent('Domain:TWO.example.com')}`);
  t.deepEqual(
    payees.data.map(({ key }: { key: string }) => key),
    ['domain:two.example.com'],
  );
  t.is((await as.get('/v1/events?payee_key=DOMAIN:two.example.com')).body.data.length, 1);
  t.is((await as.get('/v1/payees?key=iban:DE00')).status, 400);
});

test('a key that reads alerts reads the statistics and how webhooks were delivered; another does not', async t => {
  const { withScopes } = await world(t);
  const [reader, other] = [await withScopes('alerts:read'), await withScopes('events:read')];
  for (const path of ['/v1/stats', '/v1/webhook-endpoints', '/v1/webhook-deliveries']) {
    t.is((await reader.get(path)).status, 200, path);
    t.is((await other.get(path)).status, 403, path);
  }
});
