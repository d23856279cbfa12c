import { z } from 'zod';

// Ethereum JSON-RPC API (ethereum/execution-apis): quantities are hex without leading zeros, data is hex of whole bytes.
const Quantity = z.string().regex(/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/i);
const lowerHex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform(text => text.toLowerCase());
const Hash = lowerHex(/^0x[0-9a-f]{64}$/i);
const Data = lowerHex(/^0x(?:[0-9a-f]{2})*$/i);

/** Result of `eth_chainId`. */
export const ChainId = Quantity.transform(text => BigInt(text));

/** Result of `eth_getTransactionReceipt`, null for a transaction that is not known; without a block while it is pending. */
export const Receipt = z
  .object({
    transactionHash: Hash,
    blockNumber: Quantity.nullable(),
    blockHash: Hash.nullable(),
    status: z.enum(['0x0', '0x1']),
    logs: z.array(
      z.object({
        address: lowerHex(/^0x[0-9a-f]{40}$/i),
        topics: z.array(Hash).max(4),
        data: Data,
        // Of a block that was replaced.
        removed: z.literal(false).optional(),
      }),
    ),
  })
  .nullable();

/** Result of `eth_getBlockByNumber`; `timestamp` in seconds since 1970. */
export const Block = z
  .object({
    hash: Hash,
    timestamp: Quantity.transform(text => Number(text)).refine(seconds => seconds < 1e11, 'must be a time in seconds'),
  })
  .nullable();
