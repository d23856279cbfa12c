import test from 'ava';
import { createLink } from '#shared/people/sign_in_links.ts';
import { browser } from '#test/helpers/browser.ts';
import { wire } from '#test/helpers/wire.ts';
import { world } from '#test/helpers/world.ts';

/** What a browser says of a request, and whether it may come from a page of ours at `own`. */
const claims = (own: string): [Record<string, string>, 'ours' | 'foreign'][] => {
  const { protocol, hostname, port, host } = new URL(own);
  return [
    [{ origin: own }, 'ours'],
    [{ origin: own, 'sec-fetch-site': 'same-origin' }, 'ours'],
    [{ 'sec-fetch-site': 'same-origin' }, 'ours'],
    [{ origin: 'https://evil.example' }, 'foreign'],
    [{ origin: `${protocol}//${hostname}:${Number(port) + 1}` }, 'foreign'],
    [{ origin: `${protocol}//${hostname}` }, 'foreign'],
    [{ origin: `${protocol}//${host}.evil.example` }, 'foreign'],
    [{ origin: `${protocol}//${host}@evil.example` }, 'foreign'],
    [{ origin: `${own}/` }, 'foreign'],
    [{ origin: 'null' }, 'foreign'],
    [{ 'sec-fetch-site': 'cross-site' }, 'foreign'],
    [{ 'sec-fetch-site': 'same-site' }, 'foreign'],
    [{ 'sec-fetch-site': 'none' }, 'foreign'],
    [{ origin: own, 'sec-fetch-site': 'cross-site' }, 'foreign'],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, 'foreign'],
  ];
};

test('a change with a session is done for our own pages, and refused to others and to whoever does not say', async t => {
  const { api, session, member } = await world(t);
  const user = await member('developer');
  for (const [headers, from] of [...claims(api.address), [{}, 'foreign'] as const]) {
    const { cookie } = await session(user.id);
    const ask = (method: string, path: string) =>
      fetch(api.address + path, { method, headers: { cookie, ...headers } });
    const { status } = await ask('POST', '/v1/sign-out');
    t.is(status, from === 'ours' ? 200 : 403, JSON.stringify(headers));
    t.is((await ask('GET', '/v1/me')).status, from === 'ours' ? 401 : 200, 'and nothing was done');
  }
});

test('whoever does not say where they are may send what no page of another site can: JSON, or no POST', async t => {
  const { api, person } = await world(t);
  const mine = await person('owner');
  const body = JSON.stringify({ name: 'till', kind: 'other' });
  const ask = async (method: string, path: string, content_type: string, more: Record<string, string> = {}) => {
    const headers = { cookie: mine.cookie, 'content-type': content_type, ...more };
    return (await fetch(api.address + path, { method, headers, body })).status;
  };
  t.is(await ask('POST', '/v1/sources', 'application/json'), 201);
  t.is(await ask('POST', '/v1/sources', 'Application/JSON; charset=utf-8'), 201);
  for (const form of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain;application/json',
  ])
    t.is(await ask('POST', '/v1/sources', form), 403, form);
  t.is(await ask('POST', '/v1/sources', 'application/json', { origin: 'https://evil.example' }), 403);
  const gone = `/v1/sessions/${mine.session_id}`;
  const silent = { method: 'DELETE', headers: { cookie: mine.cookie } };
  t.is(
    (await fetch(api.address + gone, { ...silent, headers: { ...silent.headers, 'sec-fetch-site': 'same-site' } }))
      .status,
    403,
  );
  t.is((await fetch(api.address + gone, silent)).status, 200);
});

test('with an https address, a page of the same name without https is another site', async t => {
  const { api, session, member } = await world(t, { settings: { BASE_URL: 'https://oversight.example.com' } });
  const user = await member('developer');
  const raw = await wire(t, api.address);
  for (const [host, origin, status] of [
    ['oversight.example.com', 'https://oversight.example.com', 200],
    ['oversight.example.com', 'http://oversight.example.com', 403],
    ['localhost:3000', 'http://oversight.example.com', 403],
    // As through a tunnel of the operator's.
    ['localhost:3000', 'http://localhost:3000', 200],
  ] as const) {
    const { cookie } = await session(user.id);
    raw.send(`POST /v1/sign-out HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nCookie: ${cookie}\r\n\r\n`);
    t.is((await raw.next())?.status, status, `${origin} at ${host}`);
  }
});

test('the button of a sign-in link works on our own page, and a refused press does not use the link up', async t => {
  const { api, db, config, member } = await world(t, { own_database: true });
  const user = await member('developer');
  for (const [headers, from] of [...claims(api.address), [{}, 'foreign'] as const]) {
    const { token } = await createLink(db, config.secret_key, { user_id: user.id, binding: null }, Date.now());
    const url = `${api.address}/sign-in/${token}`;
    const press = (given: Record<string, string>) => fetch(url, { method: 'POST', headers: given, redirect: 'manual' });
    const { status, headers: answered } = await press(headers);
    t.is(status, from === 'ours' ? 303 : 403, JSON.stringify(headers));
    t.is(answered.getSetCookie().length, from === 'ours' ? 2 : 0);
    if (from === 'foreign') t.is((await press({ origin: api.address })).status, 303);
  }
});

test('a link may be asked for without a browser, and not by the page of another site', async t => {
  const { api } = await world(t, { own_database: true });
  for (const [index, [headers, from]] of [...claims(api.address), [{}, 'ours'] as const].entries()) {
    const { status } = await fetch(`${api.address}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ email: `someone-${index}@example.com` }),
    });
    t.is(status, from === 'ours' ? 202 : 403, JSON.stringify(headers));
  }
});

test('a code may be sent from our own pages alone', async t => {
  const { api } = await world(t, { own_database: true });
  const mine = browser(t, api.address);
  await mine.post('/v1/sign-in', { email: 'nobody@example.com' });
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
  ];
  for (const headers of foreign)
    t.is((await mine.post('/v1/sign-in/code', { code: 'AAAA-AAAA' }, headers)).status, 403);
  const silent = await fetch(`${api.address}/v1/sign-in/code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `sign-in=${mine.cookies.get('sign-in')}` },
    body: JSON.stringify({ code: 'AAAA-AAAA' }),
  });
  t.is(silent.status, 403);
  t.is((await mine.post('/v1/sign-in/code', { code: 'AAAA-AAAA' })).status, 422);
});

test('a key needs no Origin, and a cookie beside it is not looked at', async t => {
  const { api, full, person } = await world(t);
  const mine = await person('owner');
  const { status } = await fetch(`${api.address}/v1/sources`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${full.key}`,
      cookie: mine.cookie,
      origin: 'https://evil.example',
    },
    body: JSON.stringify({ name: 'till', kind: 'other' }),
  });
  t.is(status, 201);
});
