import { chainAccountOf } from '#shared/values/payee_key.ts';
import type { Namesake } from './payees.ts';

/** An account that receives money: comparable within one scheme only. */
type Account = { scheme: string; id: string };

/**
 * The account in a payee's canonical key (see `payee_key.ts`). Null for a domain, an agent and a text without a scheme, which are no
 * accounts, and for Bitcoin, where every payment may have a new address. An Ethereum or Solana address is one account on all their
 * networks.
 */
function accountOf(key: string): Account | null {
  const { network = '', address = '' } = chainAccountOf(key) ?? {};
  if (network.startsWith('bip122:')) return null;
  if (network.startsWith('eip155:')) return { scheme: 'eip155', id: address.toLowerCase() };
  if (network !== '') return { scheme: network.startsWith('solana:') ? 'solana' : network, id: address };
  const [, scheme, id] = /^(iban|(?:merchant|account):[^:]+):(.+)$/.exec(key) ?? [];
  return scheme && id ? { scheme, id } : null;
}

/**
 * Payees that share an identity but have another account of the same scheme, one per account, first paid first. Empty if the payee's own
 * account is among them: it already has that identity, on another network.
 */
export function otherAccounts(key: string, namesakes: readonly Namesake[]): Namesake[] {
  const own = accountOf(key);
  const others = new Map<string, Namesake>();
  for (const namesake of namesakes.toSorted(byFirstPaid)) {
    const account = accountOf(namesake.key);
    if (!own || !account || account.scheme !== own.scheme) continue;
    if (account.id === own.id) return [];
    if (!others.has(account.id)) others.set(account.id, namesake);
  }
  return [...others.values()];
}

/**
 * Payees that share an identity and are paid in another way, in place of which the payee's account may be given out: one that money is sent to and seldom
 * comes back from. One per account, first paid first. An account at a payment service is asked for by a shop, and takes nobody's place.
 */
export function accountsOfOtherKinds(key: string, namesakes: readonly Namesake[]): Namesake[] {
  if (!isTransferable(key) || namesakes.some(other => areOneAccount(other.key, key))) return [];
  const others = new Map<string, Namesake>();
  for (const namesake of namesakes.toSorted(byFirstPaid)) {
    const account = accountOf(namesake.key);
    if ((!account && !namesake.key.startsWith('domain:')) || areOfOneScheme(namesake.key, key)) continue;
    const of_account = account ? `${account.scheme} ${account.id}` : namesake.key;
    if (!others.has(of_account)) others.set(of_account, namesake);
  }
  return [...others.values()];
}

const isTransferable = (key: string): boolean =>
  /^(?:iban|account:(?:ach|uk|pix|upi)):/.test(key) || chainAccountOf(key) !== null;

/**
 * Whether two keys are bank accounts or wallets of one scheme, and not the same. A merchant may have one for each shop, and an account several
 * aliases (Pix, UPI, Lightning).
 */
export function areOtherAccounts(a: string, b: string): boolean {
  const [one, other] = [accountOf(a), accountOf(b)];
  const isOneEach = one !== null && !/^(?:merchant|account):(?!ach$|uk$)/.test(one.scheme);
  return isOneEach && one.scheme === other?.scheme && one.id !== other.id;
}

/** Whether two keys are accounts of one scheme, which can be compared. */
export const areOfOneScheme = (a: string, b: string): boolean => {
  const scheme = accountOf(a)?.scheme;
  return scheme !== undefined && scheme === accountOf(b)?.scheme;
};

/** Whether two keys are of one account, such as a wallet on two networks. */
export function areOneAccount(a: string, b: string): boolean {
  const [one, other] = [accountOf(a), accountOf(b)];
  return a === b || (one !== null && one.scheme === other?.scheme && one.id === other.id);
}

const byFirstPaid = (a: Namesake, b: Namesake) => a.first_paid_at - b.first_paid_at || (a.key < b.key ? -1 : 1);

/** Enough of an account to tell it from another, to follow “the”; never the whole number of a bank account. */
function accountText(key: string): string {
  const [, scheme = '', second = '', third = second] = /^(iban|merchant|account):([^:]+)(?::(.+))?$/.exec(key) ?? [];
  if (scheme === 'iban') return `${second.slice(0, 2)} account ending in ${second.slice(-4)}`;
  if (scheme === 'merchant') return `${nameOf(second)} account ${shortened(third, 8)}`;
  if (scheme === 'account' && third.includes('@'))
    return `${nameOf(second)} account ${third.slice(0, 1)}…${third.slice(third.indexOf('@'))}`;
  if (scheme === 'account') return `${nameOf(second)} account ending in ${third.slice(-4)}`;
  const account = chainAccountOf(key);
  return account ? `wallet ${shortened(account.address, key.startsWith('eip155:') ? 6 : 4)}` : shortened(key, 60);
}

/** How people write the names of schemes and payment services. */
const names: Record<string, string> = {
  ach: 'ACH',
  uk: 'UK',
  pix: 'Pix',
  upi: 'UPI',
  stripe: 'Stripe',
  paypal: 'PayPal',
  adyen: 'Adyen',
};
const nameOf = (word: string) => names[word] ?? word;

/**
 * Payees that are named beside each other by their keys, such as “the wallet 0x1234…5678” or “api.example.com”: wallets in full where shortened they
 * would look alike.
 */
export function accountTexts(keys: readonly string[]): (key: string) => string {
  const are_alike = new Set(keys.map(key => accountText(key).toLowerCase())).size < keys.length;
  return key => {
    if (isNamedByKey(key)) return namelessText(key);
    return `the ${are_alike && chainAccountOf(key) ? `wallet ${addressOf(key)}` : accountText(key)}`;
  };
}

const isNamedByKey = (key: string): boolean => /^(?:domain|agent):/.test(key);

/** The kind of a key's account: a `wallet`, a `bank account`, or an `account` elsewhere. */
export function accountKind(key: string): string {
  if (/^(iban|account:(ach|uk)):/.test(key)) return 'bank account';
  return chainAccountOf(key) ? 'wallet' : 'account';
}

/** A name for a payee without one: its domain, or its account. */
export const namelessText = (key: string): string =>
  isNamedByKey(key) ? key.slice(key.indexOf(':') + 1) : accountText(key);

const shortened = (id: string, first: number) =>
  id.length <= Math.max(16, first + 5) ? id : `${id.slice(0, first)}…${id.slice(-4)}`.toWellFormed();

/** The full address of a wallet, which is public. */
export const addressOf = (key: string): string => chainAccountOf(key)?.address ?? key;
