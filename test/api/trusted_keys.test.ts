import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { leafCertificate, weakRoot } from '#test/fixtures/certificates.ts';
import { selfSigned } from '#test/fixtures/self_signed.ts';
import { world } from '#test/helpers/world.ts';

const newJwk = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const thumbprintOf = ({ crv, kty, x }: { crv?: string; kty?: string; x?: string }) =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
const pathOf = (kid: string) => `/v1/trusted-keys/${encodeURIComponent(kid)}`;

test('a key is believed under its thumbprint, under the kid in it, or under the kid that is given', async t => {
  const { person } = await world(t, { now: () => Date.parse('2026-11-20T10:00:00.000Z') });
  const admin = await person('admin');
  const jwk = newJwk();
  const thumbprint = thumbprintOf(jwk);
  const { status, body } = await admin.post('/v1/trusted-keys', { use: 'ap2_issuer', jwk });
  t.is(status, 201);
  t.deepEqual(body, {
    id: body.id,
    kid: thumbprint,
    use: 'ap2_issuer',
    issuer: null,
    kind: 'jwk',
    thumbprint,
    not_before: null,
    not_after: null,
    created_at: '2026-11-20T10:00:00.000Z',
    created_by: admin.user.id,
    revoked_at: null,
  });
  const named = await admin.post('/v1/trusted-keys', {
    use: 'agent',
    jwk: { ...newJwk(), kid: 'https://a.example/#1' },
  });
  t.is(named.body.kid, 'https://a.example/#1');
  const more = {
    kid: 'mine',
    issuer: 'Acme',
    not_before: '2026-01-01T01:00:00+01:00',
    not_after: '2027-01-01T00:00:00Z',
  };
  const given = await admin.post('/v1/trusted-keys', { use: 'any', jwk: { ...newJwk(), kid: 'theirs' }, ...more });
  t.like(given.body, { ...more, not_before: '2026-01-01T00:00:00.000Z', not_after: '2027-01-01T00:00:00.000Z' });
  t.deepEqual((await admin.get('/v1/trusted-keys')).body, { data: [given.body, named.body, body], next_cursor: null });
});

test('a set of keys is taken as a whole or not at all', async t => {
  const { person } = await world(t);
  const owner = await person('owner');
  const [one, two] = [
    { ...newJwk(), kid: 'one' },
    { ...newJwk(), kid: 'two' },
  ];
  const add = (...keys: object[]) => owner.post('/v1/trusted-keys', { use: 'kyapay', jwks: { keys } });
  const { status, body } = await add(one, newJwk());
  t.is(status, 201);
  t.is(body.next_cursor, null);
  t.is(body.data.length, 2);
  t.is(body.data[0].kid, 'one');
  const taken = await add(two, one);
  t.is(taken.status, 409);
  t.true(taken.body.error.message.includes('one'));
  t.is((await add(two, two)).body.error.details[0].path, '/jwks/keys/1/kid');
  t.is((await add(two, { kty: 'OKP', crv: 'Ed25519' })).body.error.details[0].path, '/jwks/keys/1');
  t.is((await add()).status, 400);
  t.is((await owner.get('/v1/trusted-keys')).body.data.length, 2);
});

test('a root certificate is believed while it is valid, under the thumbprint of its key', async t => {
  const { person } = await world(t);
  const admin = await person('admin');
  const { status, body } = await admin.post('/v1/trusted-keys', { use: 'ap2_issuer', x5c_root: selfSigned.cert });
  t.is(status, 201);
  t.like(body, {
    kind: 'x5c_root',
    kid: body.thumbprint,
    not_before: '2026-11-20T10:19:09.000Z',
    not_after: '2126-10-27T10:19:09.000Z',
  });
  const jwk = new X509Certificate(selfSigned.cert).publicKey.export({ format: 'jwk' });
  t.is((await admin.post('/v1/trusted-keys', { use: 'ap2_issuer', jwk })).status, 409);
});

test('a key whose kid is in use is refused; after it was revoked the kid can be given anew', async t => {
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const { person } = await world(t, { now: () => time });
  const admin = await person('admin');
  const kid = 'did:web:a.example/keys?v=1#%41~';
  const add = () => admin.post('/v1/trusted-keys', { use: 'receipt', jwk: newJwk(), kid });
  const first = await add();
  t.is(first.status, 201);
  t.is((await add()).status, 409);
  const revoked = await admin.delete(pathOf(kid));
  t.deepEqual(revoked.body, { ...first.body, revoked_at: '2026-11-20T10:00:00.000Z' });
  time += 60_000;
  t.deepEqual((await admin.delete(pathOf(kid))).body, revoked.body);
  const second = await add();
  t.is(second.status, 201);
  t.deepEqual((await admin.get('/v1/trusted-keys')).body.data, [second.body, revoked.body]);
  t.like((await admin.delete(pathOf(kid))).body, { id: second.body.id, revoked_at: '2026-11-20T10:01:00.000Z' });
});

