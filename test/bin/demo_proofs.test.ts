import test from 'ava';
import { calculateJwkThumbprint } from 'jose';
import { recoverTypedDataAddress } from 'viem';
import { authorizationTypes } from '@x402/evm';
import { closeMandate, signOpenMandate } from '#bin/demo/proofs/ap2.ts';
import { createSigningKey, createWallet } from '#bin/demo/proofs/keys.ts';
import { x402Payload, type X402Payment } from '#bin/demo/proofs/x402.ts';
import { createRandom } from '#bin/demo/random.ts';
import { ap2Mandate } from '#shared/verification/ap2/ap2_mandate.ts';
import { x402Authorization } from '#shared/verification/x402/authorization.ts';
import { evidenceOf, minor, occurred_at, shown } from '#test/helpers/proofs/http.ts';

const usdc = { network: 'eip155:8453', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
const payer = createWallet(7, 'agent-1');
const seller = createWallet(7, 'seller').address;

const payment = (changes: Partial<X402Payment> = {}) =>
  x402Payload({
    payer,
    asset: usdc,
    value: '1250',
    pay_to: seller,
    resource_url: 'https://api.example.com/v1/search',
    at: occurred_at,
    nonce: createRandom(7).hex(64),
    ...changes,
  });

const paid = {
  rail: 'x402' as const,
  amount: {
    value: 1250n,
    denomination: `eip155:8453/${usdc.address.toLowerCase()}`,
    currency: null,
    asset: { ...usdc, decimals: 6 },
  },
  payee: { key: `eip155:8453:${seller}`, type: null, name: null, country: null },
  resource_url: 'https://api.example.com/v1/search',
};

test('an x402 payment of the demo is signed as viem reads it, the same in every run', async t => {
  const { signature, authorization } = payment().payload;
  t.deepEqual(payment(), payment());
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const signer = await recoverTypedDataAddress({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc.address as `0x${string}` },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from as `0x${string}`,
      to: to as `0x${string}`,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as `0x${string}`,
    },
    signature: signature as `0x${string}`,
  });
  t.is(signer, payer.address as `0x${string}`);
});

test('an x402 payment of the demo is verified, a forged one is not', async t => {
  const judge = (value: object) =>
    x402Authorization.verify(evidenceOf('x402.payment_payload', { ...value }), shown({ event: paid }));
  const outcome = await judge(payment());
  t.is(outcome.result, 'verified', JSON.stringify(outcome.checks));
  t.is((await judge(payment({ signer: createWallet(7, 'thief') }))).result, 'failed');
  t.is((await judge(payment({ value: '1251' }))).result, 'failed');
});

const issuer = createSigningKey(7, 'bank');
const agent = createSigningKey(7, 'agent-1');
const shop = { id: 'acct_1Shop', name: 'Shop', website: 'https://shop.example' };
const open = {
  issuer,
  agent,
  constraints: [
    { type: 'payment.amount_range', currency: 'USD', max: 20_000 },
    { type: 'payment.allowed_payees', allowed: [shop] },
  ],
  at: occurred_at - 86_400_000,
  until: occurred_at + 86_400_000,
  salt: createRandom('open'),
};
const closed = {
  agent,
  payee: shop,
  amount: 1250,
  currency: 'USD',
  instrument: { id: 'card_1', type: 'card' },
  checkout: 'order 7',
  at: occurred_at,
  salt: createRandom('closed'),
};

test('an AP2 mandate of the demo is verified and imported, a forged or overdrawn one is not', async t => {
  const { kid, jwk } = issuer;
  t.is(kid, await calculateJwkThumbprint(jwk));
  const input = shown({ event: { amount: minor(1250n, 'USD') } });
  const find = () => [{ kid, thumbprint: kid, issuer: null, jwk }];
  const judge = (chain: string) =>
    ap2Mandate.verify(evidenceOf('ap2.payment_mandate', chain), { ...input, keys: { ...input.keys, find } });
  const outcome = await judge(closeMandate(signOpenMandate(open), closed));
  t.is(outcome.result, 'verified', JSON.stringify(outcome.checks));
  t.is(outcome.open_mandate?.constraints.length, 2);
  const mandate = signOpenMandate(open);
  t.is((await judge(closeMandate(mandate, { ...closed, agent: createSigningKey(7, 'thief') }))).result, 'failed');
  t.is((await judge(closeMandate(mandate, { ...closed, amount: 20_001 }))).result, 'failed');
});

test('keys of another seed are others', t => {
  t.not(createWallet(8, 'agent-1').address, payer.address);
  t.not(createSigningKey(8, 'bank').kid, issuer.kid);
});
