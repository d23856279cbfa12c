import test from 'ava';
import * as fc from 'fast-check';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { publicKeyToAddress } from 'viem/accounts';
import { toHex } from 'viem';
import { x402Receipt } from '#shared/verification/x402/receipt.ts';
import type { BelievedKey, Outcome } from '#shared/verification/verifier.ts';
import { type X402EventOptions, evidenceOf, inputOf, paymentEvent } from '#test/helpers/proofs/x402.ts';
import { didKey, offerPayload, receiptPayload, signEs256k, signJws } from '#test/helpers/proofs/x402_receipts.ts';
import { runs } from '#test/helpers/runs.ts';

type Shown = { kind?: string; event?: X402EventOptions; believed?: BelievedKey[] };

async function verify(
  signature: string,
  { kind = 'x402.receipt', event, believed = [] }: Shown = {},
): Promise<Outcome> {
  const evidence = evidenceOf(kind, { format: 'jws', signature });
  const find = ({ kid }: { kid?: string | undefined }) =>
    believed.filter(key => kid === undefined || key.kid === kid || key.thumbprint === kid);
  const keys = { find, roots: () => [], source: () => null };
  return x402Receipt.verify(evidence, inputOf(paymentEvent(event), [evidence], { keys }));
}

const codes = ({ checks }: Outcome) => checks.flatMap(({ code }) => code ?? []);

