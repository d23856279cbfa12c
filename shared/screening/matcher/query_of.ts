import type { QueryKey } from './query.ts';

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
