import { type Parsed, parsed, unparsed } from './parsed.ts';

/**
 * A chain's CAIP-2 id, from one or from an x402 v1 network name (`base` → `eip155:8453`); refuses what is neither, and
 * Solana references that are not a genesis hash.
 */
export function parseNetwork(text: string): Parsed<string> {
  const network = x402Networks.get(text);
  if (network) return parsed(network);
  if (!caip2.test(text)) return unparsed(expected);
  const reference = text.slice(text.indexOf(':') + 1);
  if (text.startsWith('eip155:') && !/^[1-9][0-9]{0,17}$/.test(reference)) {
    return unparsed('must name the EVM chain by its decimal chain id, such as eip155:8453');
  }
  if (text.startsWith('solana:') && !/^[1-9A-HJ-NP-Za-km-z]{32}$/.test(reference)) {
    return unparsed(
      'must name the Solana cluster by its genesis hash; mainnet is solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    );
  }
  return parsed(text);
}

/** The CAIP-2 id of a network given by CAIP-2 id or x402 v1 name, or null when it is neither. */
export function normalizeNetwork(text: string): string | null {
  const network = parseNetwork(text);
  return network.ok ? network.value : null;
}

/** x402 v1 network names and their CAIP-2 ids (coinbase/x402, typescript/packages/legacy; Solana after CAIP-30). */
export const x402Networks: ReadonlyMap<string, string> = new Map([
  ['base', 'eip155:8453'],
  ['base-sepolia', 'eip155:84532'],
  ['ethereum', 'eip155:1'],
  ['sepolia', 'eip155:11155111'],
  ['polygon', 'eip155:137'],
  ['polygon-amoy', 'eip155:80002'],
  ['arbitrum', 'eip155:42161'],
  ['arbitrum-sepolia', 'eip155:421614'],
  ['optimism', 'eip155:10'],
  ['optimism-sepolia', 'eip155:11155420'],
  ['avalanche', 'eip155:43114'],
  ['avalanche-fuji', 'eip155:43113'],
  ['bsc', 'eip155:56'],
  ['abstract', 'eip155:2741'],
  ['abstract-testnet', 'eip155:11124'],
  ['iotex', 'eip155:4689'],
  ['sei', 'eip155:1329'],
  ['sei-testnet', 'eip155:1328'],
  ['peaq', 'eip155:3338'],
  ['story', 'eip155:1514'],
  ['educhain', 'eip155:41923'],
  ['skale-base-sepolia', 'eip155:324705682'],
  ['megaeth', 'eip155:4326'],
  ['monad', 'eip155:143'],
  ['stable', 'eip155:988'],
  ['stable-testnet', 'eip155:2201'],
  ['solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
  ['solana-devnet', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
  ['solana-testnet', 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z'],
]);

const caip2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;
const expected = 'must be a CAIP-2 chain id such as eip155:8453, or an x402 v1 network name such as base';
