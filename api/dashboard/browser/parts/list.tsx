import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Rows } from '#api/dashboard/browser/reading/use_rows.ts';
import { countText } from './format.ts';
import { ProblemNote } from './problem_note.tsx';
import { type Column, Table } from './table.tsx';
import { useQuery } from './use_query.ts';

/**
 * The rows of a list: the table, how many have arrived since, the next page, and what is there when nothing is. The address has the
 * place: `cursor`.
 */
export function List<R>({
  caption,
  list,
  columns,
  empty,
  current,
  rowClass,
  sortedBy,
}: {
  caption: string;
  list: Rows<R>;
  columns: Column<R>[];
  /** What a reader without filters is told when there is nothing. */
  empty: ComponentChildren;
  current?: string | null;
  rowClass?: (row: R) => string;
  /** How the list is sorted now, where it can be sorted. */
  sortedBy?: string | undefined;
}) {
  const { query, set, turn } = useQuery();
  const { rows, idOf, next_cursor, fresh, showFresh, gone, problem } = list;
  const { cursor, new: _dialog, view: _view, sort: _sort, ...filters } = query;
  // A cursor is of one reader and one listing: in an address that somebody sent it means nothing.
  const strange = problem?.status === 400 && cursor !== undefined;
  useEffect(() => {
    if (strange) set({});
  }, [strange]);
  if (rows === null) return problem ? <ProblemNote problem={problem} /> : <p class="quiet loading">Loading…</p>;
  // The button is at the end of the page, and goes: whoever pressed it begins at the top.
  const go = (there: () => void) => {
    there();
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  };
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <>
      {!problem?.passes && <ProblemNote problem={problem} />}
      <p class="fresh" role="status">
        {fresh.count > 0 && !cursor && (
          <button type="button" onClick={showFresh}>
            {countText(fresh.count)}
            {fresh.more ? ' or more' : ''} new · Show
          </button>
        )}
      </p>
      {rows.length > 0 ? (
        <Table
          caption={caption}
          columns={columns}
          rows={rows}
          idOf={idOf}
          current={current ?? null}
          sorting={{ by: sortedBy ?? query['sort'], set: by => set({ sort: by }) }}
          rowClass={row => [gone.has(idOf(row)) && 'gone', rowClass?.(row)].filter(Boolean).join(' ')}
        />
      ) : isFiltered || cursor ? (
        <div class="empty">
          <p>
            <strong>No results</strong>
          </p>
          <p>Remove a filter or widen the date range.</p>
        </div>
      ) : (
        empty
      )}
      {(cursor || next_cursor) && (
        <nav class="turn" aria-label="Pages">
          {cursor && (
            <button type="button" onClick={() => go(() => set({}))}>
              Newest
            </button>
          )}
          {next_cursor && (
            <button type="button" onClick={() => go(() => turn(next_cursor))}>
              Older
            </button>
          )}
        </nav>
      )}
    </>
  );
}
