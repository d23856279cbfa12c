import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { keccak256, toHex } from 'viem';
import {
  authorizationTypes,
  PERMIT2_ADDRESS,
  permit2WitnessTypes,
  uptoPermit2WitnessTypes,
  x402ExactPermit2ProxyAddress,
  x402UptoPermit2ProxyAddress,
} from '@x402/evm';
import { assetKey } from '#shared/values/assets.ts';
import type { ReportedEvent } from '#shared/events/log/reported_event.ts';
import type { Evidence, VerificationInput } from '#shared/verification/verifier.ts';
import { inputOf as shownInput, pieceOf, reported } from './shown.ts';

/** x402 payments signed by viem, after the types of @x402/evm: independent of what verifies them. */

/** A wallet that is the same in every run. */
export const wallet = (name: string): PrivateKeyAccount => privateKeyToAccount(keccak256(toHex(name)));

/** Circle's test dollar on Base Sepolia, and the dollar on Base: their EIP-712 names differ. */
export const testUsdc = {
  network: 'eip155:84532',
  address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  name: 'USDC',
} as const;
export const usdc = {
  network: 'eip155:8453',
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  name: 'USD Coin',
} as const;

type Hex = `0x${string}`;

export type PaymentOptions = {
  asset?: { network: string; address: string; name: string };
  scheme?: 'exact' | 'upto';
  method?: 'eip3009' | 'permit2';
  payer?: PrivateKeyAccount;
  seller?: string;
  /** Atomic units that are signed for. */
  value?: bigint;
  /** Seconds since 1970. */
  valid_after?: number;
  valid_before?: number;
  nonce?: Hex;
  spender?: string;
};

/** When the payments that are made here occur, by default: seconds since 1970. */
export const paidAt = 1_800_000_000;

/** A signed payment: its terms, and its payload in both versions of x402. */
export async function signPayment(options: PaymentOptions = {}) {
  const { asset = testUsdc, scheme = 'exact', value = 10_000n, payer = wallet('payer') } = options;
  const method = options.method ?? (scheme === 'upto' ? 'permit2' : 'eip3009');
  const seller = options.seller ?? wallet('seller').address;
  const terms = {
    scheme,
    network: asset.network,
    amount: value.toString(),
    asset: asset.address,
    payTo: seller,
    maxTimeoutSeconds: 60,
    extra: {
      name: asset.name,
      version: '2',
      ...(scheme === 'upto' && { facilitatorAddress: wallet('facilitator').address }),
    },
  };
  const payload = await (method === 'eip3009' ? signEip3009 : signPermit2)({
    ...options,
    asset,
    scheme,
    value,
    payer,
    seller,
  });
  const resource = { url: 'https://api.example.com/premium-data' };
  return {
    terms,
    payload: { x402Version: 2, resource, accepted: terms, payload },
    payload_v1: { x402Version: 1, scheme, network: asset.network, payload },
    required: { x402Version: 2, resource, accepts: [terms] },
    required_v1: {
      x402Version: 1,
      accepts: [{ ...terms, amount: undefined, maxAmountRequired: terms.amount, resource: resource.url }],
    },
  };
}

type Whole = PaymentOptions & Required<Pick<PaymentOptions, 'asset' | 'scheme' | 'value' | 'payer' | 'seller'>>;

async function signEip3009({ asset, payer, seller, value, valid_after, valid_before, nonce }: Whole) {
  const message = {
    from: payer.address,
    to: seller as Hex,
    value,
    validAfter: BigInt(valid_after ?? paidAt - 600),
    validBefore: BigInt(valid_before ?? paidAt + 60),
    nonce: nonce ?? keccak256(toHex('nonce')),
  };
  const signature = await payer.signTypedData({
    domain: {
      name: asset.name,
      version: '2',
      chainId: chainOf(asset.network),
      verifyingContract: asset.address as Hex,
    },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  return { signature, authorization: asJson(message) };
}

async function signPermit2({ asset, scheme, payer, seller, value, valid_after, valid_before, nonce, spender }: Whole) {
  const upto = scheme === 'upto';
  const proxy = upto ? x402UptoPermit2ProxyAddress : x402ExactPermit2ProxyAddress;
  const witness = { to: seller as Hex, validAfter: BigInt(valid_after ?? paidAt - 600) };
  const message = {
    permitted: { token: asset.address as Hex, amount: value },
    spender: (spender ?? proxy) as Hex,
    nonce: BigInt(nonce ?? keccak256(toHex('nonce'))),
    deadline: BigInt(valid_before ?? paidAt + 60),
    witness: upto ? { ...witness, facilitator: wallet('facilitator').address } : witness,
  };
  const signature = await payer.signTypedData({
    domain: { name: 'Permit2', chainId: chainOf(asset.network), verifyingContract: PERMIT2_ADDRESS },
    types: (upto ? uptoPermit2WitnessTypes : permit2WitnessTypes) as typeof uptoPermit2WitnessTypes,
    primaryType: 'PermitWitnessTransferFrom',
    message: message as typeof message & { witness: { facilitator: Hex } },
  });
  return { signature, permit2Authorization: asJson({ ...message, from: payer.address }) };
}

const chainOf = (network: string) => Number(network.slice('eip155:'.length));

/** As JSON carries it: whole numbers of 256 bits are decimal text. */
const asJson = (value: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member)),
  );

export type X402EventOptions = Partial<ReportedEvent> & {
  asset?: { network: string; address: string };
  value?: bigint;
  seller?: string;
  /** Seconds since 1970. */
  at?: number;
};

/** The settled payment that `signPayment` signs for, as it is reported. */
export function paymentEvent({
  asset = testUsdc,
  value = 10_000n,
  seller,
  at = paidAt,
  ...members
}: X402EventOptions = {}): ReportedEvent {
  const { network, address } = asset;
  return reported({
    occurred_at: at * 1000,
    rail: 'x402',
    amount: {
      value,
      denomination: assetKey(network, address),
      currency: null,
      asset: { network, address, decimals: 6 },
    },
    usd_micro: value,
    payee: { key: `${network}:${seller ?? wallet('seller').address}`, type: null, name: null, country: null },
    ...members,
  });
}

/** Evidence of a kind; the first of a list is what is verified. */
export const evidenceOf = (kind: string, value: Evidence['value']): Evidence => pieceOf(kind, value);

/** What a verifier is shown beside these. */
export const inputOf = (
  event: ReportedEvent,
  evidence: readonly Evidence[],
  known: Partial<Pick<VerificationInput, 'chain' | 'keys'>> = {},
): VerificationInput => shownInput({ event, evidence, ...known });
