import { LRUCache } from 'lru-cache';
import type { Db } from '#shared/platform/db.ts';
import { changedEntriesOf, type ListRef } from '#shared/screening/store/screening_entries.ts';
import { buildListIndex } from '#shared/screening/matcher/build_list_index.ts';
import type { ListIndex } from '#shared/screening/matcher/list_index.ts';

/** The entries added or changed between two versions of a list, indexed for searching. */
export type DeltaIndexes = { of(list: ListRef, from_version: number, to_version: number): Promise<ListIndex> };

/** All logs are compared with the same few changes. */
const MOST = 8;

export function createDeltaIndexes(db: Db): DeltaIndexes {
  const cached_indexes = new LRUCache<string, Promise<ListIndex>>({ max: MOST });
  return {
    of(list, from_version, to_version) {
      const name = JSON.stringify([list.org_id, list.name, from_version, to_version]);
      const before = cached_indexes.get(name);
      if (before) return before;
      const index = buildListIndex(changedEntriesOf(db, list, from_version));
      cached_indexes.set(name, index);
      index.catch(() => cached_indexes.delete(name));
      return index;
    },
  };
}
