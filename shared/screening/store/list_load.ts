import { z } from 'zod';
import { packedRows } from '#shared/platform/bulk.ts';
import { type Db, type Pool, sql } from '#shared/platform/db.ts';
import { conflict, unprocessable } from '#shared/interface/errors.ts';
import { newId } from '#shared/interface/ids.ts';
import { requestRescreens } from './rescreens.ts';
import { entryDigest, entryNamesDigest, type ListRef } from './screening_entries.ts';
import { accountOf } from './list_accounts.ts';
import { auditList } from './list_audit.ts';
import { EVERYBODY, type ListRow, lockList } from './screening_lists.ts';
import { canonicalJson } from '#shared/json/canonical_json.ts';
import type { ListAccount } from '#shared/screening/account.ts';
import type { ListEntry } from '#shared/screening/matcher/entry.ts';
import { timestamp } from '#shared/values/time.ts';

/** A list to load. `summary` is called after the last entry. */
type NewList = ListRef & {
  format: string;
  entries: AsyncIterable<ListEntry>;
  summary: () => { sha256: string; skipped: number; account: ListAccount };
  /** Accept it although it has shrunk or changed its format. */
  insist: boolean;
  loaded_by: 'operator' | 'schedule';
  /** The environment whose audit logs record the load; null: none. */
  environment: string | null;
};

/** The result of a load; the three counts are 0 when the list was already loaded. */
export type StoredList = {
  name: string;
  version: number;
  sha256: string;
  entries: number;
  added: number;
  removed: number;
  changed: number;
  /** How the items of its records were read. */
  account: ListAccount;
};

/** A list that lost more than this share of its entries counts as damaged until a person accepts it. */
const MOST_SHRUNK = 0.2;
/** From this many names, wallets or other items on they are compared too: publishers keep them in separate files, which may be missing. */
const MANY = 100;
/** Entries written at a time, first to the staging table, then to the live one. */
const BATCH = 1_000;
const PART = 20_000;

/**
 * Loads a list in one transaction, completely or not at all. The differences from the current version become a new version, and work for
 * every log that the list applies to. Concurrent loads of a list wait for each other. A list that was loaded before, and read the same way,
 * is only recorded as current. Throws `unprocessable` when the list is empty or has shrunk, `conflict` when its name is taken or its format
 * has changed, and whatever reading it throws.
 */
export const loadList = (db: Pool, list: NewList, now: number): Promise<StoredList> =>
  db.transaction(async tx => {
    const load = await stage(tx, list);
    await refuseTakenName(tx, list);
    const stored_list = await takeList(tx, list);
    // A list without entries is new, or was removed.
    if (stored_list.entries > 0 && stored_list.format !== list.format && !list.insist)
      throw conflict(
        `The list ${list.name} was loaded as ${stored_list.format}. Load this under another name, or insist with --allow-shrink.`,
      );
    const difference = await compare(tx, list, load);
    const { sha256, skipped, account } = list.summary();
    const account_before = await accountOf(tx, stored_list);
    refuseDamaged(list, difference, { before: account_before?.read, now: account.read });
    const { entries, added, gone, changed } = difference;
    const removed = gone.length;
    const counts = { entries, added, removed, changed };
    const isSame =
      stored_list.sha256 === sha256 &&
      added + removed + changed === 0 &&
      canonicalJson(account_before) === canonicalJson(account);
    const version = isSame ? stored_list.version : stored_list.version + 1;
    if (!isSame) await apply(tx, list, load, gone, version);
    await unstage(tx, list, load);
    await saveList(tx, { ...list, version, sha256, entries, loaded_at: timestamp(now) });
    if (!isSame) await noteVersion(tx, list, { version, sha256, skipped, account, ...counts }, now);
    const change = { from_version: stored_list.version, to_version: version, in_full: difference.allows };
    if (added + removed + changed > 0) await requestRescreens(tx, list, change, now);
    const loaded = { name: list.name, version, sha256, ...counts };
    const { org_id, environment } = list;
    // A scheduled fetch without changes is not recorded.
    if (environment && !(isSame && list.loaded_by === 'schedule')) {
      const entry = {
        action: 'screening_list.loaded' as const,
        target_id: list.name,
        after: { ...loaded, by: list.loaded_by },
      };
      await auditList(tx, { org_id, environment }, entry, now);
    }
    return { ...loaded, account };
  });

