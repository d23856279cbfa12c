import { keccak_256 } from '@noble/hashes/sha3.js';
import { type Asset, findAsset } from '#shared/values/assets.ts';
import type { Wallet } from './keys.ts';

export type X402Payment = {
  payer: Wallet;
  /** Who signs, when it is not the payer: then the authorization is forged. */
  signer?: Wallet;
  /** A registered token: CAIP-2 network and address. Its EIP-712 domain is the registry's. */
  asset: { network: string; address: string };
  /** Atomic units, in decimal digits. */
  value: string;
  /** The seller's address. */
  pay_to: string;
  resource_url: string;
  /** When it is paid, in milliseconds since 1970. */
  at: number;
  /** 64 hex digits that the payer uses once. */
  nonce: string;
};

/**
 * A payment payload of x402 v2, scheme `exact` with an EIP-3009 authorization, as a client sends it in PAYMENT-SIGNATURE (x402
 * specification v2 §5.2). Good for a minute, and from ten minutes before: clients allow for clocks.
 */
export function x402Payload({ payer, signer = payer, asset, value, pay_to, resource_url, at, nonce }: X402Payment) {
  const token = findAsset(asset.network, asset.address);
  if (!token?.eip712) throw new Error(`${asset.network}/${asset.address} is not a token that signs`);
  const seconds = Math.floor(at / 1000);
  const authorization = {
    from: payer.address,
    to: pay_to,
    value,
    validAfter: String(seconds - 600),
    validBefore: String(seconds + TIMEOUT),
    nonce: `0x${nonce}`,
  };
  const accepted = {
    scheme: 'exact',
    network: token.network,
    amount: value,
    asset: token.address,
    payTo: pay_to,
    maxTimeoutSeconds: TIMEOUT,
    extra: { ...token.eip712 },
  };
  const signature = signer.sign(digestOf(token, token.eip712, authorization));
  return { x402Version: 2, resource: { url: resource_url }, accepted, payload: { signature, authorization } };
}

const TIMEOUT = 60;

type Authorization = {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
};

/** What EIP-712 has signed for EIP-3009's TransferWithAuthorization. */
function digestOf(
  { network, address }: Asset,
  domain: { name: string; version: string },
  authorization: Authorization,
) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const separator = hashed(
    text('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
    text(domain.name),
    text(domain.version),
    word(BigInt(network.slice('eip155:'.length))),
    word(BigInt(address)),
  );
  const struct = hashed(
    text(
      'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
    ),
    ...[from, to, value, validAfter, validBefore, nonce].map(field => word(BigInt(field))),
  );
  return hashed(Buffer.from([0x19, 0x01]), separator, struct);
}

const hashed = (...parts: Uint8Array[]): Uint8Array => keccak_256(Buffer.concat(parts));
const text = (value: string) => keccak_256(Buffer.from(value));
const word = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
