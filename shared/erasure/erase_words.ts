import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { isFindable, isOneWord, spellings } from './key_words.ts';

/** The tables of texts that may repeat a name, as the database function `erase_words` knows them. */
const tables = [
  'alerts',
  'alert_actions',
  'incidents',
  'shadow_findings',
  'backtests',
  'cases',
  'case_timeline',
  'case_holds',
  'screenings',
  'mandates',
  'mandate_versions',
  'packs',
  'audit_log',
  'webhook_attempts',
  'unread_webhooks',
] as const;

/** `word`: continue with the words after this one; `table`, `after`: where to search. */
const Place = z.object({ word: z.string(), table: z.int(), after: z.string() });
const Last = z.object({ last: z.string().nullable() });

/** How many words one statement inserts. */
const AT_ONCE = 1_000;

/** Stores the names and keys that an erasure has to search for. */
export async function addWords(
  tx: Db,
  { org_id, environment }: Tenant,
  erasure_id: string,
  words: readonly string[],
): Promise<void> {
  const rows = words.filter(isFindable).flatMap(word => spellings(word).map(each => [each, !isOneWord(word)]));
  for (let i = 0; i < rows.length; i += AT_ONCE)
    await tx.query(sql.unsafe`
      insert into erasure_words (org_id, environment, erasure_id, word_hash, word, everywhere)
      select ${org_id}, ${environment}, ${erasure_id}, sha256(convert_to(w.word, 'UTF8')), w.word, w.everywhere
      from ${sql.unnest(rows.slice(i, i + AT_ONCE), ['text', 'bool'])} as w (word, everywhere)
      on conflict do nothing`);
}

/** Deletes the words an erasure searched for. */
export const forgetWords = (tx: Db, { org_id, environment }: Tenant, erasure_id: string) =>
  tx.query(sql.unsafe`
    delete from erasure_words where org_id = ${org_id} and environment = ${environment} and erasure_id = ${erasure_id}`);

/**
 * Erases the words of an erasure from the next rows that may repeat them. `after` says where to continue, empty at first; returns where to
 * continue next, null at the end.
 */
export async function eraseWords(
  tx: Db,
  { org_id, environment }: Tenant,
  { id, after }: { id: string; after: string },
): Promise<string | null> {
  const place = after === '' ? { word: '', table: 0, after: '' } : Place.parse(JSON.parse(after));
  const table = tables[place.table];
  if (table === undefined) {
    // Responses kept for repeated requests, for a day at most.
    await tx.query(sql.unsafe`
      update idempotency_keys set answer = null
      where org_id = ${org_id} and environment = ${environment}
        and answer ~* (select everywhere from erased_pattern(${org_id}, ${environment}, ${id}, ${place.word}))`);
    const word = await lastWord(tx, { org_id, environment }, id, place.word);
    return word === null ? null : JSON.stringify({ word, table: 0, after: '' });
  }
  if (place.table === 0 && place.after === '' && (await lastWord(tx, { org_id, environment }, id, place.word)) === null)
    return null;
  const { last } = await tx.one(sql.type(Last)`
    select last from erase_words(${org_id}, ${environment}, ${id}, ${table}, ${place.word}, ${place.after})`);
  return JSON.stringify(last === null ? { ...place, table: place.table + 1, after: '' } : { ...place, after: last });
}

/** The last of the words that are searched together, after a given one; null when there are none. */
const lastWord = (tx: Db, { org_id, environment }: Tenant, id: string, after: string) =>
  tx.oneFirst(sql.type(Last)`select last from erased_pattern(${org_id}, ${environment}, ${id}, ${after})`);
