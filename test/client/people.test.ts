import test from 'ava';
import { generate } from 'otplib';
import { world } from '#test/helpers/world.ts';
import { expect, signedIn, through } from './calls.ts';
import * as client from '#api/client/generated.ts';

test('a key and a person learn who they are', async t => {
  const here = await world(t);
  const { data: key } = expect(200, await client.getMe({}, through(here)));
  if (key.kind !== 'key') throw new Error('this is a key');
  t.is(key.key.id, here.full.id);
  t.is(key.environment, 'sandbox');

  const person = await here.person('admin');
  const { data: me } = expect(200, await client.getMe({}, signedIn(here, person)));
  if (me.kind !== 'session') throw new Error('this is a session');
  t.like(me, { role: 'admin', user: { id: person.user.id, email: person.user.email } });
});

test('a person makes a key, which works until it is revoked', async t => {
  const here = await world(t);
  const person = signedIn(here, await here.person('owner'));
  const newApiKey: client.NewApiKey = { name: 'reader', env: 'test', scopes: ['events:read'] };
  const { data: made } = expect(201, await client.createApiKey({ newApiKey }, person));
  const to = through(here, made.key);
  expect(200, await client.listEvents({}, to));
  expect(403, await client.listAlerts({}, to));

  const { data: page } = expect(200, await client.listApiKeys({}, person));
  t.like(page.data[0], { id: made.id, prefix: made.key.slice(0, 12), revoked_at: null });
  const { data: revoked } = expect(200, await client.revokeApiKey({ id: made.id }, person));
  t.is(typeof revoked.revoked_at, 'string');
  expect(401, await client.listEvents({}, to));
  t.is(expect(403, await client.createApiKey({ newApiKey }, through(here))).data.error.code, 'forbidden');
});

test('an owner adds a member, raises and removes them, and the audit log tells of it', async t => {
  const here = await world(t);
  const owner = signedIn(here, await here.person('owner'));
  const newMember: client.NewMember = { email: 'ada@example.com', role: 'developer' };
  const { data: added } = expect(201, await client.addMember({ newMember }, owner));
  t.like(added, { email: 'ada@example.com', role: 'developer' });
  const change = { userId: added.id, memberChange: { role: 'admin' as const } };
  t.is(expect(200, await client.changeMember(change, owner)).data.role, 'admin');
  expect(200, await client.removeMember({ userId: added.id }, owner));
  expect(404, await client.changeMember(change, owner));

  const { data: log } = expect(200, await client.listAuditLog({ targetId: added.id }, owner));
  t.is(log.data.length, 3);
});

test('a person enrols an authenticator, which renews the session, and signs out', async t => {
  const here = await world(t);
  const person = await here.person('developer');
  const before = signedIn(here, person);
  const { data: begun } = expect(201, await client.beginTotp({}, before));
  const totpConfirmation = { code: await generate({ secret: begun.secret }) };
  const confirmed = expect(200, await client.confirmTotp({ totpConfirmation }, before));
  t.is(confirmed.data.recovery_codes?.length, 10);
  expect(401, await client.getMe({}, before));

  const [cookie = ''] = confirmed.headers.getSetCookie();
  const to = signedIn(here, { cookie: cookie.split(';')[0] ?? '' });
  t.like(expect(200, await client.getSecondFactor({}, to)).data, { shown: true, recovery_codes_left: 10 });
  const { data: sessions } = expect(200, await client.listSessions({}, to));
  t.deepEqual(
    sessions.data.map(({ current, second_factor }) => [current, second_factor]),
    [[true, true]],
  );
  expect(200, await client.signOut({}, to));
  expect(401, await client.getMe({}, to));
});

test('nobody learns from signing in whether an address is known', async t => {
  const here = await world(t);
  const { user } = await here.person('developer');
  const to = { baseUrl: here.api.address, headers: { Origin: here.api.address } };
  const answers = [user.email, 'nobody@example.com'].map(email => client.signIn({ signIn: { email } }, to));
  for (const answer of await Promise.all(answers)) t.deepEqual(expect(202, answer).data, {});
  const wrong = await client.signInWithCode({ signInCode: { code: 'ABCD-2345' } }, to);
  t.is(expect(404, wrong).data.error.code, 'not_found');
});
