import test from 'ava';
import { pruneTable } from '#shared/running/work/prune.ts';
import { accounts, statusesOf } from '#test/helpers/account.ts';
import { authenticator } from '#test/helpers/authenticator.ts';

const MINUTE = 60_000;
const PASSKEYS = '/v1/second-factor/passkeys';

test('a passkey is enrolled, named, and shown in another session', async t => {
  const { somebody, signedIn, enrollPasskey, clock } = await accounts(t, { ENVIRONMENT: 'production' });
  const mine = await somebody('owner');
  t.is((await mine.get('/v1/members')).status, 403);
  const before = mine.cookies.get('__Host-session');
  const { device, passkey } = await enrollPasskey(mine);
  t.like(passkey, { name: 'laptop', created_at: '2026-11-20T12:00:15.000Z', last_used_at: null });
  t.not(mine.cookies.get('__Host-session'), before);
  t.is((await mine.get('/v1/members')).status, 200);
  clock.at += MINUTE;
  const away = await signedIn(mine.user.id);
  t.is((await away.get('/v1/members')).status, 403);
  const asked = (await away.post(`${PASSKEYS}/challenge`)).body;
  const shown = await away.post(`${PASSKEYS}/verify`, { response: device.get(asked) });
  t.like(shown, { status: 200, body: { id: away.session_id, second_factor: true } });
  t.is((await away.get('/v1/members')).status, 200);
  const { body } = await mine.get('/v1/second-factor');
  t.deepEqual(body.passkeys, [{ ...passkey, last_used_at: '2026-11-20T12:01:15.000Z' }]);
});

test('an authenticator is asked to verify its user, for the host of BASE_URL, and not for what it holds already', async t => {
  const { somebody, enrollPasskey } = await accounts(t);
  const mine = await somebody('developer');
  const { device } = await enrollPasskey(mine);
  const { id } = device.get({ challenge: '' });
  const { body: create } = await mine.post(`${PASSKEYS}/options`);
  t.deepEqual(create.rp, { id: 'oversight.example.com', name: 'Agent Payment Oversight' });
  t.like(create.user, { name: mine.user.email, displayName: mine.user.name });
  t.like(create.authenticatorSelection, { residentKey: 'preferred', userVerification: 'required' });
  t.deepEqual(create.excludeCredentials, [{ id, transports: ['internal'], type: 'public-key' }]);
  const { body: get } = await mine.post(`${PASSKEYS}/challenge`);
  t.like(get, { rpId: 'oversight.example.com', userVerification: 'required' });
  t.deepEqual(get.allowCredentials, [{ id, transports: ['internal'], type: 'public-key' }]);
  t.true(Buffer.from(get.challenge, 'base64url').length >= 32);
  t.not(get.challenge, create.challenge);
});

for (const [what, wrong] of [
  ['of another site', { origin: 'https://evil.example' }],
  ['of another port', { origin: 'https://oversight.example.com:8443' }],
  ['for another host', { rp_id: 'example.com' }],
  ['to another challenge', { challenge: 'AAAA' }],
  ['of another kind', { type: 'payment.get' }],
  ['without its user verified', { verified: false }],
] as const) {
  test(`the answer of an authenticator ${what} neither enrolls nor shows a passkey`, async t => {
    const { somebody, signedIn, enrollPasskey, origin } = await accounts(t);
    const mine = await somebody('developer');
    const { device } = await enrollPasskey(mine);
    const other = authenticator(origin);
    const asked = (await mine.post(`${PASSKEYS}/options`)).body;
    const made = await mine.post(PASSKEYS, { name: 'a', response: other.create(asked, wrong) });
    t.like(made, { status: 422, body: { error: { code: 'unprocessable' } } });
    const away = await signedIn(mine.user.id);
    const challenged = (await away.post(`${PASSKEYS}/challenge`)).body;
    t.is((await away.post(`${PASSKEYS}/verify`, { response: device.get(challenged, wrong) })).status, 422);
    t.is((await away.get('/v1/sources')).status, 403);
  });
}

test('a challenge is good once, in its session, for its purpose and for five minutes', async t => {
  const { somebody, signedIn, enrollPasskey, clock, origin, db } = await accounts(t, {}, true);
  const mine = await somebody('developer');
  const { device } = await enrollPasskey(mine);
  const [away, other] = [await signedIn(mine.user.id), await signedIn(mine.user.id)];
  const challenge = async () => (await away.post(`${PASSKEYS}/challenge`)).body;
  const show = async (asked: { challenge: string }, from = away) =>
    (await from.post(`${PASSKEYS}/verify`, { response: device.get(asked) })).status;
  const first = await challenge();
  t.is(await show(first, other), 422, 'of another session');
  t.is(await show(first), 200);
  t.is(await show(first), 422, 'again');
  const second = await challenge();
  const wrong = device.get(second, { origin: 'https://evil.example' });
  t.is((await away.post(`${PASSKEYS}/verify`, { response: wrong })).status, 422);
  t.is(await show(second), 422, 'used up by a wrong answer');
  const third = await challenge();
  t.is((await mine.post(PASSKEYS, { name: 'a', response: authenticator(origin).create(third) })).status, 422);
  clock.at += 5 * MINUTE;
  t.is(await pruneTable(db, 'passkey_challenges', clock.at), 1);
  clock.at += 15 * MINUTE;
  const fourth = await challenge();
  clock.at += 5 * MINUTE;
  t.is(await show(fourth), 422, 'too late');
});

