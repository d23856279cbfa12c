import { LRUCache } from 'lru-cache';
import { atMost } from './at_most.ts';
import { parseAccountKey } from './account_key.ts';
import { parseDomainName } from './domain_name.ts';
import { parseEvmAddress } from './evm_address.ts';
import { parseIban } from './iban.ts';
import { parseNetwork, x402Networks } from './networks.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';
import { isSolanaAddress } from './solana_address.ts';

/**
 * A payee's stable identity in its one canonical form: two spellings of the same account (case, x402 v1 network name,
 * `www.`, IBAN spaces) give the same key, and parsing a canonical key changes nothing. A bare IBAN and a bare host name are read as
 * the key they mean, a bare EVM address where `network` (CAIP-2) says on which chain. Any other printable text of 1 to 256 characters is a
 * key as it is (NFC, trimmed). Refused is what claims a known scheme and breaks its rules, and what is not printable.
 */
export function parsePayeeKey(text: string, network: string | null = null): Parsed<string> {
  if (network?.startsWith('eip155:') && isBareEvmAddress(text.trim())) {
    const account = parsePayeeKey(`${network}:${text.trim()}`);
    if (account.ok) return account;
  }
  const cached = payee_keys.get(text);
  if (cached) return cached;
  const key = text.length > LONGEST_READ ? tooLong : parse(text.normalize('NFC').trim());
  const answer = key.ok && [...key.value].length > MAX_CHARACTERS ? tooLong : key;
  if (text.length <= MAX_CHARACTERS) payee_keys.set(text, answer);
  return answer;
}

const MAX_CHARACTERS = 256;
/** UTF-16 units; more than 256 characters have, whatever NFC and trimming make of them. */
const LONGEST_READ = 2_048;
const tooLong = unparsed(`must be at most ${MAX_CHARACTERS} characters`);

const payee_keys = new LRUCache<string, Parsed<string>>(atMost(50_000));

/** Whether a canonical key says by its scheme what it names; any other is a text that is compared exactly. */
export const hasScheme = (key: string): boolean =>
  /^(?:domain|iban|merchant|agent|account):/.test(key) || chainAccountOf(key) !== null;

/** The account on a chain (CAIP-10) that a canonical key names: its network (CAIP-2) and its address. Null for every other key. */
export function chainAccountOf(key: string): { network: string; address: string } | null {
  const [, namespace = '', reference = '', address = ''] = caip10.exec(key) ?? [];
  return namespaces.has(namespace) ? { network: `${namespace}:${reference}`, address } : null;
}

/** Whether a text is an EVM address that does not say on which chain. */
export const isBareEvmAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text);

const caip10 = /^([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32}):([-.%a-zA-Z0-9]{1,128})$/;

function parse(text: string): Parsed<string> {
  if (text === '') return unparsed(`must be 1 to ${MAX_CHARACTERS} characters that can be seen`);
  if (unprintable.test(text) || !visible.test(text))
    return unparsed('must be printable: no control, formatting, private or unassigned characters');
  const colon = text.indexOf(':');
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase();
  const rest = text.slice(colon + 1);
  if (scheme === 'domain') return prefixed('domain', parseDomainName(rest));
  if (scheme === 'iban') return prefixed('iban', parseIban(rest));
  if (scheme === 'merchant') return merchant(rest);
  if (scheme === 'agent') return agent(rest);
  if (scheme === 'account') return parseAccountKey(rest);
  if (scheme === 'solana' && isSolanaAddress(rest)) return parsed(`${x402Networks.get('solana')}:${rest}`);
  if (namespaces.has(scheme)) return account(scheme, rest) ?? parsed(text);
  const network = x402Networks.get(scheme);
  // The names of some networks are words: `story:` may begin a title.
  if (network && /^[0-9a-z]{20,}$/i.test(rest)) return accountOn(network, rest);
  return bare(text) ?? parsed(text);
}

/** What a text without a scheme is by its own form; null where that is nothing more than a text. */
function bare(text: string): Parsed<string> | null {
  const iban = parseIban(text);
  if (iban.ok) return prefixed('iban', iban);
  const domain = /^[^\s_:]+$/.test(text) ? parseDomainName(text) : null;
  return domain?.ok && /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/.test(domain.value) ? prefixed('domain', domain) : null;
}

// Unicode's category C (control, format, surrogate, private use, unassigned), and separators of lines and paragraphs.
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;
const visible = /[^\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** CAIP-10: namespace, chain reference and account address. Null for a text that only begins like one. */
function account(namespace: string, rest: string): Parsed<string> | null {
  const [reference = '', address = '', ...more] = rest.split(':');
  const example = examples[namespace];
  if (!address || more.length > 0) return example ? unparsed(`must have three parts, such as ${example}`) : null;
  const network = parseNetwork(`${namespace}:${reference}`);
  if (network.ok) return accountOn(network.value, address);
  return example ? network : null;
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
  if (more.length === 0 && /^[a-z0-9][a-z0-9_.-]{0,31}$/i.test(psp) && plain.test(id)) {
    return parsed(`merchant:${psp.toLowerCase()}:${id}`);
  }
  return unparsed(
    'must be merchant:<psp>:<id>, such as merchant:stripe:acct_1NQ2kL, printable ASCII without spaces or further colons',
  );
}

function agent(rest: string): Parsed<string> {
  if (/^agt_[0-9a-z]{26}$/i.test(rest)) return parsed(`agent:agt_${rest.slice(4).toUpperCase()}`);
  return plain.test(rest) ? parsed(`agent:${rest}`) : unparsed('must be agent:<id>, printable ASCII without spaces');
}

const prefixed = (prefix: string, part: Parsed<string>): Parsed<string> =>
  part.ok ? parsed(`${prefix}:${part.value}`) : part;

const plain = /^[\x21-\x7e]+$/;

// Chains whose accounts are taken as written, beside EVM and Solana (CAIP namespaces).
const namespaces = new Set(
  'eip155 solana bip122 tron stellar algorand aptos sui hedera xrpl cosmos near polkadot'.split(' '),
);

// The namespaces with rules of their own; `near:by` is a text.
const examples: Record<string, string> = {
  eip155: 'eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
};
