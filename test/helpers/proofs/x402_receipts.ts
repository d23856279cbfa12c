import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { CompactSign, type CryptoKey } from 'jose';
import type { PrivateKeyAccount } from 'viem/accounts';
import { paidAt, testUsdc, wallet } from './x402.ts';

/** Offers and receipts of the x402 extension, signed by viem (EIP-712), jose and noble (JWS). */

const offerTypes = {
  Offer: [
    { name: 'version', type: 'uint256' },
    { name: 'resourceUrl', type: 'string' },
    { name: 'scheme', type: 'string' },
    { name: 'network', type: 'string' },
    { name: 'asset', type: 'string' },
    { name: 'payTo', type: 'string' },
    { name: 'amount', type: 'string' },
    { name: 'validUntil', type: 'uint256' },
  ],
} as const;

const receiptTypes = {
  Receipt: [
    { name: 'version', type: 'uint256' },
    { name: 'network', type: 'string' },
    { name: 'resourceUrl', type: 'string' },
    { name: 'payer', type: 'string' },
    { name: 'issuedAt', type: 'uint256' },
    { name: 'transaction', type: 'string' },
  ],
} as const;

export const offerPayload = {
  version: 1,
  resourceUrl: 'https://api.example.com/premium-data',
  scheme: 'exact',
  network: testUsdc.network as string,
  asset: testUsdc.address as string,
  payTo: wallet('seller').address as string,
  amount: '10000',
  validUntil: paidAt + 60,
};

export const receiptPayload = {
  version: 1,
  network: testUsdc.network as string,
  resourceUrl: 'https://api.example.com/premium-data',
  payer: wallet('payer').address as string,
  issuedAt: paidAt + 2,
  transaction: '',
};

export async function signOffer(
  change: Partial<typeof offerPayload> = {},
  signer: PrivateKeyAccount = wallet('seller'),
) {
  const payload = { ...offerPayload, ...change };
  const signature = await signer.signTypedData({
    domain: { name: 'x402 offer', version: '1', chainId: 1 },
    types: offerTypes,
    primaryType: 'Offer',
    message: { ...payload, version: BigInt(payload.version), validUntil: BigInt(payload.validUntil) },
  });
  return { format: 'eip712', acceptIndex: 0, payload, signature: signature as string };
}

export async function signReceipt(
  change: Partial<typeof receiptPayload> = {},
  signer: PrivateKeyAccount = wallet('seller'),
) {
  const payload = { ...receiptPayload, ...change };
  const signature = await signer.signTypedData({
    domain: { name: 'x402 receipt', version: '1', chainId: 1 },
    types: receiptTypes,
    primaryType: 'Receipt',
    message: { ...payload, version: BigInt(payload.version), issuedAt: BigInt(payload.issuedAt) },
  });
  return { format: 'eip712', payload, signature: signature as string };
}

/** A compact JWS over a payload, by jose. */
export const signJws = (payload: object, header: { alg: string; kid: string }, key: CryptoKey): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader(header).sign(key);

/** A compact JWS by a secp256k1 key (ES256K), which jose does not know. */
export function signEs256k(payload: object, kid: string, private_key: Uint8Array): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'ES256K', kid })}.${part(payload)}`;
  const signature = secp256k1.sign(sha256(Buffer.from(signed)), private_key, { prehash: false });
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

/** A `did:key` of a compressed public key; `codec` in hex: `e701` secp256k1, `8024` P-256, `ed01` Ed25519. */
export function didKey(codec: string, public_key: Uint8Array): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let rest = BigInt(`0x${codec}${Buffer.from(public_key).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${alphabet[Number(rest % 58n)]}${text}`;
  return `did:key:z${text}`;
}
