import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { pruneTable } from '#shared/running/work/prune.ts';
import { accounts, statusesOf } from '#test/helpers/account.ts';
import { totpCode } from '#test/helpers/totp.ts';

const MINUTE = 60_000;
const VERIFY = '/v1/second-factor/verify';

test('the codes are those of RFC 6238', t => {
  // Appendix B: the secret is "12345678901234567890"; the last six of its eight digits.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [20_000_000_000, '353130'],
  ] as const)
    t.is(totpCode(secret, seconds * 1_000), code);
});

test('an authenticator app is enrolled with a code of it, and ten recovery codes are shown once', async t => {
  const { somebody, enrollTotp } = await accounts(t);
  const mine = await somebody('developer');
  const none = { required: false, shown: false, totp: null, passkeys: [], recovery_codes_left: 0 };
  t.deepEqual((await mine.get('/v1/second-factor')).body, none);
  const before = mine.cookies.get('__Host-session');
  const { recovery_codes } = await enrollTotp(mine);
  t.is(new Set(recovery_codes).size, 10);
  for (const code of recovery_codes ?? []) t.regex(code, /^([0-9A-HJKMNP-TV-Z]{6}-){3}[0-9A-HJKMNP-TV-Z]{6}$/);
  t.not(mine.cookies.get('__Host-session'), before, 'the session goes on under a new token');
  t.deepEqual((await mine.get('/v1/second-factor')).body, {
    ...none,
    shown: true,
    totp: { created_at: '2026-11-20T12:00:15.000Z' },
    recovery_codes_left: 10,
  });
});

test('what an app is told is a secret of 160 bits with the name of the deployment and the person', async t => {
  for (const [ENVIRONMENT, issuer] of [
    ['sandbox', 'Agent Payment Oversight (sandbox)'],
    ['production', 'Agent Payment Oversight'],
  ] as const) {
    const { somebody } = await accounts(t, { ENVIRONMENT });
    const mine = await somebody('developer');
    const { status, body, headers } = await mine.post('/v1/second-factor/totp');
    t.is(status, 201);
    t.is(headers.get('cache-control'), 'no-store');
    t.regex(body.secret, /^[A-Z2-7]{32}$/);
    const { protocol, host, pathname, searchParams } = new URL(body.uri);
    t.deepEqual([protocol, host], ['otpauth:', 'totp']);
    t.is(decodeURIComponent(pathname), `/${issuer}:${mine.user.email}`);
    t.is(searchParams.get('secret'), body.secret);
    t.is(searchParams.get('issuer'), issuer);
  }
});

test('before its first code an app is no factor, and after ten minutes none can be made of it', async t => {
  const { somebody, clock, signedIn, db } = await accounts(t);
  const mine = await somebody('developer');
  const { secret } = (await mine.post('/v1/second-factor/totp')).body;
  const confirm = (from = mine) => from.post('/v1/second-factor/totp/confirm', { code: totpCode(secret, clock.at) });
  t.is((await mine.post('/v1/second-factor/totp/confirm', { code: '000000' })).status, 422);
  t.is(
    (await confirm(await signedIn(mine.user.id).then(away => ({ ...mine, ...away })))).status,
    409,
    'another session',
  );
  t.like((await mine.get('/v1/me')).body.second_factor, { enrolled: false });
  clock.at += 10 * MINUTE;
  t.is((await confirm()).status, 409);
  t.is(await pruneTable(db, 'pending_totp', clock.at), 1);
});

test('secrets and recovery codes cannot be read in the database', async t => {
  const { somebody, enrollTotp, db } = await accounts(t);
  const mine = await somebody('developer');
  const pending = (await mine.post('/v1/second-factor/totp')).body.secret;
  const dump = async () =>
    db.oneFirst(sql.type(z.object({ text: z.string() }))`
      select concat((select string_agg(p::text, ' ') from pending_totp p), (select string_agg(f::text, ' ') from second_factors f),
        (select string_agg(r::text, ' ') from recovery_codes r), (select string_agg(a::text, ' ') from audit_log a),
        (select string_agg(s::text, ' ') from sessions s)) as text`);
  const hex = (text: string) => Buffer.from(text).toString('hex');
  const first = await dump();
  t.false(first.includes(pending) || first.includes(hex(pending)));
  const { secret, recovery_codes } = await enrollTotp(mine);
  const kept = await dump();
  t.true(kept.includes('second_factor.enrolled'), 'there is something to be found');
  const secrets = [secret, mine.cookies.get('__Host-session') ?? '', ...(recovery_codes ?? [])];
  for (const text of secrets.flatMap(value => [value, value.replaceAll('-', '')]))
    t.false(kept.includes(text) || kept.includes(hex(text)), text);
});

test('a code is good one step to either side of its own, and no further', async t => {
  for (const [off, status] of [
    [0, 200],
    [-30_000, 200],
    [30_000, 200],
    [-60_000, 422],
    [60_000, 422],
  ] as const) {
    const { somebody, signedIn, enrollTotp, clock } = await accounts(t);
    const mine = await somebody('developer');
    const { secret } = await enrollTotp(mine);
    clock.at += 10 * MINUTE;
    const away = await signedIn(mine.user.id);
    t.is((await away.post(VERIFY, { code: totpCode(secret, clock.at + off) })).status, status, `${off}`);
  }
});