async function key(alg: 'ES256' | 'EdDSA') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { private_key: privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

const seller = secp256k1.keygen(new Uint8Array(48).fill(7));
const sellerAddress = publicKeyToAddress(toHex(secp256k1.getPublicKey(seller.secretKey, false)));
const sellerDid = didKey('e701', seller.publicKey);
const paidToSeller = { event: { seller: sellerAddress } };

test('a receipt signed with a trusted key is verified, by ES256 and EdDSA', async t => {
  for (const alg of ['ES256', 'EdDSA'] as const) {
    const { private_key, jwk, thumbprint } = await key(alg);
    const jws = await signJws(receiptPayload, { alg, kid: 'shop-1' }, private_key);
    const believed = [{ kid: 'shop-1', thumbprint, issuer: null, jwk }];
    t.is((await verify(jws, { believed })).result, 'verified');
    t.is(
      (await verify(jws, { believed: [{ ...believed[0], issuer: 'https://example.com' } as BelievedKey] })).result,
      'verified',
    );
    const others = await verify(jws, { believed: [{ ...believed[0], issuer: 'other.example' } as BelievedKey] });
    t.deepEqual([others.result, ...codes(others)], ['failed', 'receipt_signer_unauthorized']);
  }
});

test('a receipt of a key nobody knows is inconclusive, and one that a known key did not sign fails', async t => {
  const [known, other] = [await key('ES256'), await key('ES256')];
  const jws = await signJws(receiptPayload, { alg: 'ES256', kid: 'did:web:api.example.com#1' }, other.private_key);
  const unknown = await verify(jws);
  t.deepEqual([unknown.result, ...codes(unknown), unknown.facts], ['inconclusive', 'key_unknown', []]);
  const believed = [{ kid: 'did:web:api.example.com#1', thumbprint: known.thumbprint, issuer: null, jwk: known.jwk }];
  t.deepEqual(codes(await verify(jws, { believed })), ['invalid_signature']);
  const others = believed.map(held => ({ ...held, issuer: 'other.example' }));
  t.deepEqual(codes(await verify(jws, { believed: others })), ['key_unknown'], 'another seller calls its key the same');
});

test('a receipt signed with the payee’s own key is verified, whether the DID holds the key or the address', async t => {
  for (const kid of [sellerDid, `${sellerDid}#1`, `did:pkh:eip155:1:${sellerAddress}`]) {
    const outcome = await verify(signEs256k(receiptPayload, kid, seller.secretKey), paidToSeller);
    t.is(outcome.result, 'verified', kid);
    const thief = await verify(signEs256k(receiptPayload, kid, new Uint8Array(32).fill(9)), paidToSeller);
    t.deepEqual([thief.result, ...codes(thief)], ['failed', 'invalid_signature'], kid);
  }
  const offer = signEs256k({ ...offerPayload, payTo: sellerAddress }, sellerDid, seller.secretKey);
  t.is((await verify(offer, { ...paidToSeller, kind: 'x402.offer' })).result, 'verified');
});

test('a DID that holds its own key proves only itself: it has to be the payee’s, or trusted', async t => {
  const [ed25519, ec] = [await key('EdDSA'), await key('ES256')];
  const point = p256.Point.fromBytes(Buffer.concat([Buffer.from([4]), coordinate(ec.jwk.x), coordinate(ec.jwk.y)]));
  for (const { alg, kid, private_key, jwk, thumbprint } of [
    { alg: 'EdDSA', kid: didKey('ed01', coordinate(ed25519.jwk.x)), ...ed25519 },
    { alg: 'ES256', kid: didKey('8024', point.toBytes(true)), ...ec },
    { alg: 'ES256', kid: `did:jwk:${Buffer.from(JSON.stringify(ec.jwk)).toString('base64url')}`, ...ec },
  ]) {
    const jws = await signJws(receiptPayload, { alg, kid }, private_key);
    const anybody = await verify(jws);
    t.deepEqual([anybody.result, ...codes(anybody)], ['failed', 'receipt_signer_unauthorized'], kid);
    t.is((await verify(jws, { believed: [{ kid: 'shop', thumbprint, issuer: null, jwk }] })).result, 'verified', kid);
  }
});

const coordinate = (text = '') => Buffer.from(text, 'base64url');

test('a JWS of a wrong algorithm, without a key id, padded or with a second payload fails', async t => {
  const { private_key, jwk, thumbprint } = await key('ES256');
  const believed = [{ kid: 'shop-1', thumbprint, issuer: null, jwk }];
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signature = Buffer.alloc(64, 1).toString('base64url');
  const good = await signJws(receiptPayload, { alg: 'ES256', kid: 'shop-1' }, private_key);
  const [head, body, tail] = good.split('.');
  for (const jws of [
    `${part({ alg: 'none', kid: 'shop-1' })}.${body}.`,
    `${part({ alg: 'HS256', kid: 'shop-1' })}.${body}.${signature}`,
    `${part({ alg: 'ES256' })}.${body}.${signature}`,
    `${part({ alg: 'ES256', kid: 'shop-1', crit: ['b64'], b64: false })}.${body}.${tail}`,
    `${head}.${part([1, 2, 3])}.${signature}`,
    `${head}.${body}==.${tail}`,
    `${head}.${body}.${tail}=`,
    `${head}.${body}.${tail}.${tail}`,
    `${head}.${body}`,
    `${head}.${body}.${tail?.slice(4)}`,
    `${head}.${Buffer.from('{"version":1,"version":1}').toString('base64url')}.${tail}`,
  ]) {
    const outcome = await verify(jws, { believed });
    t.deepEqual([outcome.result, ...codes(outcome)], ['failed', 'invalid_payload'], jws);
  }
  const confused = await verify(`${part({ alg: 'EdDSA', kid: 'shop-1' })}.${body}.${tail}`, { believed });
  t.deepEqual(codes(confused), ['invalid_signature']);
  const both = evidenceOf('x402.receipt', { format: 'jws', signature: good, payload: receiptPayload });
  t.is((await x402Receipt.verify(both, inputOf(paymentEvent(), [both]))).result, 'failed');
});

test('a JWS with any byte changed is never verified', async t => {
  const jws = signEs256k(receiptPayload, sellerDid, seller.secretKey);
  t.is((await verify(jws, paidToSeller)).result, 'verified');
  await fc.assert(
    fc.asyncProperty(fc.nat(jws.length - 1), fc.integer({ min: 1, max: 127 }), async (at, flip) => {
      const changed = jws.slice(0, at) + String.fromCharCode(jws.charCodeAt(at) ^ flip) + jws.slice(at + 1);
      t.not((await verify(changed, paidToSeller)).result, 'verified', changed);
    }),
    { numRuns: runs(300) },
  );
});
