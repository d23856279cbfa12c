import { LRUCache } from 'lru-cache';
import { parseDomainName } from './domain_name.ts';
import { parseEvmAddress } from './evm_address.ts';
import { parseIban } from './iban.ts';
import { parseNetwork, x402Networks } from './networks.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';
import { isSolanaAddress } from './solana_address.ts';

/**
 * A payee's stable identity in its one canonical form: two spellings of the same account (case, x402 v1 network name,
 * `www.`, IBAN spaces) give the same key, and parsing a canonical key changes nothing.
 */
export function parsePayeeKey(text: string): Parsed<string> {
  const cached = payee_keys.get(text);
  if (cached) return cached;
  const key = text.length > 255 ? unparsed('must be at most 255 characters') : parse(text);
  const answer = key.ok && key.value.length > 255 ? unparsed('must be at most 255 characters') : key;
  if (text.length <= 255) payee_keys.set(text, answer);
  return answer;
}

const payee_keys = new LRUCache<string, Parsed<string>>({ max: 50_000 });

function parse(text: string): Parsed<string> {
  const colon = text.indexOf(':');
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase();
  const rest = text.slice(colon + 1);
  if (scheme === 'domain') return prefixed('domain', parseDomainName(rest));
  if (scheme === 'iban') return prefixed('iban', parseIban(rest));
  if (scheme === 'merchant') return merchant(rest);
  if (scheme === 'agent') return agent(rest);
  if (scheme === 'solana' && isSolanaAddress(rest)) return parsed(`${x402Networks.get('solana')}:${rest}`);
  if (accountSchemes.has(scheme)) return account(scheme, rest);
  const network = x402Networks.get(scheme);
  if (network) return accountOn(network, rest);
  return unparsed(`must begin with a known scheme: ${schemes}`);
}

/** CAIP-10: namespace, chain reference and account address. */
function account(namespace: string, rest: string): Parsed<string> {
  const [reference = '', address = '', ...more] = rest.split(':');
  if (!address || more.length > 0)
    return unparsed(`must have three parts, such as ${examples[namespace] ?? examples.eip155}`);
  const network = parseNetwork(`${namespace}:${reference}`);
  return network.ok ? accountOn(network.value, address) : network;
}

function accountOn(network: string, address: string): Parsed<string> {
  if (network.startsWith('eip155:')) return prefixed(network, parseEvmAddress(address));
  if (!network.startsWith('solana:')) {
    return /^[-.%a-zA-Z0-9]{1,128}$/.test(address)
      ? parsed(`${network}:${address}`)
      : unparsed('must end with the account address (CAIP-10: letters, digits, "-", "." and "%")');
  }
  return isSolanaAddress(address)
    ? parsed(`${network}:${address}`)
    : unparsed('must end with a Solana address: 32 bytes in base58');
}

function merchant(rest: string): Parsed<string> {
  const [psp = '', id = '', ...more] = rest.split(':');
  if (more.length === 0 && /^[a-z0-9][a-z0-9_.-]{0,31}$/i.test(psp) && printable.test(id)) {
    return parsed(`merchant:${psp.toLowerCase()}:${id}`);
  }
  return unparsed(
    'must be merchant:<psp>:<id>, such as merchant:stripe:acct_1NQ2kL, printable ASCII without spaces or further colons',
  );
}

function agent(rest: string): Parsed<string> {
  if (/^agt_[0-9a-z]{26}$/i.test(rest)) return parsed(`agent:agt_${rest.slice(4).toUpperCase()}`);
  return printable.test(rest)
    ? parsed(`agent:${rest}`)
    : unparsed('must be agent:<id>, printable ASCII without spaces');
}

const prefixed = (prefix: string, part: Parsed<string>): Parsed<string> =>
  part.ok ? parsed(`${prefix}:${part.value}`) : part;

const printable = /^[\x21-\x7e]+$/;

// Chains whose accounts are taken as written, beside EVM and Solana (CAIP namespaces).
const accountSchemes = new Set(
  'eip155 solana bip122 tron stellar algorand aptos sui hedera xrpl cosmos near polkadot'.split(' '),
);

const examples: Record<string, string> = {
  eip155: 'eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
};

const schemes =
  'eip155:<chain id>:<address>, solana:<genesis>:<address> (or another CAIP-10 account), domain:<host>, iban:<IBAN>, merchant:<psp>:<id>, agent:<id>';
