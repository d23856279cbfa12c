import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { sql } from '#shared/platform/db.ts';
import type { Order } from '#shared/interface/changes.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';

/** What a row of such a list is sorted by, as text, beside what is answered. */
export const sortKey = { sort_key: z.string() };
type Keyed = { id: string; sort_key: string };

/** An order whose values the rows bring along. */
export const byKey = (order: Omit<Order<Keyed>, 'keyOf'>): Order<Keyed> => ({
  ...order,
  keyOf: ({ sort_key }) => sort_key,
});

/** By first sight: ids that clients may have made are in no order. */
export const byArrival = (first_seen_at: FragmentSqlToken): Order<Keyed> =>
  byKey({ by: first_seen_at, type: 'timestamptz', direction: 'desc' });

/** By name, whatever its case, as the indexes of `sql/indexes.sql` have it: so much of it that a cursor has room for it. */
export const byName = (name: FragmentSqlToken): Order<Keyed> =>
  byKey({
    by: sql.fragment`left(lower(normalize(${name}, nfkd) collate "und-x-icu"), 60) collate "C"`,
    type: 'text',
    direction: 'asc',
  });

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
