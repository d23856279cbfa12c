import { createHash } from 'node:crypto';
import type { Pool } from '#shared/platform/db.ts';
import { kindOfKey, startAccount } from '#shared/screening/account.ts';
import { newEntry } from '#shared/screening/lists/draft.ts';
import { loadList, type StoredList } from '#shared/screening/store/list_load.ts';
import { EVERYBODY } from '#shared/screening/store/screening_lists.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { createIndexBuilder, type ListIndex } from '#shared/screening/matcher/list_index.ts';

/** An entry of a list, fictional: an organization of this name, unless told otherwise. */
export const entry = (entry_id: string, name: string, more: Partial<ListEntry> = {}): ListEntry => ({
  ...newEntry(entry_id, 'organization', name),
  programs: ['TEST'],
  ...more,
});

/** A wallet as an entry names it. */
export const walletKey = (address: string): ListEntry['keys'][number] => ({
  type: 'wallet',
  value: address,
  label: 'Digital Currency Address - ETH',
});

type Options = { name?: string; org_id?: string; insist?: boolean; format?: string; now?: number };

/** Loads a list of these entries, for everybody or for an organization, as the operator would. */
export function load(
  db: Pool,
  entries: readonly ListEntry[],
  { name = 'fictional', org_id = EVERYBODY, insist = false, format = 'csv', now = Date.now() }: Options = {},
): Promise<StoredList> {
  const sha256 = createHash('sha256').update(JSON.stringify(entries)).digest('hex');
  const account = startAccount();
  async function* all() {
    for (const each of entries) {
      for (const _ of each.aliases) account.read('names');
      for (const { type } of each.keys) account.read(kindOfKey(type));
      yield each;
    }
  }
  const summary = () => ({ sha256, skipped: 0, account: account.total() });
  return loadList(
    db,
    { org_id, name, format, entries: all(), summary, insist, loaded_by: 'operator', environment: null },
    now,
  );
}

/** Builds the index of a list in this thread. */
export function buildListIndex(list: Iterable<ListEntry>): ListIndex {
  const builder = createIndexBuilder();
  for (const entry of list) builder.add(entry, JSON.stringify(entry));
  return builder.finish();
}