test('of two requests that add one kid in the same moment, one does', async t => {
  const { person } = await world(t);
  const admin = await person('admin');
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => admin.post('/v1/trusted-keys', { use: 'any', jwk: newJwk(), kid: 'same' })),
  );
  t.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409, 409]);
});

test('what cannot be believed is refused where it is wrong, and nothing is kept', async t => {
  const { person } = await world(t);
  const admin = await person('admin');
  const jwk = newJwk();
  const secret = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const pem = selfSigned.cert;
  const wrong: [object, string][] = [
    [{ jwk }, '/use'],
    [{ jwk, use: 'mandates' }, '/use'],
    [{ use: 'any' }, ''],
    [{ use: 'any', jwk, x5c_root: pem }, ''],
    [{ use: 'any', jwk, jwks: { keys: [jwk] } }, ''],
    [{ use: 'any', jwks: { keys: [jwk] }, kid: 'x' }, '/kid'],
    [{ use: 'any', jwks: { keys: Array.from({ length: 101 }, () => jwk) } }, '/jwks/keys'],
    [{ use: 'any', jwk: secret }, '/jwk'],
    [{ use: 'any', jwks: { keys: [secret] } }, '/jwks/keys/0'],
    [{ use: 'any', jwk: { kty: 'oct', k: 'c2VjcmV0' } }, '/jwk/kty'],
    [{ use: 'any', jwk: { ...jwk, x: 'AA' } }, '/jwk'],
    [{ use: 'any', jwk: { ...jwk, kid: 7 } }, '/jwk/kid'],
    [{ use: 'any', jwk: { ...jwk, alg: 'HS256' } }, '/jwk'],
    ...['', 'a b', 'ä', '.', '..', 'x'.repeat(201)].map((kid): [object, string] => [{ use: 'any', jwk, kid }, '/kid']),
    [{ use: 'any', jwk, not_after: 'soon' }, '/not_after'],
    [{ use: 'any', jwk, not_before: '2026-01-01T00:00:00Z', not_after: '2026-01-01T00:00:00Z' }, '/not_after'],
    [{ use: 'any', jwk, issuer: 'a\nb' }, '/issuer'],
    [{ use: 'any', x5c_root: 'not a certificate' }, '/x5c_root'],
    [{ use: 'any', x5c_root: leafCertificate }, '/x5c_root'],
    [{ use: 'any', x5c_root: weakRoot }, '/x5c_root'],
    [{ use: 'any', x5c_root: `${pem}\n${pem}` }, '/x5c_root'],
    [{ use: 'any', x5c_root: selfSigned.key }, '/x5c_root'],
    [{ use: 'any', x5c_root: `${selfSigned.key}\n${pem}` }, '/x5c_root'],
  ];
  for (const [given, path] of wrong) {
    const { status, body } = await admin.post('/v1/trusted-keys', given);
    t.is(status, 400, JSON.stringify(given).slice(0, 100));
    t.is(body.error.details[0].path, path, JSON.stringify(given).slice(0, 100));
  }
  t.deepEqual((await admin.get('/v1/trusted-keys')).body.data, []);
});

test('of a key only what verifies is kept, whatever else came with it', async t => {
  const { person, db } = await world(t, { own_database: true });
  const admin = await person('admin');
  const jwk = { ...newJwk(), use: 'sig', note: 'x'.repeat(1_000), x5u: 'https://a.example' };
  t.is((await admin.post('/v1/trusted-keys', { use: 'any', jwk })).status, 201);
  const kept = await db.oneFirst(
    sql.type(z.object({ jwk: z.record(z.string(), z.string()) }))`select jwk from trusted_keys`,
  );
  t.deepEqual(Object.keys(kept).toSorted(), ['crv', 'kty', 'x']);
});

test('trusted keys are for admins and owners, and each organization has its own', async t => {
  const { person, as, organization } = await world(t);
  const [developer, admin] = [await person('developer'), await person('admin')];
  const eve = await person('owner', { of: (await organization('Rival')).id });
  const body = { use: 'any', jwk: newJwk(), kid: 'shared' };
  for (const client of [developer, as]) {
    t.is((await client.get('/v1/trusted-keys')).status, 403);
    t.is((await client.post('/v1/trusted-keys', body)).status, 403);
    t.is((await client.delete(pathOf('shared'))).status, 403);
  }
  t.is((await admin.post('/v1/trusted-keys', body)).status, 201);
  t.is((await eve.delete(pathOf('shared'))).status, 404);
  t.is((await eve.post('/v1/trusted-keys', body)).status, 201);
  t.is((await admin.delete(pathOf('unknown'))).status, 404);
  await admin.post('/v1/trusted-keys', { ...body, kid: 'second' });
  const { next_cursor } = (await admin.get('/v1/trusted-keys?limit=1')).body;
  t.is((await admin.get(`/v1/trusted-keys?limit=1&cursor=${next_cursor}`)).body.data[0].kid, 'shared');
  t.is((await eve.get(`/v1/trusted-keys?limit=1&cursor=${next_cursor}`)).status, 400);
});
