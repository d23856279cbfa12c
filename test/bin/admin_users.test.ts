import test, { type ExecutionContext } from 'ava';
import { adminOf, settingsOf } from '#test/helpers/admin.ts';
import { browser } from '#test/helpers/browser.ts';
import { world } from '#test/helpers/world.ts';

/** The tool on the database of a running service. */
async function operator(t: ExecutionContext) {
  const here = await world(t, { own_database: true });
  return { ...here, admin: adminOf(t, { ...settingsOf(here), BASE_URL: here.api.address }) };
}

test('the operator makes somebody a member, once, and lists the members', async t => {
  const { admin, tenant } = await operator(t);
  const words = ['user', 'create', '--org', 'Acme', '--email', ' Ada@Example.com ', '--role', 'owner', '--name', 'Ada'];
  const made = await admin.json(...words);
  t.regex(made.id, /^usr_/);
  t.deepEqual(made, { id: made.id, email: 'ada@example.com', role: 'owner', org_id: tenant.org_id });
  t.like(await admin.error(...words), { exit: 1, code: 'conflict' });
  const { data } = await admin.json('user', 'list', '--org', tenant.org_id);
  t.is(data.length, 1);
  t.like(data[0], { id: made.id, email: 'ada@example.com', name: 'Ada', role: 'owner', second_factor: false });
});

test('somebody may be a member of two organizations with one address', async t => {
  const { admin, organization } = await operator(t);
  await organization('Rival');
  const create = (org: string, role: string) =>
    admin.json('user', 'create', '--org', org, '--email', 'ada@example.com', '--role', role);
  const [first, second] = [await create('Acme', 'owner'), await create('Rival', 'developer')];
  t.is(second.id, first.id);
  t.not(second.org_id, first.org_id);
});

test('what is not sound is refused at the option that is wrong', async t => {
  const { admin, person } = await operator(t);
  const create = (...more: string[]) => admin.error('user', 'create', '--org', 'Acme', ...more);
  for (const [words, path] of [
    [['--email', 'ada', '--role', 'owner'], '/email'],
    [['--email', 'ada@example.com', '--role', 'king'], '/role'],
    [['--email', 'ada@example.com', '--role', 'owner', '--name', ' '], '/name'],
    [['--email', 'ada@example.com', '--role', 'owner', '--name', 'Ada\u001b[31m'], '/name'],
  ] as const)
    t.like(await create(...words), { exit: 1, code: 'invalid_request', details: [{ path }] });
  t.like(await create('--email', 'ada@example.com'), { exit: 2 });
  for (const command of [['sign-in-link'], ['user', 'reset-second-factor'], ['user', 'end-sessions']])
    t.like(await admin.error(...command, '--email', 'nobody@example.com'), { exit: 1, code: 'not_found' });
  const owner = await person('owner');
  t.deepEqual((await owner.get('/v1/audit-log')).body.data, []);
});

test('a link that the operator makes signs its user in, in any browser, once, and for ten minutes', async t => {
  const { admin, member, api } = await operator(t);
  const user = await member('owner');
  const { url, expires_at, ...rest } = await admin.json('sign-in-link', '--email', user.email.toUpperCase());
  t.deepEqual(rest, {});
  const left = Date.parse(expires_at) - Date.now();
  t.true(left > 0 && left <= 600_000);
  t.true(url.startsWith(`${api.address}/sign-in/`));
  const mine = browser(t, api.address);
  const path = new URL(url).pathname;
  t.is((await mine.post(path)).status, 303);
  t.is((await mine.get('/v1/me')).body.user.id, user.id);
  t.is((await browser(t, api.address).post(path)).status, 404);
});

test('that the operator made a link is in the log of every organization that it leads to', async t => {
  const { admin, person, organization } = await operator(t);
  const [user, elsewhere] = [
    (await person('developer')).user,
    await person('owner', { of: (await organization('Rival')).id }),
  ];
  await elsewhere.post('/v1/members', { email: user.email, role: 'developer' });
  const { url, expires_at } = await admin.json('sign-in-link', '--email', user.email);
  for (const owner of [await person('owner'), elsewhere]) {
    const { body } = await owner.get('/v1/audit-log?action=sign_in_link.created');
    t.is(body.data.length, 1);
    t.like(body.data[0], { actor_id: null, target_id: user.id, after: { expires_at } });
    t.false(JSON.stringify(body).includes(url.slice(-43)));
  }
});

test('resetting a second factor takes all of it away, and ends every session of the person', async t => {
  const { admin, person } = await operator(t);
  const [mine, owner] = [await person('developer', { second_factor: true }), await person('owner')];
  t.is((await mine.get('/v1/second-factor')).body.passkeys.length, 1);
  t.deepEqual(await admin.json('user', 'reset-second-factor', '--email', mine.user.email), {
    id: mine.user.id,
    email: mine.user.email,
    second_factors_removed: 1,
    sessions_ended: 1,
  });
  t.is((await mine.get('/v1/me')).status, 401);
  t.is((await owner.get('/v1/me')).status, 200);
  const { body } = await owner.get('/v1/audit-log');
  t.deepEqual(
    body.data.map(({ action, actor_id }: { action: string; actor_id: string | null }) => [action, actor_id]),
    [
      ['session.ended', null],
      ['second_factor.removed', null],
    ],
  );
  const { data } = await admin.json('user', 'list', '--org', 'Acme');
  t.false(data.some((member: { second_factor: boolean }) => member.second_factor));
});

test('a member is signed out everywhere, and keeps what they sign in with', async t => {
  const { admin, person } = await operator(t);
  const [mine, owner] = [await person('developer', { second_factor: true }), await person('owner')];
  const { id, email } = mine.user;
  t.deepEqual(await admin.json('user', 'end-sessions', '--email', email), { id, email, sessions_ended: 1 });
  t.is((await mine.get('/v1/me')).status, 401);
  t.is((await owner.get('/v1/me')).status, 200);
  const { body } = await owner.get('/v1/audit-log');
  t.is(body.data.length, 1);
  t.like(body.data[0], { action: 'session.ended', actor_id: null });
  const { data } = await admin.json('user', 'list', '--org', 'Acme');
  t.true(data.find((member: { id: string }) => member.id === id).second_factor);
});

test('there is no setup link where there is an organization', async t => {
  const { admin } = await operator(t);
  t.like(await admin.error('setup-link'), { exit: 1, code: 'conflict' });
});
