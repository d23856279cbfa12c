import type { ListEntry } from './entry.ts';
import { eachOf, hashOf } from '#shared/screening/matcher/index/hash_table.ts';
import type { ListIndex } from './list_index.ts';
import { formsToFind, formsToStore } from '#shared/screening/matcher/keys/key_forms.ts';
import type { QueryKey } from './query.ts';

/** An entry with one of the query's identifiers, and that identifier as in the list. */
export type KeyMatch = { entry: number; key: ListEntry['keys'][number] };

/** Finds the entries with one of these identifiers. `entryAt` reads an entry of the index. */
export function screenKeys(
  index: ListIndex,
  keys: readonly QueryKey[],
  entryAt: (entry: number) => ListEntry,
): KeyMatch[] {
  const matches = new Map<number, KeyMatch>();
  for (const { type, value } of keys) {
    for (const form of formsToFind(type, value)) {
      eachOf(index.entries_by_key, hashOf('k', form), entry => {
        if (matches.has(entry)) return;
        // Different forms may share a hash: the entry's keys decide.
        const key = entryAt(entry).keys.find(own => formsToStore(own.type, own.value).includes(form));
        if (key) matches.set(entry, { entry, key });
      });
    }
  }
  return [...matches.values()];
}
