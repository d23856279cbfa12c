import type { FragmentSqlToken } from 'slonik';
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

/** An order of a list: by a value, then by id. `keyOf` is the value of a row, as text. */
export type Order<T> = {
  by: FragmentSqlToken;
  type: 'timestamptz' | 'int4' | 'numeric';
  direction: 'asc' | 'desc';
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

/** The rows after `page.after` in an order, or, without an order, newest first by id. */
export function ordered<T extends { id: string }>(order: Order<T> | null, id: FragmentSqlToken, page: PageRequest) {
  const [, key, last_id] = /^(.*?) ?(\S+)$/.exec(page.after ?? '') ?? [];
  if (!order)
    return {
      after: page.after !== null && sql.fragment`${id} < ${page.after}`,
      by: sql.fragment`${id} desc`,
      keyOf: (row: T) => row.id,
    };
  const { by, direction, type, until, keyOf } = order;
  const value = sql.fragment`${key ?? null}::text::${sql.identifier([type])}`;
  const beyond = direction === 'asc' ? sql.fragment`>` : sql.fragment`<`;
  const toward = direction === 'asc' ? sql.fragment`asc` : sql.fragment`desc`;
  return {
    after: sql.and([
      page.after !== null && sql.fragment`(${by}, ${id}) ${beyond} (${value}, ${last_id ?? ''})`,
      until !== undefined && sql.fragment`${by} < ${until}`,
    ]),
    by: sql.fragment`${by} ${toward}, ${id} ${toward}`,
    keyOf: (row: T) => `${keyOf(row)} ${row.id}`,
  };
}

/** Refuses an order that a list offers only for some of its rows, or together with `updated_from`, which is an order itself. */
export function checkSort(
  sort: string | undefined,
  updated_from: string | undefined,
  needed: { holds: boolean; message: string },
): void {
  if (sort === undefined || sort === 'created_at') return;
  if (updated_from !== undefined)
    throw invalidDetail('query.sort', 'not_with_updated_from', 'With updated_from the order is that of the changes.');
  if (!needed.holds) throw invalidDetail('query.sort', 'needs_state', needed.message);
}
