import type { Config } from '#shared/settings/config.ts';
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

/**
 * Loads it in a sandbox in which no list was ever loaded or is configured, so that screening gives answers there. Reports that through
 * `say`. Of several processes only one does it.
 */
export async function beginWithFictionalList(
  db: Pool,
  { environment, screening_lists }: Pick<Config, 'environment' | 'screening_lists'>,
  now: number,
  say: (line: string) => void,
): Promise<void> {
  if (environment !== 'sandbox' || Object.keys(screening_lists).length > 0) return;
  if (await db.exists(sql.unsafe`select 1 from screening_lists limit 1`)) return;
  await loadFictionalList(db, now);
  say('Screening begins with a list of made-up names, `fictional`. Load your own with `admin list load`.');
}
