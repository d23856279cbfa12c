import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Rows } from '#api/dashboard/browser/reading/use_rows.ts';
import { countText } from './format.ts';
import { ProblemNote } from './problem_note.tsx';
import { ListBar, type ListTools } from './list_bar.tsx';
import { type Column, inOrder, Table } from './table.tsx';
import { useColumns } from './use_columns.ts';
import { useListKeys } from './use_list_keys.tsx';
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
  sortedBy = 'created_at',
  tools,
}: {
  caption: string;
  list: Rows<R>;
  columns: Column<R>[];
  /** What a reader without filters is told when there is nothing. */
  empty: ComponentChildren;
  current?: string | null;
  rowClass?: (row: R) => string;
  /** What the list is sorted by where the address does not say it, in the API's words. */
  sortedBy?: string;
  /** What a page that is this list offers over it. */
  tools?: ListTools;
}) {
  const { query, set, turn } = useQuery();
  const { rows, idOf, next_cursor, fresh, showFresh, gone, problem } = list;
  const { cursor, new: _dialog, view: _view, sort, direction, order, ...filters } = query;
  const by = sort ?? sortedBy;
  const isByTime = byTime.has(by) && direction !== 'asc' && !order;
  const chosen = useColumns(caption, columns);
  const isWhole = !cursor && next_cursor === null;
  // With more pages, the order of one of them would mislead.
  const sorted = inOrder(rows ?? [], columns, isWhole ? order : null);
  // A queue has a mark of its own.
  const keys = useListKeys(sorted.map(idOf), tools !== undefined && current === undefined);
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
  // It comes by itself, so no row may move for it.
  const arrived = (
    <p class="fresh" role="status">
      {fresh.count > 0 && !cursor && (
        <button type="button" onClick={showFresh}>
          {countText(fresh.count)}
          {fresh.more && '+'} new · Show
        </button>
      )}
    </p>
  );
  return (
    <>
      {tools && (
        <ListBar
          count={countOf(rows.length, isWhole, next_cursor !== null)}
          arrived={arrived}
          tools={tools}
          columns={chosen}
        />
      )}
      {keys.shown}
      {!problem?.passes && <ProblemNote problem={problem} />}
      {rows.length > 0 ? (
        <Table
          caption={caption}
          columns={tools ? chosen.shown : columns}
          rows={sorted}
          idOf={idOf}
          current={current ?? keys.current}
          sorting={{
            by,
            direction: direction === 'asc' || direction === 'desc' ? direction : undefined,
            set: (by, direction) => set({ sort: by === sortedBy ? undefined : by, direction, order: undefined }),
            order: isWhole ? order : null,
            setOrder: order => set({ order, sort: undefined, direction: undefined }),
          }}
          rowClass={row => [gone.has(idOf(row)) && 'gone', rowClass?.(row)].filter(Boolean).join(' ')}
        />
      ) : isFiltered || cursor ? (
        <div class="empty">
          <p>
            <strong>{next_cursor ? 'No results so far' : 'No results'}</strong>
          </p>
          <p>
            {next_cursor
              ? `There are more entries to look through. Continue with ${isByTime ? 'Older' : 'Next'}.`
              : 'Remove a filter or widen the date range.'}
          </p>
        </div>
      ) : (
        empty
      )}
      {!tools && arrived}
      {(cursor || next_cursor) && (
        <nav class="turn" aria-label="Pages">
          {cursor && (
            <button type="button" onClick={() => go(() => set({}))}>
              {isByTime ? 'Newest' : 'First'}
            </button>
          )}
          {next_cursor && (
            <button type="button" onClick={() => go(() => turn(next_cursor))}>
              {isByTime ? 'Older' : 'Next'}
            </button>
          )}
        </nav>
      )}
    </>
  );
}

/** What lists are sorted by where their newest come first. */
const byTime = new Set(['created_at', 'first_seen_at']);

const countOf = (rows: number, isWhole: boolean, isMore: boolean): string =>
  isWhole
    ? `${countText(rows)} ${rows === 1 ? 'result' : 'results'}`
    : `${countText(rows)} shown${isMore ? ', more below' : ''}`;
