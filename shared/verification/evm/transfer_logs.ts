import { keccak_256 } from '@noble/hashes/sha3.js';
import type { ChainLog } from '#shared/verification/verifier.ts';

/** A token transfer (ERC-20): `position` is its index among the logs of the transaction; addresses in lower case. */
export type TransferLog = { position: number; asset: string; from: string; to: string; value: bigint };

/** The token transfers of a transaction. NFT transfers log four topics and do not count. */
export const transferLogs = (logs: readonly ChainLog[]): TransferLog[] =>
  logs.flatMap(({ address, topics, data }, position) => {
    const [event, from, to] = topics;
    if (event !== transferTopic || topics.length !== 3 || !from || !to || !/^0x[0-9a-f]{64}$/.test(data)) return [];
    return { position, asset: address, from: addressOfTopic(from), to: addressOfTopic(to), value: BigInt(data) };
  });

/** The position at which a token reports a used authorization (EIP-3009 `AuthorizationUsed`); -1 if it does not. */
export const authorizationUsedAt = (logs: readonly ChainLog[], asset: string, from: string, nonce: string): number =>
  logs.findIndex(
    ({ address, topics }) =>
      address === asset &&
      topics[0] === authorizationUsedTopic &&
      addressOfTopic(topics[1] ?? '') === from &&
      topics[2] === nonce,
  );

const topicOf = (event: string) => `0x${Buffer.from(keccak_256(Buffer.from(event, 'latin1'))).toString('hex')}`;

const transferTopic = topicOf('Transfer(address,address,uint256)');
const authorizationUsedTopic = topicOf('AuthorizationUsed(address,bytes32)');

/** A topic is a word; an address fills its last 20 bytes. */
const addressOfTopic = (topic: string) => (/^0x0{24}/.test(topic) ? `0x${topic.slice(26)}` : '');
