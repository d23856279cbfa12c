import type { FragmentSqlToken, ListSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { invalidDetail } from './errors.ts';
import type { PageRequest } from './page.ts';
import { TimeFilter } from './schemas.ts';

/** The query parameter for following the changes of a list. */
export const updatedFrom = TimeFilter.optional().meta({
  description:
    'what changed at this time or later, in order of `updated_at`, the oldest change first. Ask again from the last `updated_at` on: what changed in that moment is there once more, and nothing is passed over.',
});

/** Tables whose rows have the time of their last change, or that of another's. */
export type Followed = 'alert_changes' | 'incidents' | 'cases';

const Settled = z.object({ at: z.string() });

/**
 * The time up to which all changes of a table are visible to a query that begins after this one. A change in progress already has its time
 * and is not visible yet: later changes wait for it, so that followers of the table do not miss it.
 */
export const settledUntil = (db: Db, table: Followed): Promise<string> =>
  db.oneFirst(sql.type(Settled)`select changes_settled(${table}) as at`);

/** The query parameter for the direction of a list's order. */
export const direction = z.enum(['asc', 'desc']).optional().meta({
  description:
    'where the order begins: `desc` with the newest, largest or most severe, `asc` with the oldest, smallest or least severe. Without it: `desc`; names from A to Z, and what expires first.',
});

export type Direction = 'asc' | 'desc';

/** An order of a list: by a value, then by id. `keyOf` is the value of a row, as text. */
export type Order<T> = {
  by: FragmentSqlToken;
  type: 'timestamptz' | 'int4' | 'numeric' | 'text';
  /** The one that it has by itself. */
  direction: Direction;
  keyOf: (row: T) => string;
  until?: string;
};

/** The order of changes, as far as they are final: until a time that is known to be, or as the clock says, which is read first. */
export const byChange = async <T extends { updated_at: string }>(
  db: Db,
  table: Followed,
  updated_at: FragmentSqlToken,
  final_until?: string,
): Promise<Order<T>> => ({
  by: updated_at,
  type: 'timestamptz',
  direction: 'asc',
  keyOf: row => row.updated_at,
  until: final_until ?? (await settledUntil(db, table)),
});

/** How a direction compares what comes later, and how it is written. */
export const along = (direction: Direction) =>
  direction === 'asc'
    ? { beyond: sql.fragment`>`, toward: sql.fragment`asc` }
    : { beyond: sql.fragment`<`, toward: sql.fragment`desc` };

/** What a page's `after` holds of the last row: its value in the order, and its id. */
export function lastOf({ after }: PageRequest): { key: string | undefined; id: string } {
  const [, key, id = ''] = /^(.*?) ?(\S+)$/s.exec(after ?? '') ?? [];
  return { key, id };
}

/** The rows after `page.after` in an order, or, without an order, by id; toward the order's own direction, by id newest first, or another. */
export function ordered<T extends { id: string }>(
  order: Order<T> | null,
  id: FragmentSqlToken,
  page: PageRequest,
  direction: Direction = order?.direction ?? 'desc',
) {
  const { beyond, toward } = along(direction);
  if (!order)
    return {
      after: page.after !== null && sql.fragment`${id} ${beyond} ${page.after}`,
      by: sql.fragment`${id} ${toward}`,
      keyOf: (row: T) => row.id,
    };
  const { by, type, until, keyOf } = order;
  const { key, id: last_id } = lastOf(page);
  const value = sql.fragment`${key ?? null}::text::${sql.identifier([type])}`;
  return {
    after: sql.and([
      page.after !== null && sql.fragment`(${by}, ${id}) ${beyond} (${value}, ${last_id})`,
      until !== undefined && sql.fragment`${by} < ${until}`,
    ]),
    by: sql.fragment`${by} ${toward}, ${id} ${toward}`,
    keyOf: (row: T) => `${keyOf(row)} ${row.id}`,
  };
}

/** Refuses an order together with `updated_from`, which is an order itself. */
export function checkSort({
  sort,
  direction,
  updated_from,
}: {
  sort?: string | undefined;
  direction?: Direction | undefined;
  updated_from?: string | undefined;
}): void {
  if (updated_from === undefined) return;
  const name = sort === undefined || sort === 'created_at' ? direction && 'direction' : 'sort';
  if (name)
    throw invalidDetail(
      `query.${name}`,
      'not_with_updated_from',
      'With updated_from the order is that of the changes.',
    );
}

/**
 * The first rows of a table in an order, whatever their state, for an index that begins with the state: of each state its first ones,
 * which are as many as a page at most. `where` and `by` are about `alias`.
 */
export const ofEachState = (
  states: readonly string[],
  table: 'alerts' | 'incidents' | 'mandates',
  alias: string,
  { where, by, limit }: { where: FragmentSqlToken | ListSqlToken; by: FragmentSqlToken; limit: number },
) => {
  const name = sql.identifier([alias]);
  return sql.fragment`${sql.unnest(
    states.map(state => [state]),
    ['text'],
  )} as each_state (one) cross join lateral (
    select * from ${sql.identifier([table])} ${name} where ${name}.state = each_state.one and ${where}
    order by ${by} limit ${limit}) ${name}`;
};
