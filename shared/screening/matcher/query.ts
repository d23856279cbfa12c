import { chainAccountOf } from '#shared/values/payee_key.ts';
import type { EntryType, KeyType } from './entry.ts';

/** The party to search for. Unknown facts are null or empty: absence is never a conflict. */
export type ScreeningQuery = {
  name: string | null;
  aliases: readonly string[];
  type: EntryType | null;
  /** ISO 3166-1 alpha-2. */
  countries: readonly string[];
  /** `1957`, `1957-03` or `1957-03-10`. */
  birth_date: string | null;
  keys: readonly QueryKey[];
};

/**
 * An identifier to be found exactly. Without a type it is looked for as everything that it could be; a payee's key as all of that but the
 * number of a document, which a supplier's number is by chance.
 */
export type QueryKey = { type: KeyType | 'payee_key' | null; value: string };

/**
 * The identifiers in a payee's canonical key: the host of `domain:…`, the account of `iban:…`, the wallet of a CAIP-10 account. `merchant:`,
 * `agent:` and `account:` keys, and texts without a scheme, are known to an organization's own lists, as a whole; a Pix key may be an e-mail
 * address.
 */
export function keysOfPayeeKey(key: string): QueryKey[] {
  const [, scheme, value = ''] = /^(domain|iban):(.+)$/.exec(key) ?? [];
  if (scheme === 'domain' || scheme === 'iban') return [{ type: scheme, value }];
  if (chainAccountOf(key)) return [{ type: 'wallet', value: key }];
  const email = /^account:pix:(.+@.+)$/.exec(key)?.[1];
  return [{ type: 'payee_key', value: key }, ...(email ? [{ type: 'email' as const, value: email }] : [])];
}
