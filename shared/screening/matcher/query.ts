import type { EntryType, KeyType } from './entry.ts';

/** Whom to look for. Everything that is not known is null or empty: absence is never a conflict. */
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

/** An identifier to be found exactly. Without a type it is looked for as everything that it could be. */
export type QueryKey = { type: KeyType | null; value: string };

/**
 * The identifier in a payee's key: the host of `domain:…`, the account of `iban:…`, the wallet of a CAIP-10 account. `merchant:` and `agent:`
 * keys are known to an organization's own lists alone, as a whole.
 */
export function keysOfPayeeKey(key: string): QueryKey[] {
  const at = key.indexOf(':');
  const scheme = key.slice(0, Math.max(at, 0));
  if (scheme === 'domain' || scheme === 'iban') return [{ type: scheme, value: key.slice(at + 1) }];
  if (scheme === 'merchant' || scheme === 'agent' || scheme === '') return [{ type: 'other', value: key }];
  return [{ type: 'wallet', value: key }];
}
