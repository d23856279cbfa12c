import test from 'ava';
import { world } from '#test/helpers/world.ts';

const files = {
  '/docs': 'text/html; charset=utf-8',
  '/docs/start.js': 'text/javascript; charset=utf-8',
  '/docs/style.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/favicon.png': 'image/png',
};

for (const [path, type] of Object.entries(files)) {
  test(`${path} is served to everybody, and to a browser that has it not again`, async t => {
    const { client } = await world(t);
    const first = await client().get(path);
    t.is(first.status, 200);
    t.is(first.headers.get('content-type'), type);
    t.is(first.headers.get('cache-control'), 'public, no-cache');
    t.true(first.body.length > 100);

    const etag = first.headers.get('etag') ?? '';
    t.regex(etag, /^W\/"[\w-]{22}"$/);
    const again = await client().get(path, { 'if-none-match': etag });
    t.is(again.status, 304);
    t.is(again.body, '');
    t.is(again.headers.get('etag'), etag);

    const head = await client().send('HEAD', path);
    t.is(head.status, 200);
    t.is(head.headers.get('etag'), etag);
    t.is(head.body, '');
  });

  test(`${path} is for reading only`, async t => {
    const { client } = await world(t);
    const { status, headers, body } = await client().send('POST', path, { body: '{}' });
    t.is(status, 405);
    t.is(headers.get('allow'), 'GET, HEAD, OPTIONS');
    t.is((await client().send('OPTIONS', path)).status, 204);
    t.is(body.error.code, 'method_not_allowed');
  });
}

test('/docs/ leads to /docs', async t => {
  const { client } = await world(t);
  t.is((await client().get('/docs/')).status, 308);
  t.is((await client().get('/docs/')).headers.get('location'), '/docs');
});

test('the page loads nothing from elsewhere, and everything it names is there', async t => {
  const { client } = await world(t);
  const { body } = await client().get('/docs');
  const named = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target]) => target);
  t.deepEqual(named.toSorted(), [
    '/docs/favicon.png',
    '/docs/start.js',
    '/docs/style.css',
    '/docs/swagger-ui.css',
    '/docs/swagger-ui.js',
    '/v1/openapi.json',
  ]);
  for (const target of named) t.is((await client().get(target)).status, 200, target);
  t.notRegex(body, /<style|<script>|style=|onload=/);
});

test('the reference asks no validator', async t => {
  const { client } = await world(t);
  const { body } = await client().get('/docs/start.js');
  t.true(body.includes('validatorUrl: null'));
  t.true(body.includes("url: '/v1/openapi.json'"));
});

test('a person can authorize with an API key, and try things out on the site the page came from', async t => {
  const { client, api } = await world(t);
  const { body } = await client().get('/v1/openapi.json');
  t.like(body.components.securitySchemes.apiKey, { type: 'http', scheme: 'bearer' });
  t.true(body.security.some((one: object) => 'apiKey' in one));
  t.deepEqual(body.servers, [{ url: api.address }]);
  const policy = (await client().get('/docs')).headers.get('content-security-policy') ?? '';
  t.true(policy.includes("connect-src 'self'"));
});

test('no other file can be had below /docs', async t => {
  const { client } = await world(t);
  const wanted = [
    '/docs/page.html',
    '/docs/package.json',
    '/docs/swagger-ui-bundle.js',
    '/docs/oauth2-redirect.html',
    '/docs/swagger-ui.css.map',
    '/docs/%2e%2e%2fpackage.json',
    '/docs/..%2f..%2fpackage.json',
    '/docs/start.js/',
    '/docs/START.JS',
    '/docs/%00',
    '/docs/%',
    '/docs/constructor',
  ];
  for (const path of wanted) {
    const { status, body } = await client().get(path);
    t.is(status, 404, path);
    t.is(body.error.code, 'not_found');
  }
});
