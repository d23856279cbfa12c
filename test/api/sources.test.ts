import { createHash, generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { event } from '#test/helpers/make.ts';
import { world } from '#test/helpers/world.ts';

const publicJwk = (curve: 'P-256' | 'ed25519') =>
  (curve === 'P-256' ? generateKeyPairSync('ec', { namedCurve: curve }) : generateKeyPairSync(curve)).publicKey.export({
    format: 'jwk',
  });

test('who sends without a source while that of the key is disabled is told what can be done about it', async t => {
  const { as } = await world(t);
  const { data } = (await as.get('/v1/sources')).body;
  await as.patch(`/v1/sources/${data[0].id}`, { state: 'disabled' });
  const { status, body } = await as.post('/v1/events', event());
  t.is(status, 400);
  t.regex(body.error.details[0].message, /^The source of this key is disabled: name an active one/);
  const { results } = (await as.post('/v1/events/validate', event())).body;
  t.deepEqual(
    results[0].errors.map(({ message }: { message: string }) => message),
    [body.error.details[0].message],
  );
  const { body: other } = await as.post('/v1/sources', { name: 'other', kind: 'sdk' });
  t.is((await as.post('/v1/events', { ...event(), source_id: other.id })).status, 201, 'as it was told');
});

test('a source is registered, read, listed, changed member by member, and disabled', async t => {
  const { as } = await world(t);
  const made = await as.post('/v1/sources', { name: ' till ', kind: 'psp_webhook' });
  t.is(made.status, 201);
  t.like(made.body, { name: 'till', kind: 'psp_webhook', description: null, key_thumbprint: null, state: 'active' });
  t.is(made.body.last_event_at, null);
  const path = `/v1/sources/${made.body.id}`;
  t.deepEqual((await as.get(path.toLowerCase())).body, made.body);
  t.deepEqual((await as.get('/v1/sources?limit=1')).body.data, [made.body]);
  t.deepEqual((await as.patch(path, {})).body, made.body);
  t.deepEqual((await as.patch(path, { description: 'by the door' })).body, {
    ...made.body,
    description: 'by the door',
  });
  const { body } = await as.patch(path, { name: 'back', kind: 'import', description: null, state: 'disabled' });
  t.deepEqual(body, { ...made.body, name: 'back', kind: 'import', state: 'disabled' });
  t.is((await as.patch(path, { state: 'active' })).body.state, 'active');
});

test('a public key is known by its RFC 7638 thumbprint; a private one is refused', async t => {
  const { as } = await world(t);
  for (const curve of ['P-256', 'ed25519'] as const) {
    const jwk = publicJwk(curve);
    const { body } = await as.post('/v1/sources', { name: curve, kind: 'sdk', public_key: { ...jwk, kid: 'mine' } });
    const { crv, kty, x, y } = jwk;
    const text = JSON.stringify({ crv, kty, x, y });
    t.is(body.key_thumbprint, createHash('sha256').update(text).digest('base64url'), curve);
    t.is((await as.patch(`/v1/sources/${body.id}`, { public_key: null })).body.key_thumbprint, null);
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const unusable = [
    privateKey.export({ format: 'jwk' }),
    { kty: 'oct', k: 'c2VjcmV0' },
    { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
    { kty: 'OKP', crv: 'Ed25519' },
    { ...publicJwk('P-256'), alg: 'HS256' },
    { kty: 'RSA', n: 1, e: {} },
    {},
  ];
  for (const public_key of unusable) {
    const { status, body } = await as.post('/v1/sources', { name: 'x', kind: 'sdk', public_key });
    t.is(status, 400, JSON.stringify(public_key));
    t.regex(body.error.details[0].path, /^\/public_key/);
  }
});

test('the signing secret of a source is never shown again, and not readable in the database', async t => {
  const { as, db } = await world(t, { own_database: true });
  const signing_secret = 'whsec_veryverysecret';
  const { body } = await as.post('/v1/sources', { name: 'till', kind: 'psp_webhook', signing_secret });
  const seen = [body, (await as.get(`/v1/sources/${body.id}`)).body, (await as.get('/v1/sources')).body];
  t.false(JSON.stringify(seen).includes('verysecret'));
  const Row = z.object({ row: z.string(), sealed: z.boolean() });
  const row = await db.one(sql.type(Row)`
    select s::text as row, sealed_secret is not null as sealed from sources s where id = ${body.id}`);
  t.true(row.sealed);
  t.false(row.row.includes('verysecret') || row.row.includes(Buffer.from('verysecret').toString('hex')));
});

test('a source that is not sound is refused at the member that is wrong', async t => {
  const { as } = await world(t);
  const { body: made } = await as.post('/v1/sources', { name: 'till', kind: 'other' });
  const wrong: [Record<string, unknown>, string][] = [
    [{ name: '' }, '/name'],
    [{ name: '   ' }, '/name'],
    [{ name: 'x'.repeat(201) }, '/name'],
    [{ kind: 'till' }, '/kind'],
    [{ description: 'x'.repeat(1_001) }, '/description'],
    [{ psp_scheme: 'paypal' }, '/psp_scheme'],
    [{ psp_config: { header: 'X' } }, '/psp_config/algorithm'],
    [{ signing_secret: '' }, '/signing_secret'],
    [{ id: made.id }, '/id'],
  ];
  for (const [member, path] of wrong) {
    for (const { status, body } of [
      await as.post('/v1/sources', { name: 'a', kind: 'sdk', ...member }),
      await as.patch(`/v1/sources/${made.id}`, member),
    ]) {
      t.is(status, 400, path);
      t.is(body.error.details[0].path, path);
    }
  }
  t.is((await as.patch(`/v1/sources/${made.id}`, { state: 'gone' })).status, 400);
  t.is((await as.post('/v1/sources', { name: 'a', kind: 'sdk', state: 'active' })).status, 400);
  t.is((await as.get('/v1/sources')).body.data.length, 2);
});

test('a secret that Adyen cannot have signed with is refused, whichever of scheme and secret comes last', async t => {
  const { as } = await world(t);
  const till = { name: 'till', kind: 'psp_webhook' };
  const [adyen, text] = [{ psp_scheme: 'adyen' }, { signing_secret: 'whsec_5e1f' }];
  const { body: schemed } = await as.post('/v1/sources', { ...till, ...adyen, signing_secret: '44782def' });
  const { body: secretive } = await as.post('/v1/sources', { ...till, ...text });
  for (const { status, body } of [
    await as.post('/v1/sources', { ...till, ...adyen, ...text }),
    await as.patch(`/v1/sources/${schemed.id}`, text),
    await as.patch(`/v1/sources/${secretive.id}`, adyen),
  ]) {
    t.is(status, 400);
    t.is(body.error.details[0].path, '/signing_secret');
    t.regex(body.error.message, /must be hexadecimal/);
  }
  t.is((await as.patch(`/v1/sources/${secretive.id}`, { ...adyen, signing_secret: '44782DEF' })).status, 200);
  t.is((await as.patch(`/v1/sources/${schemed.id}`, { ...text, psp_scheme: 'stripe' })).status, 200);
});
