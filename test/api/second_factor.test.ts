import test from 'ava';
import { addMember } from '#shared/people/users.ts';
import { accounts, statusesOf } from '#test/helpers/account.ts';
import { totpCode } from '#test/helpers/totp.ts';

const MINUTE = 60_000;
const production = { ENVIRONMENT: 'production' };
const VERIFY = '/v1/second-factor/verify';

test('after five wrong codes in 15 minutes no code is looked at, in any session; right ones do not count', async t => {
  const { somebody, signedIn, enrollTotp, clock } = await accounts(t);
  const mine = await somebody('developer');
  const { secret, recovery_codes } = await enrollTotp(mine);
  const show = async (body: unknown) => (await signedIn(mine.user.id)).post(VERIFY, body);
  const right = async () => {
    clock.at += MINUTE;
    return show({ code: totpCode(secret, clock.at) });
  };
  const wrong = { recovery_code: 'A'.repeat(24) };
  t.is((await show(wrong)).status, 422);
  for (let count = 0; count < 6; count += 1) t.is((await right()).status, 200);
  for (let count = 0; count < 3; count += 1) t.is((await show({ code: '000000' })).status, 422);
  t.is((await show(wrong)).status, 422);
  const refused = await right();
  t.is(refused.status, 429);
  t.is(refused.headers.get('retry-after'), String(15 * 60 - 7 * 60));
  t.is((await show({ recovery_code: recovery_codes?.[0] })).status, 429);
  clock.at += 8 * MINUTE;
  t.is((await right()).status, 200);
});

test('of many wrong codes at once no more than five are looked at', async t => {
  const { somebody, signedIn, enrollTotp } = await accounts(t);
  const mine = await somebody('developer');
  await enrollTotp(mine);
  const away = await signedIn(mine.user.id);
  const guesses = Array.from({ length: 12 }, (_, count) => away.post(VERIFY, { code: String(100_000 + count) }));
  const statuses = statusesOf(await Promise.all(guesses));
  t.deepEqual(statuses, [...Array.from({ length: 5 }, () => 422), ...Array.from({ length: 7 }, () => 429)]);
});

test('what is not a code is refused before it counts', async t => {
  const { somebody, enrollTotp } = await accounts(t);
  const mine = await somebody('developer');
  await enrollTotp(mine);
  for (const body of [
    {},
    { code: '12345' },
    { code: '1234567' },
    { code: '١٢٣٤٥٦' },
    { code: 123456 },
    { code: null },
    { recovery_code: 'short' },
    { recovery_code: 'x'.repeat(10_000) },
    { code: '123456', recovery_code: 'A'.repeat(24) },
    { code: '123456', more: 1 },
  ])
    for (let count = 0; count < 2; count += 1) t.is((await mine.post(VERIFY, body)).status, 400, JSON.stringify(body));
  t.is((await mine.post(VERIFY, { code: '000000' })).status, 422);
});

test('in production an owner without a second factor can enroll one, and then do the rest', async t => {
  const { somebody, enrollTotp } = await accounts(t, production);
  const mine = await somebody('owner');
  const { status, body } = await mine.get('/v1/members');
  t.is(status, 403);
  t.is(body.error.details[0].code, 'second_factor_missing');
  await enrollTotp(mine);
  t.is((await mine.get('/v1/members')).status, 200);
});

test('a session that has not shown the factor can neither add to it, take from it, nor make recovery codes', async t => {
  for (const role of ['developer', 'owner'] as const) {
    const { somebody, signedIn, enrollTotp, enrollPasskey } = await accounts(t, production);
    const mine = await somebody(role);
    await enrollTotp(mine);
    const { passkey, device } = await enrollPasskey(mine);
    const before = (await mine.get('/v1/second-factor')).body;
    const thief = await signedIn(mine.user.id);
    const response = device.create({ challenge: 'x' });
    for (const { status, body } of [
      await thief.post('/v1/second-factor/totp'),
      await thief.post('/v1/second-factor/totp/confirm', { code: '123456' }),
      await thief.post('/v1/second-factor/passkeys/options'),
      await thief.post('/v1/second-factor/passkeys', { name: 'mine', response }),
      await thief.post('/v1/second-factor/recovery-codes'),
      await thief.delete('/v1/second-factor/totp'),
      await thief.delete(`/v1/second-factor/passkeys/${passkey.id}`),
      await thief.delete(`/v1/sessions/${mine.session_id}`),
    ]) {
      t.is(status, 403);
      t.is(body.error.details[0].code, 'second_factor_needed');
    }
    t.deepEqual((await mine.get('/v1/second-factor')).body, before);
  }
});

