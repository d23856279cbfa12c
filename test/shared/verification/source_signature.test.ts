import { createHmac, createPublicKey } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import type { JWK } from 'jose';
import { createKeyResolver, type KeyRow } from '#shared/verification/keys.ts';
import { sourceSignature } from '#shared/verification/source_signature.ts';
import {
  base64url,
  flipCharacter,
  newKey,
  row,
  shown,
  signDetached,
  signJwt,
  summary,
} from '#test/helpers/proofs/jwt.ts';
import { OCCURRED_AT } from '#test/helpers/proofs/shown.ts';

const text = '{"amount":"1","payee":"Café"}';

async function result(
  jws: string,
  source: JWK | null,
  rows: readonly KeyRow[] = [],
  signed_input = text,
): Promise<string> {
  const evidence = { id: '', kind: 'signature', value: jws };
  const changes = { signature: { jws, signed_input }, keys: createKeyResolver(rows, source) };
  return summary(await sourceSignature.verify(evidence, shown([], rows, changes)));
}

test('an event that its source signed is verified, with each algorithm', async t => {
  for (const alg of ['EdDSA', 'ES256', 'ES384']) {
    const key = await newKey(alg);
    t.is(await result(await signDetached(key, text), key.jwk), 'verified', alg);
    t.is(await result(await signDetached(key, text, { b64: false, crit: ['b64'] }), key.jwk), 'verified', alg);
  }
});

test('a key that is trusted for sources, or of an agent, will do', async t => {
  const key = await newKey();
  const jws = await signDetached(key, text);
  t.is(await result(jws, null, [row(key, 'source')]), 'verified');
  t.is(await result(jws, null, [row(key, 'agent')]), 'verified');
  t.is(await result(jws, (await newKey()).jwk, [row(key, 'source')]), 'verified');
  t.is(await result(jws, null, [row(key, 'ap2_issuer')]), 'inconclusive key_unknown');
  t.is(await result(jws, null, [row(key, 'source', { not_after: OCCURRED_AT })]), 'inconclusive key_unknown');
  t.is(await result(jws, null), 'inconclusive key_unknown');
});

test("a signature of another, or over another event, is not the source's", async t => {
  const key = await newKey();
  const jws = await signDetached(await newKey(), text);
  t.is(await result(jws, key.jwk), 'failed signature_mismatch');
  t.is(await result(await signDetached(key, `${text} `), key.jwk), 'failed signature_mismatch');
  t.is(await result(jws, null, [row(key, 'source', { kid: 'k' })]), 'inconclusive key_unknown');
  t.is(
    await result(await signDetached(key, text, { kid: 'k' }), null, [row(await newKey(), 'source', { kid: 'k' })]),
    'failed signature_mismatch',
  );
  t.is(await result(await signDetached(await newKey('EdDSA'), text), key.jwk), 'failed signature_mismatch');
});

test('an event that was read elsewhere is not blamed for a text that nobody signed', async t => {
  const key = await newKey();
  const copy = '{"amount":"1","chain_seq":7,"payee":"Café"}';
  t.is(await result(await signDetached(key, text), key.jwk, [], copy), 'verified');
  t.is(await result(await signDetached(key, `${text} `), key.jwk, [], copy), 'inconclusive signed_text_unknown');
  t.is(await result('not a signature', key.jwk, [], copy), 'failed malformed_signature');
});

test('an algorithm that is not accepted fails, whatever it is signed with', async t => {
  const key = await newKey();
  const spki = createPublicKey({ key: key.jwk, format: 'jwk' } as never)
    .export({ type: 'spki', format: 'pem' })
    .toString();
  const hmac = (header: string) =>
    createHmac('sha256', spki)
      .update(`${base64url(header)}.${base64url(text)}`)
      .digest('base64url');
  for (const header of ['{"alg":"none"}', '{"alg":"HS256"}', '{"alg":"ES256K"}', '{}', '{"alg":null}'])
    t.is(await result(`${base64url(header)}..${hmac(header)}`, key.jwk), 'failed algorithm_not_allowed');
  t.is(await result(await signDetached(await newKey('RS256'), text), key.jwk), 'failed algorithm_not_allowed');
});

test('what is no detached signature fails', async t => {
  const key = await newKey();
  const b64 = base64url('{"alg":"ES256","b64":false}');
  for (const jws of ['', '..', 'a..b', await signJwt(key, { a: 1 }), `${b64}..AA`, `${'a'.repeat(200_000)}..`])
    t.is(await result(jws, key.jwk), 'failed malformed_signature');
});

test('a signature with any character changed, or over a text with any changed, is never verified', async t => {
  const key = await newKey();
  const jws = await signDetached(key, text);
  await fc.assert(
    fc.asyncProperty(fc.nat(2 ** 31 - 1), async seed => {
      t.not(await result(flipCharacter(jws, seed), key.jwk), 'verified');
      t.not(await result(jws, key.jwk, [], flipCharacter(text, seed)), 'verified');
    }),
    { numRuns: 200 },
  );
});
