import test from 'ava';
import { generate } from 'otplib';
import type { BodyOf } from '#api/client/call.ts';
import { world } from '#test/helpers/world.ts';
import { caller, signedIn, through } from './calls.ts';

test('a key and a person learn who they are', async t => {
  const here = await world(t);
  const { body: key } = await through(t, here)(200, 'GET /v1/me', {});
  if (key.kind !== 'key') throw new Error('this is a key');
  t.is(key.key.id, here.full.id);
  t.is(key.environment, 'sandbox');

  const person = await here.person('admin');
  const { body: me } = await signedIn(t, here, person)(200, 'GET /v1/me', {});
  if (me.kind !== 'session') throw new Error('this is a session');
  t.like(me, { role: 'admin', user: { id: person.user.id, email: person.user.email } });
});

test('a person makes a key, which works until it is revoked', async t => {
  const here = await world(t);
  const person = signedIn(t, here, await here.person('owner'));
  const newApiKey: BodyOf<'POST /v1/api-keys'> = { name: 'reader', env: 'test', scopes: ['events:read'] };
  const { body: made } = await person(201, 'POST /v1/api-keys', { body: newApiKey });
  const ask = through(t, here, made.key);
  await ask(200, 'GET /v1/events', {});
  await ask(403, 'GET /v1/alerts', {});

  const { body: page } = await person(200, 'GET /v1/api-keys', {});
  t.like(page.data[0], { id: made.id, prefix: made.key.slice(0, 12), revoked_at: null });
  const { body: revoked } = await person(200, 'DELETE /v1/api-keys/{id}', { params: { id: made.id } });
  t.is(typeof revoked.revoked_at, 'string');
  await ask(401, 'GET /v1/events', {});
  t.is((await through(t, here)(403, 'POST /v1/api-keys', { body: newApiKey })).body.error.code, 'forbidden');
});

test('an owner adds a member, raises and removes them, and the audit log tells of it', async t => {
  const here = await world(t);
  const owner = signedIn(t, here, await here.person('owner'));
  const newMember = { email: 'ada@example.com', role: 'developer' } as const;
  const { body: added } = await owner(201, 'POST /v1/members', { body: newMember });
  t.like(added, { email: 'ada@example.com', role: 'developer' });
  const change = { params: { user_id: added.id }, body: { role: 'admin' } } as const;
  t.is((await owner(200, 'PATCH /v1/members/{user_id}', change)).body.role, 'admin');
  await owner(200, 'DELETE /v1/members/{user_id}', { params: { user_id: added.id } });
  await owner(404, 'PATCH /v1/members/{user_id}', change);

  const { body: log } = await owner(200, 'GET /v1/audit-log', { query: { target_id: added.id } });
  t.is(log.data.length, 3);
});

test('a person enrolls an authenticator, which renews the session, and signs out', async t => {
  const here = await world(t);
  const person = await here.person('developer');
  const before = signedIn(t, here, person);
  const { body: begun } = await before(201, 'POST /v1/second-factor/totp', {});
  const totpConfirmation = { code: await generate({ secret: begun.secret }) };
  const confirmed = await before(200, 'POST /v1/second-factor/totp/confirm', { body: totpConfirmation });
  t.is(confirmed.body.recovery_codes?.length, 10);
  await before(401, 'GET /v1/me', {});

  const [cookie = ''] = confirmed.headers.getSetCookie();
  const ask = signedIn(t, here, { cookie: cookie.split(';')[0] ?? '' });
  t.like((await ask(200, 'GET /v1/second-factor', {})).body, { shown: true, recovery_codes_left: 10 });
  const { body: sessions } = await ask(200, 'GET /v1/sessions', {});
  t.deepEqual(
    sessions.data.map(({ current, second_factor }) => [current, second_factor]),
    [[true, true]],
  );
  await ask(200, 'POST /v1/sign-out', {});
  await ask(401, 'GET /v1/me', {});
});

test('nobody learns from signing in whether an address is known', async t => {
  // So many attempts from one address are taken in a service, whoever makes them.
  const here = await world(t, { own_database: true });
  const { user } = await here.person('developer');
  const ask = caller(t, here.api.address, { Origin: here.api.address });
  const answers = [user.email, 'nobody@example.com'].map(email => ask(202, 'POST /v1/sign-in', { body: { email } }));
  for (const answer of await Promise.all(answers)) t.deepEqual(answer.body, {});
  const wrong = await ask(404, 'POST /v1/sign-in/code', { body: { code: 'ABCD-2345' } });
  t.is(wrong.body.error.code, 'not_found');
});