/** Notes that a list was found unchanged at its publisher. */
export const noteUnchanged = (db: Db, { org_id, name }: ListRef, now: number) =>
  db.query(sql.unsafe`
    update screening_lists set loaded_at = ${timestamp(now)} where org_id = ${org_id} and name = ${name}`);

/** Writes the entries to the staging table in batches. Returns the id of the load. */
async function stage(tx: Db, { org_id, name, entries }: NewList): Promise<string> {
  const load_id = newId('req');
  let batch: ListEntry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < BATCH) continue;
    await stageBatch(tx, { org_id, name }, load_id, batch);
    batch = [];
  }
  if (batch.length > 0) await stageBatch(tx, { org_id, name }, load_id, batch);
  return load_id;
}

async function stageBatch(tx: Db, { org_id, name }: ListRef, load_id: string, batch: readonly ListEntry[]) {
  const rows = batch.map(entry => [
    entry.entry_id,
    entry.action,
    entryDigest(entry),
    entryNamesDigest(entry),
    JSON.stringify(entry),
  ]);
  await tx.query(sql.unsafe`
    insert into screening_list_staging (org_id, list, load_id, entry_id, action, digest, names_digest, entry)
    select ${org_id}, ${name}, ${load_id}, r.entry_id, r.action, decode(r.digest, 'hex'), decode(r.names_digest, 'hex'), r.entry
    from ${packedRows(rows, ['text', 'text', 'text', 'text', 'text'])} as r (entry_id, action, digest, names_digest, entry)
    on conflict do nothing`);
}

/** Locks the list until the transaction ends. For a new list, version 0, no one else can then load the first version. */
async function takeList(tx: Db, { org_id, name, format }: NewList): Promise<ListRow> {
  await tx.query(sql.unsafe`
    insert into screening_lists (org_id, name, format, version, sha256, entries, loaded_at)
    values (${org_id}, ${name}, ${format}, 0, '', 0, 'epoch')
    on conflict do nothing`);
  return lockList(tx, org_id, name);
}

/** A screening identifies a list by name alone, so an organization's own list must not share its name with a shared one. */
async function refuseTakenName(tx: Db, { org_id, name }: ListRef): Promise<void> {
  const others = sql.fragment`select 1 from screening_lists
    where removed_at is null and name = ${name} and ${org_id === EVERYBODY ? sql.fragment`org_id <> ${EVERYBODY}` : sql.fragment`org_id = ${EVERYBODY}`}`;
  const isTaken = await tx.exists(sql.unsafe`${others}`);
  if (!isTaken) return;
  throw conflict(
    org_id === EVERYBODY
      ? `An organization has a list of its own that is named ${name}; choose another name.`
      : `There is a list of everybody that is named ${name}; choose another name.`,
  );
}

const Difference = z.object({
  before: z.number(),
  names_before: z.number(),
  names: z.number(),
  entries: z.number(),
  added: z.number(),
  changed: z.number(),
  gone: z.array(z.string()),
  allows: z.boolean(),
});
type Difference = z.infer<typeof Difference>;

/**
 * How the staged entries differ from the live ones, including a missing file of aliases. `gone`: the ids of those that are staged no more;
 * `allows`: exemptions are among the changes. Nothing is known of staged rows when the statement is planned, and a full join is never done
 * row by row (an anti-join was: 15,000 entries took 6 s, 40,000 took 40 s).
 */
const compare = (tx: Db, { org_id, name }: ListRef, load_id: string): Promise<Difference> =>
  tx.one(sql.type(Difference)`
    select count(k.entry_id)::int8 as before, count(s.entry_id)::int8 as entries,
      coalesce(sum(k.aliases), 0)::int8 as names_before, coalesce(sum(s.aliases), 0)::int8 as names,
      count(*) filter (where k.entry_id is null)::int8 as added,
      coalesce(array_agg(k.entry_id) filter (where s.entry_id is null), '{}') as gone,
      count(*) filter (where s.digest <> k.digest)::int8 as changed,
      coalesce(bool_or('allow' in (s.action, k.action)) filter (where s.digest is distinct from k.digest), false) as allows
    from (select entry_id, action, digest, ${aliasesOf} as aliases from screening_list_entries
      where org_id = ${org_id} and list = ${name} and not removed) k
    full join (select entry_id, action, digest, ${aliasesOf} as aliases from screening_list_staging
      where org_id = ${org_id} and list = ${name} and load_id = ${load_id}) s using (entry_id)`);

