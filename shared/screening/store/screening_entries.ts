import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';

/** A shared list (`org_id` is empty) or one of an organization, by its name. */
export type ListRef = { org_id: string; name: string };

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Changes with anything that an entry says. */
export const entryDigest = (entry: ListEntry): string => sha256(canonicalJson(entry));

/** Changes only with the names of an entry. */
export const entryNamesDigest = ({ name, aliases }: Pick<ListEntry, 'name' | 'aliases'>): string =>
  namesDigest([name, ...aliases.map(alias => alias.name)]);

/** Changes with a set of names, in any order. */
export const namesDigest = (names: readonly string[]): string => sha256(canonicalJson([...new Set(names)].toSorted()));

/** Entries read at a time: their total size is bounded, and a query takes some milliseconds. */
const PART = 2_000;

const EntryRow = z.object({ entry_id: z.string(), entry: z.string() });

/** The entries of a list as JSON texts, in parts. A concurrent load may be among them: compare the list's version before and after. */
export const entriesOf = (db: Db, { org_id, name }: ListRef): AsyncGenerator<string[]> =>
  readParts(db, sql.fragment`org_id = ${org_id} and list = ${name} and not removed`);

/** The same of those that were added or changed after a version. */
export const changedEntriesOf = (db: Db, { org_id, name }: ListRef, since: number): AsyncGenerator<string[]> =>
  readParts(db, sql.fragment`org_id = ${org_id} and list = ${name} and changed_in > ${since} and not removed`);

async function* readParts(db: Db, which: ReturnType<typeof sql.fragment>): AsyncGenerator<string[]> {
  for (let after = ''; ;) {
    const rows = await db.any(sql.type(EntryRow)`
      select entry_id, entry from screening_list_entries
      where ${which} and entry_id > ${after} order by entry_id limit ${PART}`);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ entry }) => entry);
    after = last.entry_id;
  }
}

const Listed = z.object({ list_org: z.string(), list: z.string(), entry_id: z.string() });
const Digest = Listed.extend({ names: z.string() });

/** The digests of the names that these entries have now, by `pairKey`. */
export async function entryNamesOf(db: Db, entries: readonly ListedEntry[]): Promise<Map<string, string>> {
  if (entries.length === 0) return new Map();
  const rows = await db.any(sql.type(Digest)`
    select e.org_id as list_org, e.list, e.entry_id, encode(e.names_digest, 'hex') as names from ${these(entries)}`);
  return new Map(rows.map(row => [pairKey(row), row.names]));
}

/** Those of these entries, by `pairKey`, whom their lists deny now. */
export async function deniedNow(db: Db, entries: readonly ListedEntry[]): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const rows = await db.any(sql.type(Listed)`
    select e.org_id as list_org, e.list, e.entry_id from ${these(entries)} where not e.removed and e.action = 'deny'`);
  return new Set(rows.map(pairKey));
}

function these(entries: readonly ListedEntry[]) {
  const unique = new Map(entries.map(entry => [pairKey(entry), [entry.list_org, entry.list, entry.entry_id]]));
  return sql.fragment`${sql.unnest([...unique.values()], ['text', 'text', 'text'])} as g (org_id, list, entry_id)
    join screening_list_entries e using (org_id, list, entry_id)`;
}

/** The position of an entry in a list. */
export type ListedEntry = z.infer<typeof Listed>;

/** Identifies an entry across all lists. */
export const pairKey = ({ list_org, list, entry_id }: ListedEntry): string =>
  JSON.stringify([list_org, list, entry_id]);
