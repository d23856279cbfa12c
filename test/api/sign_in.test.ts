import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { createLink } from '#shared/people/sign_in_links.ts';
import { pruneTable } from '#shared/running/work/prune.ts';
import { addMember } from '#shared/people/users.ts';
import { browser } from '#test/helpers/browser.ts';
import { copyOf, lobby } from '#test/helpers/lobby.ts';

const MINUTE = 60_000;
const asHtml = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('who asks for a link and opens it in the same browser is signed in', async t => {
  const { open, ask, user, tenant } = await lobby(t);
  const mine = open();
  const path = await ask(mine);
  const page = await mine.get(path);
  t.is(page.status, 200);
  t.regex(page.body, new RegExp(`Sign in as <strong>${user.email}</strong>`));
  t.regex(page.body, /<form method="post">/);
  const done = await mine.post(path);
  t.is(done.status, 303);
  t.is(done.headers.get('location'), '/');
  t.deepEqual([...mine.cookies.keys()], ['session']);
  const { body } = await mine.get('/v1/me');
  t.like(body, { kind: 'session', user, role: 'developer', organization: { id: tenant.org_id, name: 'Acme' } });
});

test('the cookies are out of reach of scripts and of other sites, and with https tied to the host', async t => {
  for (const BASE_URL of ['http://localhost:3000', 'https://oversight.example.com']) {
    const { open, ask } = await lobby(t, { BASE_URL });
    const [mine, secure] = [open(), BASE_URL.startsWith('https')];
    const { headers } = await mine.post('/v1/sign-in', { email: 'nobody@example.com' });
    const prefix = secure ? '__Host-' : '';
    const rest = `HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    const shape = (line = '') => line.replace(/=[\w-]{43};/, '=…;');
    t.deepEqual(headers.getSetCookie().map(shape), [`${prefix}sign-in=…; Path=/; Max-Age=600; ${rest}`]);
    const done = await mine.post(await ask(mine));
    t.deepEqual(done.headers.getSetCookie().map(shape), [
      `${prefix}session=…; Path=/; Max-Age=604800; ${rest}`,
      `${prefix}sign-in=; Path=/; Max-Age=0; ${rest}`,
    ]);
  }
});

test('nobody learns from the answer whether an address is known', async t => {
  const { open, user, db, mail, api } = await lobby(t);
  await db.query(sql.unsafe`
    insert into users (id, email, created_at) values ('usr_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'former@example.com', now())`);
  const count = () =>
    db.oneFirst(sql.type(z.object({ links: z.number() }))`select count(*) as links from sign_in_links`);
  const answers = [];
  for (const email of [user.email, 'nobody@example.com', 'former@example.com']) {
    const before = await count();
    const { status, body, headers } = await open().post('/v1/sign-in', { email });
    const after = await count();
    const cookies = headers.getSetCookie().map(line => line.replace(/=[\w-]{43};/, '=…;'));
    const names = [...headers.keys()].filter(name => name !== 'date').toSorted();
    answers.push({ status, body, cookies, names, rows: after - before });
  }
  t.deepEqual(answers[1], answers[0]);
  t.deepEqual(answers[2], answers[0]);
  await api.stop();
  t.is((await mail.names()).length, 1, 'one mail, to the one who is a member');
});

test('an address is the same in any case and with spaces around it', async t => {
  const { open, ask, user } = await lobby(t);
  const mine = open();
  t.is((await mine.post(await ask(mine, `  ${user.email.toUpperCase()} `))).status, 303);
});

test('what is not an address, or has more in it than one, is refused', async t => {
  const { open, user, mail, api } = await lobby(t);
  for (const email of [
    `${user.email}\r\nBcc: thief@example.com`,
    `${user.email},thief@example.com`,
    `${user.email}\0`,
    `"a b"@example.com`,
    `<${user.email}>`,
    'ada',
    '',
    `${'a'.repeat(250)}@example.com`,
    null,
    [user.email],
  ]) {
    const { status, body } = await open().post('/v1/sign-in', { email });
    t.is(status, 400, JSON.stringify(email));
    t.is(body.error.details[0].path, '/email');
  }
  await api.stop();
  t.deepEqual(await mail.names(), []);
});

test('a link is not used up by being looked at, as scanners of mail do', async t => {
  const { open, ask, api } = await lobby(t);
  const mine = open();
  const path = await ask(mine);
  for (let count = 0; count < 3; count += 1) {
    t.is((await open().get(path)).status, 200);
    t.is((await mine.get(path)).status, 200);
    t.is((await fetch(api.address + path, { method: 'HEAD' })).status, 200);
  }
  t.is((await mine.post(path)).status, 303);
});

test('a link works once: it is 404 to whoever replays it, and says that it was used', async t => {
  const { open, ask } = await lobby(t);
  const mine = open();
  const path = await ask(mine);
  const copy = copyOf(t, mine);
  t.is((await mine.post(path)).status, 303);
  for (const thief of [copy, mine, open()]) {
    for (const { status, body } of [await thief.get(path, asHtml), await thief.post(path, undefined, asHtml)]) {
      t.is(status, 404);
      t.regex(body, /already used/);
    }
    t.is((await thief.get(path)).body.error.code, 'not_found', 'JSON for whoever does not ask for a page');
  }
  t.false(copy.cookies.has('session'));
});

test('of two tabs that press the button at once, one is signed in', async t => {
  const { open, ask, db } = await lobby(t);
  const mine = open();
  const path = await ask(mine);
  const tabs = [copyOf(t, mine), copyOf(t, mine), copyOf(t, mine)];
  const replies = await Promise.all(tabs.map(tab => tab.post(path)));
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [303, 404, 404]);
  t.is(await db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(*) from sessions`), 1);
});

test('a link that is ten minutes old is over', async t => {
  const { open, ask, clock, db } = await lobby(t);
  const mine = open();
  const path = await ask(mine);
  clock.at += 10 * MINUTE - 1;
  t.is((await mine.get(path)).status, 200);
  t.is(await pruneTable(db, 'sign_in_links', clock.at), 0);
  clock.at += 1;
  t.is((await mine.get(path)).status, 404);
  t.is((await mine.post(path)).status, 404);
  t.is((await mine.post('/v1/sign-in/code', { code: 'AAAA-AAAA' })).status, 404);
  t.is(await pruneTable(db, 'sign_in_links', clock.at), 1);
});

test('a second link does not take the browser away from the first', async t => {
  const { open, ask } = await lobby(t);
  const mine = open();
  const [first, second] = [await ask(mine), await ask(mine)];
  t.not(first, second);
  t.is((await mine.get(second)).status, 200);
  t.is((await mine.post(first)).status, 303);
});

test('a link of the operator works in any browser, once', async t => {
  const { open, db, config, user, clock } = await lobby(t);
  const { token } = await createLink(db, config.secret_key, { user_id: user.id, binding: null }, clock.at);
  const path = `/sign-in/${token}`;
  for (const any of [open(), open()]) t.regex((await any.get(path)).body, /<form/);
  const mine = open();
  t.is((await mine.post(path)).status, 303);
  t.is((await mine.get('/v1/me')).status, 200);
  t.is((await open().post(path)).status, 404);
});

test('a link opens no session for somebody who is a member nowhere any more', async t => {
  const { open, ask, db, user } = await lobby(t);
  const mine = open();
  const path = await ask(mine);
  await db.query(sql.unsafe`delete from members where user_id = ${user.id}`);
  t.is((await mine.post(path)).status, 404);
  t.false(mine.cookies.has('session'));
  t.is((await mine.get('/v1/me')).status, 401);
});

test('a new session acts in the organization that was chosen last, else in the one joined first', async t => {
  const { open, ask, db, user, tenant, organization, clock } = await lobby(t);
  const later = await organization('Aardvark');
  await addMember(db, later.id, { user_id: user.id, role: 'owner', created_by: null }, clock.at + 1);
  const mine = open();
  const signIn = async () => {
    await mine.post(await ask(mine));
    return (await mine.get('/v1/me')).body.organization.id;
  };
  t.is(await signIn(), tenant.org_id);
  t.is((await mine.put('/v1/me/organization', { id: later.id })).status, 200);
  t.is(await signIn(), later.id);
  await db.query(sql.unsafe`delete from members where org_id = ${later.id}`);
  t.is(await signIn(), tenant.org_id);
});

test('signing in takes the place of the session that the browser had', async t => {
  const { open, ask, session, user } = await lobby(t);
  const old = await session(user.id);
  const mine = open();
  const path = await ask(mine);
  const [, token = ''] = old.cookie.split('=');
  mine.cookies.set('session', token);
  t.is((await mine.post(path)).status, 303);
  t.not(mine.cookies.get('session'), token);
  const before = browser(t, mine.address, new Map([['session', token]]));
  t.is((await before.get('/v1/me')).status, 401);
});

test('signing in and out is in the audit log of the organization', async t => {
  const { open, ask, person, user } = await lobby(t);
  const owner = await person('owner');
  const mine = open();
  await mine.post(await ask(mine), undefined, { 'user-agent': 'Mozilla/5.0 Firefox/140.0' });
  const { id } = (await mine.get('/v1/sessions')).body.data[0];
  t.is((await mine.post('/v1/sign-out')).status, 200);
  t.is(mine.cookies.size, 0);
  const { body } = await owner.get('/v1/audit-log');
  t.like(body.data[0], { action: 'session.ended', target_id: id, actor_id: user.id });
  t.like(body.data[1], { action: 'session.created', target_id: id, actor_id: user.id });
  t.deepEqual(body.data[1].after, { user_agent: 'Mozilla/5.0 Firefox/140.0' });
  for (const entry of body.data) t.regex(entry.request_id, /^req_/);
});
