import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { isFindable, isOneWord, spellings } from './key_words.ts';

/** The tables of texts that may repeat a name, as the database function `erase_next_words` knows them. */
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
  'exports',
] as const;

/** `word`: continue with the words after this one; `table`, `after`: where to search. */
const Place = z.object({ word: z.string(), table: z.int(), after: z.string() });
const Last = z.object({ last: z.string().nullable() });
const Words = Last.extend({ everywhere: z.string().nullable() });

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
    const { everywhere, last } = await nextWords(tx, { org_id, environment }, id, place.word);
    // Responses kept for repeated requests, for a day at most.
    await tx.query(sql.unsafe`
      update idempotency_keys set answer = null
      where org_id = ${org_id} and environment = ${environment} and answer ~* ${everywhere}`);
    return last === null ? null : JSON.stringify({ word: last, table: 0, after: '' });
  }
  if (place.table === 0 && place.after === '') {
    const { last } = await nextWords(tx, { org_id, environment }, id, place.word);
    if (last === null) return null;
  }
  const last = await tx.oneFirst(sql.type(Last)`
    select erase_next_words(${org_id}, ${environment}, ${id}, ${table}, ${place.word}, ${place.after}) as last`);
  return JSON.stringify(last === null ? { ...place, table: place.table + 1, after: '' } : { ...place, after: last });
}

/** The next words that are searched together, as a pattern (those to be found everywhere), and the last of them; null when there are none. */
const nextWords = (tx: Db, { org_id, environment }: Tenant, id: string, after: string) =>
  tx.one(sql.type(Words)`
    select everywhere, last from erased_pattern(${org_id}, ${environment}, ${id}, ${after})`);
