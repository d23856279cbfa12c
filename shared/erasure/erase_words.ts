import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { ErasureSubject } from './erasures.ts';
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
const Words = Last.extend({ everywhere: z.string().nullable(), linked: z.string().nullable() });
type Words = z.infer<typeof Words>;

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

/** A subject whose words are stored under this id. */
type Named = { id: string; subject: ErasureSubject };

type Erased = { after: string | null; saved_views?: number };

/**
 * Erases the words of an erasure from the next rows that may repeat them, and deletes the saved views that do. `after` says where to continue,
 * empty at first, then where to continue next, null at the end.
 */
export async function eraseWords(
  tx: Db,
  { org_id, environment }: Tenant,
  { id, subject, after }: Named & { after: string },
): Promise<Erased> {
  const place = after === '' ? { word: '', table: 0, after: '' } : Place.parse(JSON.parse(after));
  const table = tables[place.table];
  if (table === undefined) {
    const words = await nextWords(tx, { org_id, environment }, id, place.word);
    // Responses kept for repeated requests, for a day at most.
    await tx.query(sql.unsafe`
      update idempotency_keys set answer = null
      where org_id = ${org_id} and environment = ${environment} and answer ~* ${words.everywhere}`);
    await tx.query(sql.unsafe`select erase_words_of_views(${org_id}, ${environment}, ${id}, ${place.word})`);
    const { rowCount } = await tx.query(sql.unsafe`
      delete from saved_views v where ${viewsNaming({ org_id, environment }, words, subject)}`);
    const next = words.last === null ? null : JSON.stringify({ word: words.last, table: 0, after: '' });
    return { after: next, saved_views: rowCount };
  }
  if (place.table === 0 && place.after === '') {
    const { last } = await nextWords(tx, { org_id, environment }, id, place.word);
    if (last === null) return { after: null };
  }
  const last = await tx.oneFirst(sql.type(Last)`
    select erase_next_words(${org_id}, ${environment}, ${id}, ${table}, ${place.word}, ${place.after}) as last`);
  return {
    after: JSON.stringify(last === null ? { ...place, table: place.table + 1, after: '' } : { ...place, after: last }),
  };
}

const IdRow = z.object({ id: z.string() });

/** What the stored words would remove: the ids of saved views, and of the exports of events whose filters have one of them. */
export async function findNaming(db: Db, tenant: Tenant, { id, subject }: Named) {
  const { org_id, environment } = tenant;
  const [saved_views, exports] = [new Set<string>(), new Set<string>()];
  for (let after: string | null = ''; after !== null;) {
    const words: Words = await nextWords(db, tenant, id, after);
    const { everywhere, linked } = words;
    const views = await db.anyFirst(sql.type(IdRow)`
      select v.id from saved_views v where ${viewsNaming(tenant, words, subject)}`);
    const filtered = await db.anyFirst(sql.type(IdRow)`
      select x.id from exports x
      where x.org_id = ${org_id} and x.environment = ${environment} and x.state in ('ready', 'building') and x.filters <> '{}'
        and (is_named_in_filters(x.filters, ${everywhere}, null) or is_named_in_filters(x.filters, ${linked}, ${subject.id}))`);
    for (const each of views) saved_views.add(each);
    for (const each of filtered) exports.add(each);
    after = words.last;
  }
  return { saved_views: saved_views.size, exports: [...exports] };
}

const viewsNaming = (
  { org_id, environment }: Tenant,
  { everywhere, linked }: Words,
  { id }: ErasureSubject,
) => sql.fragment`
  v.org_id = ${org_id} and v.environment = ${environment}
  and (is_named_in_view(v.name, v.query, ${everywhere}, null) or is_named_in_view(v.name, v.query, ${linked}, ${id}))`;

/** The next words that are searched together, as patterns (those to be found everywhere, and others), and the last of them; null when there are none. */
const nextWords = (tx: Db, { org_id, environment }: Tenant, id: string, after: string) =>
  tx.one(sql.type(Words)`
    select everywhere, linked, last from erased_pattern(${org_id}, ${environment}, ${id}, ${after})`);
