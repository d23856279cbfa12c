import { LRUCache } from 'lru-cache';
import { ChainUnavailable } from './chain_unavailable.ts';
import { type CallOptions, callRpc } from './rpc_call.ts';
import { pause } from '#shared/platform/pause.ts';
import { SECOND } from '#shared/values/time.ts';
import type { ChainLookup, ChainTransaction } from '#shared/verification/verifier.ts';
import { z } from 'zod';

/**
 * Reads transactions from EVM chains over JSON-RPC. `read` returns null when the chain does not know the transaction (or not in
 * a block yet), and throws `ChainUnavailable` when it could not be asked.
 */
type ChainClient = { read(lookup: ChainLookup): Promise<ChainTransaction | null> };

/** `urls`: CAIP-2 id → URL, which may hold secrets and so appears in no error. Times in milliseconds. */
export type ChainClientOptions = {
  urls: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
  /** For one call, all told. */
  timeout?: number;
  /** Calls after the first one that fails for a reason that may pass. */
  retries?: number;
  wait?: (milliseconds: number) => Promise<void>;
};

/** Makes the chain client of a process; throws when a setting is no URL of an EVM chain. */
export function createChainClient({
  urls,
  fetch = globalThis.fetch,
  timeout = 10 * SECOND,
  retries = 2,
  wait = pause,
}: ChainClientOptions): ChainClient {
  const nodes = new Map(Object.entries(urls).map(([network, url]) => [network, nodeAt(network, url)]));
  // What a chain does not know may be known to it in a second; what it knows stays.
  const cached_transactions = new LRUCache<string, ChainTransaction>({ max: 1_000 });
  return {
    async read({ network, hash }) {
      const node = nodes.get(network);
      if (!node) throw new ChainUnavailable('network_not_configured', network);
      if (!/^0x[0-9a-f]{64}$/i.test(hash)) return null;
      const key = `${network}/${hash.toLowerCase()}`;
      const cached_transaction = cached_transactions.get(key);
      if (cached_transaction) return cached_transaction;
      const options = { fetch, timeout, url: node.url, headers: node.headers, network };
      const transaction = await patiently({ retries, wait }, () => readFrom(node, options, hash.toLowerCase()));
      if (transaction) cached_transactions.set(key, transaction);
      return transaction;
    },
  };
}

type Node = { url: string; headers: Record<string, string>; chain_id: bigint; proven: boolean };

function nodeAt(network: string, text: string): Node {
  const chain = /^eip155:([1-9][0-9]{0,17})$/.exec(network)?.[1];
  if (!chain) throw new Error(`Chains can be read of EVM networks (eip155:<chain id>) only, not of "${network}".`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error(`The RPC URL of ${network} must be an http or https URL.`);
  const { username, password } = url;
  // fetch refuses URLs with credentials, and would quote them.
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  url.username = url.password = '';
  const headers: Record<string, string> = username || password ? { authorization: `Basic ${credentials}` } : {};
  return { url: url.href, headers, chain_id: BigInt(chain), proven: false };
}

async function readFrom(node: Node, options: CallOptions, hash: string): Promise<ChainTransaction | null> {
  const { network } = options;
  if (!node.proven) {
    const chain_id = await callRpc(options, 'eth_chainId', [], ChainId);
    if (chain_id !== node.chain_id) throw new ChainUnavailable('wrong_chain', network);
    node.proven = true;
  }
  const receipt = await callRpc(options, 'eth_getTransactionReceipt', [hash], Receipt);
  if (!receipt?.blockNumber) return null;
  if (receipt.transactionHash !== hash) throw new ChainUnavailable('invalid_answer', network);
  const block = await callRpc(options, 'eth_getBlockByNumber', [receipt.blockNumber, false], Block);
  // Nodes behind one address lag behind each other, and the block may just have been replaced.
  if (!block || block.hash !== receipt.blockHash) throw new ChainUnavailable('block_not_found', network);
  const logs = receipt.logs.map(({ address, topics, data }) => ({ address, topics, data }));
  return { succeeded: receipt.status === '0x1', block_time: block.timestamp * SECOND, logs };
}

type Patience = Required<Pick<ChainClientOptions, 'retries' | 'wait'>>;

async function patiently<T>({ retries, wait }: Patience, attempt: () => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ChainUnavailable) || !error.may_pass || retry >= retries) throw error;
      await wait(2 ** retry * SECOND);
    }
  }
}

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
const ChainId = Quantity.transform(text => BigInt(text));

/** Result of `eth_getTransactionReceipt`, null for a transaction that is not known; without a block while it is pending. */
const Receipt = z
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
const Block = z
  .object({
    hash: Hash,
    timestamp: Quantity.transform(text => Number(text)).refine(seconds => seconds < 1e11, 'must be a time in seconds'),
  })
  .nullable();
