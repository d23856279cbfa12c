import test from 'ava';
import * as fc from 'fast-check';
import { CompactSign, compactVerify, type JWK } from 'jose';
import { parseDetachedJws, parseJws, parseJwt } from '#shared/verification/jose/jws.ts';
import { algorithmOf, fits, signatureHolds } from '#shared/verification/jose/signature.ts';
import { findTimeFault } from '#shared/verification/jose/times.ts';
import { base64url, flipCharacter, newKey, signDetached, signJwt, signRaw } from '#test/helpers/proofs/jwt.ts';

const holds = (text: string, jwk: JWK) => {
  const jws = parseJws(text);
  return jws.ok && signatureHolds({ ...jws.value, alg: String(jws.value.header['alg']) }, jwk);
};

test('a signature holds where jose says so, and nowhere else', async t => {
  for (const alg of ['ES256', 'ES384', 'EdDSA']) {
    const key = await newKey(alg);
    const text = await signJwt(key, { a: 1 });
    t.true(holds(text, key.jwk));
    t.false(holds(text, (await newKey(alg)).jwk));
    await fc.assert(
      fc.asyncProperty(fc.nat(2 ** 31 - 1), async seed => {
        const flipped = flipCharacter(text, seed);
        const byJose = await compactVerify(flipped, key.publicKey).then(
          () => true,
          () => false,
        );
        t.false(holds(flipped, key.jwk));
        // jose reads a signature whose last character has other spare bits as the same bytes.
        t.is(byJose, isSpareBits(flipped, text));
      }),
    );
  }
});

test('the other form of an ECDSA signature holds as well, as it does for jose', async t => {
  const key = await newKey();
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const [header, payload, signature = ''] = (await signJwt(key, { a: 1 })).split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const mirrored = (order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)).toString(16).padStart(64, '0');
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(mirrored, 'hex')]).toString('base64url');
  t.true(holds(`${header}.${payload}.${other}`, key.jwk));
  await t.notThrowsAsync(compactVerify(`${header}.${payload}.${other}`, key.publicKey));
});

test('a key is used with its one algorithm, in public, for signatures', async t => {
  const { jwk } = await newKey();
  t.is(algorithmOf(jwk), 'ES256');
  t.true(fits(jwk, 'ES256'));
  t.true(fits({ ...jwk, alg: 'ES256', use: 'sig', key_ops: ['verify'] }, 'ES256'));
  t.false(fits(jwk, 'ES384'));
  t.false(fits(jwk, 'none'));
  t.false(fits({ ...jwk, alg: 'ES384' }, 'ES256'));
  t.false(fits({ ...jwk, use: 'enc' }, 'ES256'));
  t.false(fits({ ...jwk, key_ops: ['sign'] }, 'ES256'));
  t.false(fits({ ...jwk, d: 'AA' }, 'ES256'));
  t.true(fits({ ...(await newKey('EdDSA')).jwk, alg: 'Ed25519' }, 'EdDSA'));
});

test('keys that are none hold nothing, and throw nothing', async t => {
  const key = await newKey();
  const text = await signJwt(key, {});
  const { x = '', y = '' } = key.jwk;
  const odd: object[] = [
    { x: y },
    { x: '' },
    { x: 1 },
    { y: undefined },
    { x: `${x}=` },
    { x: x.repeat(100) },
    { kty: 'oct', k: x },
    { crv: 'P-384' },
  ];
  for (const change of odd) t.false(holds(text, { ...key.jwk, ...change } as JWK));
});

test('text that is no JWS is refused, with what would be right', async t => {
  const sound = await signJwt(await newKey(), { a: 1 });
  const [header = '', payload = '', signature = ''] = sound.split('.');
  const odd = [
    '',
    'a',
    'a.b',
    `${sound}.`,
    ` ${sound}`,
    `${header}=.${payload}.${signature}`,
    `${header}..${signature}`,
    `${base64url('[]')}.${payload}.`,
  ];
  for (const text of odd) t.false(parseJws(text).ok);
  t.false(parseJws(`${base64url('{"alg":"ES256","alg":"none"}')}.${payload}.${signature}`).ok);
  t.false(parseJws(`${base64url('{"alg":"ES256","b64":false}')}.${payload}.${signature}`).ok);
  t.false(parseJws('a'.repeat(200_000)).ok);
  t.true(parseJwt(sound).ok);
  t.false(parseJwt(signRaw(await newKey(), '{}', '[]')).ok);
  t.false(parseJwt(signRaw(await newKey(), '{}', '{"a":1,"a":2}')).ok);
});

test('a payload may travel beside its signature, encoded or as it is', async t => {
  const key = await newKey('EdDSA');
  for (const header of [{}, { b64: false, crit: ['b64'] }, { b64: true, crit: ['b64'] }]) {
    const jws = parseDetachedJws(await signDetached(key, 'Grüße', header), 'Grüße');
    t.true(jws.ok && signatureHolds({ ...jws.value, alg: 'EdDSA' }, key.jwk));
  }
  const encoded = (header: string) => `${base64url(header)}..AA`;
  for (const header of [
    '{"b64":false}',
    '{"b64":false,"crit":["b64","exp"]}',
    '{"b64":1,"crit":["b64"]}',
    '{"crit":[]}',
  ])
    t.false(parseDetachedJws(encoded(header), '').ok, header);
  t.false(
    parseDetachedJws(
      await new CompactSign(Buffer.from('x')).setProtectedHeader({ alg: 'EdDSA' }).sign(key.privateKey),
      'x',
    ).ok,
  );
});

test('times are judged to the millisecond, with the skew that is given', t => {
  const none = { exp: 0, nbf: 0, iat: 0 };
  const kind = (claims: Record<string, unknown>, at: number, skew = none) =>
    findTimeFault(claims, at, skew)?.kind ?? 'valid';
  t.deepEqual(
    [10_000, 10_001].map(at => kind({ exp: 10 }, at)),
    ['valid', 'expired'],
  );
  t.deepEqual(
    [10_000, 9_999].map(at => kind({ nbf: 10 }, at)),
    ['valid', 'early'],
  );
  t.deepEqual(
    [9_500, 9_499].map(at => kind({ iat: 10 }, at, { ...none, iat: 500 })),
    ['valid', 'early'],
  );
  t.is(kind({ exp: 10.5 }, 10_400), 'valid');
  for (const odd of [null, '10', -1, Number.NaN, Infinity, 1e15, [], {}]) t.is(kind({ exp: odd }, 0), 'malformed');
});

/** Whether two compact texts differ only in bits of the signature's last character that stand for nothing. */
function isSpareBits(a: string, b: string): boolean {
  const [start, end] = [a, b].map(text => text.lastIndexOf('.') + 1);
  const bytes = (text: string, from = 0) => Buffer.from(text.slice(from), 'base64url');
  return a.slice(0, start) === b.slice(0, end) && bytes(a, start).equals(bytes(b, end));
}