test('of many answers to one challenge at once one is taken', async t => {
  const { somebody, enrollPasskey } = await accounts(t);
  const mine = await somebody('developer');
  const { device } = await enrollPasskey(mine);
  const asked = (await mine.post(`${PASSKEYS}/challenge`)).body;
  const response = device.get(asked);
  const replies = await Promise.all(Array.from({ length: 4 }, () => mine.post(`${PASSKEYS}/verify`, { response })));
  t.is(replies.filter(({ status }) => status === 200).length, 1, statusesOf(replies).join(' '));
});

test('an authenticator whose counter went back is a copy, and refused', async t => {
  const { somebody, enrollPasskey } = await accounts(t);
  const mine = await somebody('developer');
  const { device } = await enrollPasskey(mine);
  const show = async (counter: number) => {
    const asked = (await mine.post(`${PASSKEYS}/challenge`)).body;
    return (await mine.post(`${PASSKEYS}/verify`, { response: device.get(asked, { counter }) })).status;
  };
  t.is(await show(50), 200);
  t.is(await show(50), 422);
  t.is(await show(49), 422);
  t.is(await show(51), 200);
});

test('a passkey shows who enrolled it and nobody else, and is enrolled once', async t => {
  const { somebody, enrollPasskey } = await accounts(t);
  const [mine, other] = [await somebody('developer'), await somebody('developer')];
  const { device, passkey } = await enrollPasskey(mine);
  t.is((await other.post(`${PASSKEYS}/challenge`)).status, 409, 'there is none to show');
  await enrollPasskey(other);
  const asked = (await other.post(`${PASSKEYS}/challenge`)).body;
  t.is((await other.post(`${PASSKEYS}/verify`, { response: device.get(asked) })).status, 422);
  const again = (await other.post(`${PASSKEYS}/options`)).body;
  t.is((await other.post(PASSKEYS, { name: 'stolen', response: device.create(again) })).status, 409);
  t.is((await other.delete(`${PASSKEYS}/${passkey.id}`)).status, 404);
  t.is((await mine.get('/v1/second-factor')).body.passkeys.length, 1);
});

test('wrong answers of passkeys count with wrong codes: the sixth is not looked at', async t => {
  const { somebody, signedIn, enrollPasskey, enrollTotp } = await accounts(t);
  const mine = await somebody('developer');
  await enrollTotp(mine);
  const { device } = await enrollPasskey(mine);
  const away = await signedIn(mine.user.id);
  const response = device.get({ challenge: 'AAAA' });
  for (let count = 0; count < 3; count += 1) t.is((await away.post(`${PASSKEYS}/verify`, { response })).status, 422);
  for (let count = 0; count < 2; count += 1)
    t.is((await away.post('/v1/second-factor/verify', { code: '000000' })).status, 422);
  const asked = (await away.post(`${PASSKEYS}/challenge`)).body;
  const refused = await away.post(`${PASSKEYS}/verify`, { response: device.get(asked) });
  t.is(refused.status, 429);
  t.truthy(refused.headers.get('retry-after'));
});

test('what no authenticator answers is refused, and finds no error of the service', async t => {
  const { somebody, enrollPasskey, origin } = await accounts(t);
  const mine = await somebody('developer');
  await enrollPasskey(mine);
  const device = authenticator(origin);
  const asked = () => mine.post(`${PASSKEYS}/options`).then(({ body }) => body);
  const good = device.create(await asked());
  for (const response of [
    {},
    { ...good, id: '' },
    { ...good, id: '=' },
    { ...good, type: 'password' },
    { ...good, response: null },
    { ...good, response: { ...good.response, clientDataJSON: 'x'.repeat(20_000) } },
    { ...good, response: { ...good.response, transports: 'usb' } },
  ])
    t.is((await mine.post(PASSKEYS, { name: 'a', response })).status, 400, JSON.stringify(response).slice(0, 200));
  for (const change of [
    { clientDataJSON: 'AA' },
    { clientDataJSON: Buffer.from('null').toString('base64url') },
    { clientDataJSON: Buffer.from('{"type":{}}').toString('base64url') },
    { attestationObject: 'AA' },
    { attestationObject: Buffer.alloc(5_000, 0x9f).toString('base64url') },
    { attestationObject: good.response.attestationObject.slice(0, -20) },
  ]) {
    const fresh = device.create(await asked());
    const response = { ...fresh, response: { ...fresh.response, ...change } };
    t.is((await mine.post(PASSKEYS, { name: 'a', response })).status, 422, JSON.stringify(change).slice(0, 200));
  }
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(101), null])
    t.is((await mine.post(PASSKEYS, { name, response: good })).status, 400);
});

test('a passkey is removed by its id, and the other sessions end', async t => {
  const { somebody, signedIn, enrollPasskey } = await accounts(t);
  const mine = await somebody('developer');
  const { passkey } = await enrollPasskey(mine);
  const away = await signedIn(mine.user.id);
  const removed = await mine.delete(`${PASSKEYS}/${passkey.id.toLowerCase()}`);
  t.like(removed, { status: 200, body: { shown: false } });
  t.deepEqual(removed.body.passkeys, []);
  t.is((await away.get('/v1/me')).status, 401);
  t.is((await mine.delete(`${PASSKEYS}/${passkey.id}`)).status, 404);
});
