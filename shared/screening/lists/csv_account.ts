import type { Accounting } from '#shared/screening/account.ts';
import type { NamedRow } from './csv_header.ts';

/** The columns that a reader uses, and those known to be irrelevant. */
type KnownColumns = { taken: readonly string[]; unused: RegExp };

/**
 * Accounts for the cells of a row that its reader does not use: irrelevant if the column is known, otherwise not understood. `isNew`:
 * whether no other row of the entry has the same text in that column.
 */
export function accountForColumns(
  account: Accounting,
  row: NamedRow,
  columns: KnownColumns,
  isNew: (column: string, text: string) => boolean = () => true,
) {
  for (const [column, kind] of kindsOf(row.columns, columns)) {
    const text = kind === 'taken' ? '' : row.get(column);
    if (text === '' || !isNew(column, text)) continue;
    if (kind === 'unused') account.pass();
    else account.miss(column, text);
  }
}

type ColumnKind = 'taken' | 'unused' | 'unknown';

/** A file has one header with up to a hundred columns, so they are classified once. */
const cached_kinds = new WeakMap<readonly string[], [string, ColumnKind][]>();

function kindsOf(columns: readonly string[], { taken, unused }: KnownColumns): [string, ColumnKind][] {
  const before = cached_kinds.get(columns);
  if (before) return before;
  const names = new Set(taken.map(column => column.toLowerCase()));
  const kinds = columns.map((column): [string, ColumnKind] => [
    column,
    names.has(column) ? 'taken' : unused.test(column) ? 'unused' : 'unknown',
  ]);
  cached_kinds.set(columns, kinds);
  return kinds;
}
