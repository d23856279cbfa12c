import { type Pool, sql } from '#shared/platform/db.ts';
import { fictionalList } from '#shared/screening/lists/fictional.ts';
import { readList } from '#shared/screening/lists/read_list.ts';
import { loadList } from './list_load.ts';
import { EVERYBODY } from './screening_lists.ts';

/** Loads the product's own list of made-up names, which is called `fictional`. */
export async function loadFictionalList(db: Pool, now: number): Promise<void> {
  const { name, format, path } = fictionalList;
  const list = { org_id: EVERYBODY, name, format, insist: false, loaded_by: 'operator' as const, environment: null };
  await loadList(db, { ...list, ...readList(format, path) }, now);
}

/** Loads it where no list was ever loaded, so that screening answers on a fresh sandbox. Returns whether it did. */
export async function beginWithFictionalList(db: Pool, now: number): Promise<boolean> {
  if (await db.exists(sql.unsafe`select from screening_lists limit 1`)) return false;
  await loadFictionalList(db, now);
  return true;
}