test('a code is good once: not again, not for an earlier step, and of five at once for one', async t => {
  const { somebody, signedIn, enrollTotp, clock } = await accounts(t);
  const mine = await somebody('developer');
  const { secret } = await enrollTotp(mine);
  const show = async (at: number) => (await signedIn(mine.user.id)).post(VERIFY, { code: totpCode(secret, at) });
  t.is((await show(clock.at)).status, 422, 'the code that enrolled it');
  clock.at += 10 * MINUTE;
  t.is((await show(clock.at)).status, 200);
  t.is((await show(clock.at)).status, 422);
  t.is((await show(clock.at - 30_000)).status, 422);
  clock.at += 20 * MINUTE;
  t.deepEqual(
    statusesOf(await Promise.all(Array.from({ length: 5 }, () => show(clock.at)))),
    [200, 422, 422, 422, 422],
  );
});

test('showing a code raises this session alone, and its old cookie is worth nothing', async t => {
  const { somebody, signedIn, enrollTotp, clock, client } = await accounts(t);
  const mine = await somebody('developer');
  const { secret } = await enrollTotp(mine);
  clock.at += MINUTE;
  const [away, other] = [await signedIn(mine.user.id), await signedIn(mine.user.id)];
  const old = away.cookies.get('__Host-session');
  t.is((await away.get('/v1/sources')).status, 403);
  const shown = await away.post(VERIFY, { code: totpCode(secret, clock.at) });
  t.like(shown, { status: 200, body: { id: away.session_id, second_factor: true, current: true } });
  t.is((await away.get('/v1/sources')).status, 200);
  t.is((await client({ cookie: `__Host-session=${old}` }).get('/v1/me')).status, 401);
  t.is((await other.get('/v1/sources')).status, 403);
});

test('a recovery code is good once, however it is typed, and says how many are left', async t => {
  const { somebody, signedIn, enrollTotp, as, person } = await accounts(t);
  const mine = await somebody('developer');
  const codes = (await enrollTotp(mine)).recovery_codes ?? [];
  const show = async (recovery_code = '') => (await signedIn(mine.user.id)).post(VERIFY, { recovery_code });
  t.is((await show(codes[0])).status, 200);
  t.is((await show(codes[0])).status, 422);
  t.is((await show(codes[1]?.toLowerCase().replaceAll('-', ' '))).status, 200);
  t.is((await show(codes[2]?.replaceAll('0', 'O').replaceAll('1', 'l'))).status, 200);
  t.deepEqual(statusesOf(await Promise.all([show(codes[3]), show(codes[3]), show(codes[3])])), [200, 422, 422]);
  t.is((await mine.get('/v1/second-factor')).body.recovery_codes_left, 6);
  const { body } = await (await person('owner')).get('/v1/audit-log?action=second_factor.recovery_code_used');
  t.deepEqual(
    body.data.map(({ after }: { after: unknown }) => after),
    [{ left: 6 }, { left: 7 }, { left: 8 }, { left: 9 }],
  );
  t.is((await as.post(VERIFY, { recovery_code: codes[4] })).status, 403, 'a key is nobody');
});

test('new recovery codes take the place of the old ones', async t => {
  const { somebody, signedIn, enrollTotp } = await accounts(t);
  const mine = await somebody('developer');
  t.is((await mine.post('/v1/second-factor/recovery-codes')).status, 409, 'of what nobody has');
  const old = (await enrollTotp(mine)).recovery_codes ?? [];
  const { body, headers } = await mine.post('/v1/second-factor/recovery-codes');
  t.is(headers.get('cache-control'), 'no-store');
  t.is(new Set([...body.recovery_codes, ...old]).size, 20);
  const show = async (recovery_code = '') => (await signedIn(mine.user.id)).post(VERIFY, { recovery_code });
  t.is((await show(old[0])).status, 422);
  t.is((await show(body.recovery_codes[0])).status, 200);
});

test('of recovery codes that are renewed several times at once, one set is good', async t => {
  const { somebody, signedIn, enrollTotp } = await accounts(t);
  const mine = await somebody('developer');
  await enrollTotp(mine);
  const replies = await Promise.all([1, 2, 3, 4].map(() => mine.post('/v1/second-factor/recovery-codes')));
  t.deepEqual(statusesOf(replies), [200, 200, 200, 200]);
  t.is((await mine.get('/v1/second-factor')).body.recovery_codes_left, 10);
  const away = await signedIn(mine.user.id);
  const show = (recovery_code: string) => away.post(VERIFY, { recovery_code });
  const shown = await Promise.all(replies.map(({ body }) => show(body.recovery_codes[0])));
  t.is(shown.filter(({ status }) => status === 200).length, 1);
});

test('recovery codes that are renewed while the last factor is removed do not outlive it', async t => {
  const { somebody, enrollTotp } = await accounts(t);
  for (let count = 0; count < 5; count += 1) {
    const mine = await somebody('developer');
    await enrollTotp(mine);
    const [renewed, removed] = await Promise.all([
      mine.post('/v1/second-factor/recovery-codes'),
      mine.delete('/v1/second-factor/totp'),
    ]);
    t.true([200, 409].includes(renewed.status));
    t.is(removed.status, 200);
    t.is((await mine.get('/v1/second-factor')).body.recovery_codes_left, 0);
  }
});
