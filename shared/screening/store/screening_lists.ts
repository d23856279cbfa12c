import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { Timestamp } from '#shared/interface/schemas.ts';
import { type AccountOfList, accountsOf } from './list_accounts.ts';
import { ListAccount } from '#shared/screening/account.ts';
import { DAY } from '#shared/values/time.ts';

/** The organization of shared lists. */
export const EVERYBODY = '';

/** After this time a list that was neither loaded nor checked counts as stale. */
const STALE_AFTER = 7 * DAY;

const isStale = (loaded_at: string, now: number): boolean => now - Date.parse(loaded_at) > STALE_AFTER;

/** The version of a list that a screening used. */
export const UsedList = z
  .object({
    name: z.string(),
    version: z.int().meta({ description: 'goes up with each load of something else' }),
    loaded_at: Timestamp.meta({ description: 'when it was last loaded, or found unchanged at its publisher' }),
    stale: z.boolean().meta({ description: 'it was loaded more than 7 days before' }),
  })
  .meta({ id: 'UsedList' });
export type UsedList = z.infer<typeof UsedList>;

export const ScreeningList = UsedList.extend({
  format: z.string().meta({ description: 'whose files it was loaded from', examples: ['ofac-sdn'] }),
  entries: z.int(),
  scope: z.enum(['everyone', 'organization']).meta({ description: 'whether others are screened against it too' }),
  account: ListAccount.nullable().meta({
    description: 'what was read of its files, and what was not understood; null: not known',
  }),
}).meta({ id: 'ScreeningList' });
export type ScreeningList = z.infer<typeof ScreeningList>;

/** A list as it is stored: which version is the current one. */
export const ListRow = z.object({
  org_id: z.string(),
  name: z.string(),
  format: z.string(),
  version: z.number(),
  sha256: z.string(),
  entries: z.number(),
  loaded_at: z.string(),
});
export type ListRow = z.infer<typeof ListRow>;

const columns = sql.fragment`org_id, name, format, version, sha256, entries, loaded_at`;

/** The lists that an organization is screened against: shared ones and its own. */
export const listsOf = (db: Db, org_id: string): Promise<readonly ListRow[]> =>
  db.any(sql.prepared('read_screening_lists', ListRow)`
    select ${columns} from screening_lists
    where org_id = any(${sql.array([EVERYBODY, org_id], 'text')}) and removed_at is null
    order by org_id, name`);

/** A condition: these, and no others, are the lists that an organization is screened against, each in this version and loaded then. */
export const areListsOf = (
  org_id: string,
  lists: readonly Pick<ListRow, 'org_id' | 'name' | 'version' | 'loaded_at'>[],
): FragmentSqlToken => sql.fragment`
  not exists (
    select from (
      select org_id, name, version, loaded_at from screening_lists
      where org_id = any(${sql.array([EVERYBODY, org_id], 'text')}) and removed_at is null) stored
    full join ${tableOf('known', lists, { org_id: 'text', name: 'text', version: 'int4', loaded_at: 'timestamptz' })}
      using (org_id, name, version, loaded_at)
    where stored.org_id is null or known.org_id is null)`;

/** All shared lists. */
export const listsOfEverybody = (db: Db): Promise<readonly ListRow[]> =>
  db.any(
    sql.type(
      ListRow,
    )`select ${columns} from screening_lists where org_id = ${EVERYBODY} and removed_at is null order by name`,
  );

/** Locks a list until the transaction ends, so that loads of it follow each other. */
export const lockList = (tx: Db, org_id: string, name: string): Promise<ListRow> =>
  tx.one(sql.type(ListRow)`
    select ${columns} from screening_lists where org_id = ${org_id} and name = ${name} for update`);

/** The lists of an organization as people read them, by scope and name. */
export async function listScreeningLists(
  db: Db,
  org_id: string,
  page: PageRequest,
  now: number,
): Promise<Page<ScreeningList>> {
  const { after } = page;
  const rows = (await listsOf(db, org_id))
    .filter(row => after === null || keyOf(row) > after)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const { data, next_cursor } = pageOf(rows, page, keyOf);
  const account = await accountsOf(db, [EVERYBODY, org_id]);
  return { data: data.map(row => shownList(row, account, now)), next_cursor };
}

// An organization has a handful of lists, and its id sorts after the empty one.
const keyOf = ({ org_id, name }: ListRow) => `${org_id} ${name}`;

/** A stored list as the API shows it. */
export const shownList = (row: ListRow, account: AccountOfList, now: number) => {
  const { org_id, name, format, version, entries, loaded_at } = row;
  return {
    name,
    version,
    loaded_at,
    stale: isStale(loaded_at, now),
    format,
    entries,
    scope: org_id === EVERYBODY ? ('everyone' as const) : ('organization' as const),
    account: account(row),
  };
};

/** A version of a list as a screening notes it. */
export const usedList = (
  { name, version, loaded_at }: Pick<ListRow, 'name' | 'version' | 'loaded_at'>,
  now: number,
) => ({
  name,
  version,
  loaded_at,
  stale: isStale(loaded_at, now),
});
