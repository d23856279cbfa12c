import { gzipSync } from 'node:zlib';
import test from 'ava';
import { build } from 'esbuild';
import { dashboardBundle } from '#api/dashboard/bundle.ts';
import { dashboardPaths, isDashboardPath } from '#api/dashboard/paths.ts';
import { world } from '#test/helpers/world.ts';

const MOST_KB = 150;

test(`what a browser loads once is at most ${MOST_KB} KB`, async t => {
  const { script, style } = await dashboardBundle();
  const sizes = [script, style].map(({ body }) => gzipSync(body).length);
  t.log(sizes);
  t.true(sizes.reduce((sum, size) => sum + size) <= MOST_KB * 1_024);
});

test('the script asks nothing of Node', async t => {
  const { script } = await dashboardBundle();
  t.false(/["']node:/.test(script.body.toString()));
});

test('of the API a browser loads the client and the paths, and of no schema more than its type', async t => {
  const { metafile } = await build({
    entryPoints: ['api/dashboard/browser/main.tsx'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: '/',
    bundle: true,
    write: false,
    external: ['node:*'],
    metafile: true,
  });
  const loaded = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
  const beside = loaded.filter(path => /^(api\/(?!dashboard\/browser\/)|node_modules\/zod\/)/.test(path));
  t.deepEqual(beside.toSorted(), ['api/client/call.ts', 'api/dashboard/paths.ts']);
});

test('every page of the dashboard is the page that loads it, for people with and without a session', async t => {
  const { client, person } = await world(t);
  const pages = [client(), client({ cookie: (await person('developer')).cookie })].map(one => one.get('/alerts'));
  const [stranger, member] = await Promise.all(pages);
  t.regex(stranger?.body, /<div id="dashboard" data-session="none">/);
  t.regex(member?.body, /<div id="dashboard" data-session="some">/);
  for (const path of dashboardPaths) {
    const { status, headers, body } = await client().get(path.replaceAll(/:\w+/g, 'evt_01M7W819QAN7QFECMNE6055DSM'));
    t.deepEqual([status, body], [200, stranger?.body], path);
    t.is(headers.get('content-type'), 'text/html; charset=utf-8');
    t.is(headers.get('cache-control'), 'private, no-cache');
  }
});

test('the page has no script, style or address of its own', async t => {
  const { client } = await world(t);
  const { body } = await client().get('/');
  t.notRegex(body, /<style|style="|<script>|onload|https?:/);
});

test('script and style sheet are kept for good under names that say what is in them; others are not there', async t => {
  const { client } = await world(t);
  const { body } = await client().get('/');
  const named = [...body.matchAll(/"(\/dashboard\/dashboard-[0-9a-f]{16}\.(?:js|css))"/g)].map(([, path = '']) => path);
  t.is(named.length, 2);
  for (const path of named) {
    const { status, headers } = await client().get(path);
    t.deepEqual([status, headers.get('cache-control')], [200, 'public, max-age=31536000, immutable']);
    t.regex(headers.get('content-type') ?? '', path.endsWith('js') ? /^text\/javascript/ : /^text\/css/);
    t.is((await client().get(path.replace(/[0-9a-f](?=\.)/, 'x'))).status, 404);
  }
});

test('the dashboard is for reading: what changes something goes to the API', async t => {
  const { client } = await world(t);
  for (const path of ['/', '/alerts', '/sign-in']) {
    const { status, headers, body } = await client().send('POST', path, { body: '{}' });
    t.deepEqual([status, headers.get('allow'), body.error.code], [405, 'GET, HEAD, OPTIONS', 'method_not_allowed']);
  }
});

test('what is no page of the dashboard is not found', async t => {
  const { client } = await world(t);
  for (const path of ['/nothing', '/alerts/a/b', '/dashboard', '/dashboard/', '/dashboard/../x', '/Alerts']) {
    t.false(isDashboardPath(path));
    t.is((await client().get(path)).status, 404, path);
  }
});
