import { sql } from '#shared/platform/db.ts';
import type { PageRequest } from '#shared/interface/page.ts';

/**
 * Where a page begins in a list by arrival whose ids clients may have made: after the record that was first seen then, and has this
 * id. A condition on the columns first_seen_at and id; the first page has none.
 */
export function olderThan({ after }: PageRequest) {
  if (after === null) return false;
  const [first_seen_at = '', id = ''] = after.split(' ');
  return sql.fragment`(first_seen_at, id) < (${first_seen_at}::timestamptz, ${id})`;
}

/** The key of a record in such a list: neither part of it ever changes. */
export const arrivalOf = ({ first_seen_at, id }: { first_seen_at: string; id: string }) => `${first_seen_at} ${id}`;
