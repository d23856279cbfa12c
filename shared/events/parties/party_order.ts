import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import { along, type Direction, lastOf, type Order, ordered } from '#shared/interface/changes.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';

/** What a row of such a list is sorted by, as text, beside what is answered. */
export const sortKey = { sort_key: z.string() };
type Keyed = { id: string; sort_key: string };
const keyOf = ({ sort_key }: Keyed) => sort_key;

/** By first sight: ids that clients may have made are in no order. */
export const byArrival = (first_seen_at: FragmentSqlToken): Order<Keyed> => ({
  by: first_seen_at,
  type: 'timestamptz',
  direction: 'desc',
  keyOf,
});

/** By name, whatever its case, as the indexes of `sql/indexes.sql` have it: so much of it that a cursor has room for it. */
export const byName = (name: FragmentSqlToken): Order<Keyed> => ({
  by: sql.fragment`left(lower(normalize(${name}, nfkd) collate "und-x-icu"), 60) collate "C"`,
  type: 'text',
  direction: 'asc',
  keyOf,
});

/** A total, the rank of it that an index has, and the rank of another value of it. A value that is larger has no smaller rank. */
type Ranked = {
  total: FragmentSqlToken;
  type: Order<Keyed>['type'];
  rank: FragmentSqlToken;
  rankOf: (value: FragmentSqlToken) => FragmentSqlToken;
};

/** By a total that moves with every payment, the largest first: the index has its ranks in order, and those of one rank are few enough to sort. */
export function byTotal(
  { total, type, rank, rankOf }: Ranked,
  id: FragmentSqlToken,
  page: PageRequest,
  direction: Direction = 'desc',
) {
  const { after, by, ...rest } = ordered<Keyed>({ by: total, type, direction: 'desc', keyOf }, id, page, direction);
  const { toward } = along(direction);
  const { key } = lastOf(page);
  const value = sql.fragment`${key ?? null}::text::${sql.identifier([type])}`;
  const reached = direction === 'asc' ? sql.fragment`>=` : sql.fragment`<=`;
  return {
    after: sql.and([key !== undefined && sql.fragment`${rank} ${reached} ${rankOf(value)}`, after]),
    by: sql.fragment`${rank} ${toward}, ${by}`,
    ...rest,
  };
}

/** The page of rows, without what they are sorted by. */
export function keyedPage<T extends Keyed>(
  rows: readonly T[],
  page: PageRequest,
  keyOf: (row: T) => string,
): Page<Omit<T, 'sort_key'>> {
  const { data, next_cursor } = pageOf(rows, page, keyOf);
  return { data: data.map(withoutKey), next_cursor };
}

function withoutKey<T extends Keyed>(keyed: T): Omit<T, 'sort_key'> {
  const { sort_key: _, ...row } = keyed;
  return row;
}