test('a session that was left open is not enough to change what guards the account', async t => {
  const { somebody, signedIn, enrollTotp, clock } = await accounts(t);
  const mine = await somebody('owner');
  const other = await signedIn(mine.user.id);
  const changes = () => [
    mine.post('/v1/second-factor/totp'),
    mine.post('/v1/second-factor/passkeys/options'),
    mine.post('/v1/second-factor/recovery-codes'),
    mine.delete('/v1/second-factor/totp'),
    mine.delete(`/v1/second-factor/passkeys/psk_${'0'.repeat(26)}`),
    mine.delete(`/v1/sessions/${other.session_id}`),
  ];
  const areRefused = async (code: string) => {
    for (const { status, body } of await Promise.all(changes()))
      t.deepEqual([status, body.error.details?.[0].code], [403, code]);
  };
  clock.at += 16 * MINUTE;
  await areRefused('sign_in_stale');
  clock.at -= 16 * MINUTE;
  const { secret } = await enrollTotp(mine);
  clock.at += 16 * MINUTE;
  await areRefused('second_factor_stale');
  const again = await mine.post('/v1/second-factor/verify', { code: totpCode(secret, clock.at) });
  t.is(again.status, 200);
  t.is((await mine.delete(`/v1/sessions/${other.session_id}`)).status, 200);
  t.is((await mine.delete('/v1/second-factor/totp')).status, 200);
});

test('of two who hold a mailbox and begin to enroll, the second cannot add to what the first enrolled', async t => {
  const { somebody, signedIn, clock } = await accounts(t, production);
  const mine = await somebody('owner');
  const thief = await signedIn(mine.user.id);
  const confirm = async (from: { post: typeof mine.post }) => {
    const { secret } = (await from.post('/v1/second-factor/totp')).body;
    return () => from.post('/v1/second-factor/totp/confirm', { code: totpCode(secret, clock.at) });
  };
  const attempts = [await confirm(mine), await confirm(thief)];
  t.deepEqual(statusesOf(await Promise.all(attempts.map(attempt => attempt()))), [200, 403]);
});

test('removing a factor ends the other sessions, and tells every organization of the person', async t => {
  const { somebody, signedIn, enrollTotp, organization, db, person, clock } = await accounts(t);
  const mine = await somebody('developer');
  const { secret } = await enrollTotp(mine);
  const rival = await organization('Rival');
  await addMember(db, rival.id, { user_id: mine.user.id, role: 'developer', created_by: null }, clock.at);
  clock.at += MINUTE;
  const away = await signedIn(mine.user.id, rival.id);
  t.is((await away.post(VERIFY, { code: totpCode(secret, clock.at) })).status, 200);
  const { status, body } = await mine.delete('/v1/second-factor/totp');
  t.is(status, 200);
  t.like(body, { totp: null, shown: false, recovery_codes_left: 0 });
  t.is((await away.get('/v1/me')).status, 401);
  t.is((await mine.get('/v1/sources')).status, 200);
  t.is((await mine.delete('/v1/second-factor/totp')).status, 404);
  const actions = async (org_id?: string) => {
    const { body: log } = await (await person('owner', { of: org_id })).get('/v1/audit-log');
    return log.data.map(({ action }: { action: string }) => action);
  };
  t.deepEqual(await actions(), ['second_factor.removed', 'second_factor.enrolled']);
  t.deepEqual((await actions(rival.id)).toSorted(), ['second_factor.removed', 'second_factor.shown', 'session.ended']);
});

test('another app takes the place of the first; the codes of the first are worth nothing', async t => {
  const { somebody, signedIn, enrollTotp, clock } = await accounts(t, production);
  const mine = await somebody('owner');
  const first = await enrollTotp(mine);
  const away = await signedIn(mine.user.id);
  clock.at += MINUTE;
  const second = await enrollTotp(mine);
  t.is(second.recovery_codes, null, 'there are codes already');
  t.is((await away.get('/v1/me')).status, 401, 'the other sessions end');
  clock.at += MINUTE;
  const show = async (secret: string) =>
    (await signedIn(mine.user.id)).post(VERIFY, { code: totpCode(secret, clock.at) });
  t.is((await show(first.secret)).status, 422);
  t.is((await show(second.secret)).status, 200);
  t.is((await mine.get('/v1/second-factor')).body.recovery_codes_left, 10);
});

test('the last factor of somebody who needs one in any organization cannot be removed, also not two at once', async t => {
  const { somebody, enrollTotp, enrollPasskey, organization, db, clock } = await accounts(t, production);
  const mine = await somebody('developer');
  const rival = await organization('Rival');
  await addMember(db, rival.id, { user_id: mine.user.id, role: 'owner', created_by: null }, clock.at);
  await enrollTotp(mine);
  t.is((await mine.delete('/v1/second-factor/totp')).status, 409);
  const { passkey } = await enrollPasskey(mine);
  const replies = await Promise.all([
    mine.delete('/v1/second-factor/totp'),
    mine.delete(`/v1/second-factor/passkeys/${passkey.id}`),
  ]);
  t.deepEqual(statusesOf(replies), [200, 409]);
});

test('a secret that was shown once is not shown again to whoever repeats the request', async t => {
  const { somebody, clock } = await accounts(t);
  const mine = await somebody('developer');
  const key = { 'idempotency-key': 'k-1' };
  const { secret } = (await mine.post('/v1/second-factor/totp', undefined, key)).body;
  const again = await mine.post('/v1/second-factor/totp', undefined, key);
  t.deepEqual([again.status, again.body.error.code], [409, 'conflict']);
  t.is((await mine.post('/v1/second-factor/totp/confirm', { code: totpCode(secret, clock.at) })).status, 200);
});
