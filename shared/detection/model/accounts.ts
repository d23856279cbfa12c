import type { Namesake } from './payees.ts';

/** Where money goes: accounts of one scheme can be compared, those of two cannot. */
type Account = { scheme: string; id: string };

/**
 * The account that a payee's canonical key names (see `payee_key.ts`). Null for a domain or an agent, which are no accounts, and for
 * Bitcoin, where every payment may have an address of its own. An address of Ethereum or Solana is one account on all their networks.
 */
function accountOf(key: string): Account | null {
  const [scheme = '', second = '', third] = key.split(':');
  if (scheme === 'eip155') return { scheme, id: (third ?? '').toLowerCase() };
  if (scheme === 'solana') return { scheme, id: third ?? '' };
  if (scheme === 'iban') return { scheme, id: second };
  if (scheme === 'domain' || scheme === 'agent' || scheme === 'bip122') return null;
  return third ? { scheme: `${scheme}:${second}`, id: third } : null;
}

/**
 * Of payees that share an identity those with another account of the same scheme, one for each account, first paid first. None where
 * the payee's own account is among them: it is known by that identity already, on another network.
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

const byFirstPaid = (a: Namesake, b: Namesake) => a.first_paid_at - b.first_paid_at || (a.key < b.key ? -1 : 1);

/** An account so that a person can tell it from another, to be read after “the”; never the whole number of a bank account. */
export function accountText(key: string): string {
  const [scheme = '', second = '', third = second] = key.split(':');
  if (scheme === 'iban') return `${second.slice(0, 2)} account ending in ${second.slice(-4)}`;
  if (scheme === 'merchant') return `${second} account ${shortened(third, 8)}`;
  return `wallet ${shortened(third, scheme === 'eip155' ? 6 : 4)}`;
}

/** What to call a payee that has no name: its domain, or its account. */
export const namelessText = (key: string): string =>
  /^(domain|agent):/.test(key) ? key.slice(key.indexOf(':') + 1) : accountText(key);

const shortened = (id: string, first: number) => (id.length <= 16 ? id : `${id.slice(0, first)}…${id.slice(-4)}`);

/** The address of a wallet, in full: it is public. */
export const addressOf = (key: string): string => key.split(':')[2] ?? key;
