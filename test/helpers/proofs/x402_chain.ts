import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem';
import type { ChainLog, ChainReader, ChainTransaction } from '#shared/verification/verifier.ts';

/** Transactions as chains know them, with logs encoded by viem. */

type Hex = `0x${string}`;

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);

export const transferLog = ({
  asset,
  from,
  to,
  value,
}: {
  asset: string;
  from: string;
  to: string;
  value: bigint;
}): ChainLog => ({
  address: asset.toLowerCase(),
  topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from: from as Hex, to: to as Hex } }) as string[],
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
});

export const authorizationUsedLog = ({
  asset,
  from,
  nonce,
}: {
  asset: string;
  from: string;
  nonce: string;
}): ChainLog => ({
  address: asset.toLowerCase(),
  topics: encodeEventTopics({
    abi,
    eventName: 'AuthorizationUsed',
    args: { authorizer: from as Hex, nonce: nonce as Hex },
  }) as string[],
  data: '0x',
});

/** A reader of a chain that knows one transaction, whatever its hash; null: that knows none. */
export const chainWith = (transaction: ChainTransaction | null): ChainReader => ({ transaction: () => transaction });