const aliasesOf = sql.fragment`jsonb_array_length(entry::jsonb -> 'aliases')`;

type Read = ListAccount['read'];

function refuseDamaged(
  { name, insist }: NewList,
  { before, entries, names_before, names }: Difference,
  read: { before: Read | undefined; now: Read },
): void {
  if (entries === 0)
    throw unprocessable('/path', 'empty_list', `The list ${name} has no entries. What was loaded before stays in use.`);
  const isShrunken = (had: number, has: number) => has < had * (1 - MOST_SHRUNK);
  const kinds = Object.entries(read.before ?? {}).map(
    ([kind, had]) => [kind, had, read.now[kind as keyof Read]] as const,
  );
  const lost = [['aliases', names_before, names] as const, ...kinds].flatMap(([kind, had, has]) =>
    had >= MANY && isShrunken(had, has) ? [`${has} ${kind} and had ${had}`] : [],
  );
  if (isShrunken(before, entries)) lost.unshift(`${entries} entries and had ${before}`);
  if (insist || lost.length === 0) return;
  throw unprocessable(
    '/path',
    'shrunken_list',
    `The list ${name} has ${lost.join(', ')}: it looks damaged. What was loaded before stays in use; insist with --allow-shrink.`,
  );
}

/** Removes the live entries that are gone and replaces the others by the staged ones. Rows of unchanged entries stay as they are. */
async function apply(tx: Db, { org_id, name }: ListRef, load_id: string, gone: readonly string[], version: number) {
  for (let at = 0; at < gone.length; at += BATCH)
    await tx.query(sql.unsafe`
      update screening_list_entries set removed = true, changed_in = ${version}
      where org_id = ${org_id} and list = ${name} and entry_id = any(${sql.array(gone.slice(at, at + BATCH), 'text')})`);
  for (let after: string | null = ''; after !== null;)
    after = await applyPart(tx, { org_id, name }, load_id, version, after);
}

/** Returns the last entry of the part; null when there was none. Parts keep each statement short, however long the list. */
const applyPart = (tx: Db, { org_id, name }: ListRef, load_id: string, version: number, after: string) =>
  tx.oneFirst(sql.type(z.object({ last: z.string().nullable() }))`
    with part as (
      select * from screening_list_staging
      where org_id = ${org_id} and list = ${name} and load_id = ${load_id} and entry_id > ${after}
      order by entry_id limit ${PART}
    ), applied as (
      insert into screening_list_entries as e (org_id, list, entry_id, action, digest, names_digest, entry, changed_in)
      select org_id, list, entry_id, action, digest, names_digest, entry, ${version} from part
      on conflict (org_id, list, entry_id) do update set
        action = excluded.action, digest = excluded.digest, names_digest = excluded.names_digest, entry = excluded.entry,
        changed_in = excluded.changed_in, removed = false
      where e.removed or e.digest <> excluded.digest
    )
    select max(entry_id) as last from part`);

const unstage = (tx: Db, { org_id, name }: ListRef, load_id: string) =>
  tx.query(sql.unsafe`
    delete from screening_list_staging where org_id = ${org_id} and list = ${name} and load_id = ${load_id}`);

const saveList = (tx: Db, { org_id, name, format, version, sha256, entries, loaded_at }: ListRow) =>
  tx.query(sql.unsafe`
    insert into screening_lists (org_id, name, format, version, sha256, entries, loaded_at)
    values (${org_id}, ${name}, ${format}, ${version}, ${sha256}, ${entries}, ${loaded_at})
    on conflict (org_id, name) do update set
      format = excluded.format, version = excluded.version, sha256 = excluded.sha256, entries = excluded.entries,
      loaded_at = excluded.loaded_at, removed_at = null`);

const noteVersion = (tx: Db, { org_id, name, format, loaded_by }: NewList, version: NewVersion, now: number) =>
  tx.query(sql.unsafe`
    insert into screening_list_versions (org_id, name, version, format, sha256, entries, added, removed, changed, skipped, loaded_at,
      loaded_by, account)
    values (${org_id}, ${name}, ${version.version}, ${format}, ${version.sha256}, ${version.entries}, ${version.added}, ${version.removed},
      ${version.changed}, ${version.skipped}, ${timestamp(now)}, ${loaded_by}, ${JSON.stringify(version.account)}::jsonb)`);

type NewVersion = Omit<StoredList, 'name'> & { skipped: number };
