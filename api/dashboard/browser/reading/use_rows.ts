import { useEffect, useRef, useState } from 'preact/hooks';
import type { ArgsOf, DataOf, Operation, QueryOf } from '#api/client/call.ts';
import { useQuery } from '#api/dashboard/browser/parts/use_query.ts';
import type { Problem } from './problem.ts';
import { keyOf } from './store.ts';
import { useReading } from './use_reading.ts';

type Page<R> = { data: R[]; next_cursor: string | null };

/** An operation that answers a page of a list. */
export type ListOperation = { [O in Operation]: DataOf<O> extends Page<unknown> ? O : never }[Operation];

/** A row of the list that an operation answers. */
export type RowOf<O extends ListOperation> = DataOf<O>['data'][number];

/** What can narrow a list, whichever it is. */
export type AnyNarrowing = {
  name: string;
  sends?: (value: string | undefined, address: Record<string, string | undefined>) => string | undefined;
};

/** What can narrow a list: a parameter of the API that the address of the page has under the same name. `sends`: what the API is sent for it, where that is another thing; it is handed all of the address. */
export type Narrowing<O extends ListOperation> = AnyNarrowing & { name: Extract<keyof QueryOf<O>, string> };

/** The most rows of one page of the API: lists that have no more as a rule are shown whole. */
export const MOST_ON_PAGE = 200;

export type Rows<R> = {
  /** Null until the first answer. */
  rows: R[] | null;
  idOf: (row: R) => string;
  next_cursor: string | null;
  /** How many have arrived that are not shown; with `more`, at least so many. */
  fresh: { count: number; more: boolean };
  showFresh: () => void;
  /** Ids of rows that are shown, and no longer in the list that is asked for. */
  gone: ReadonlySet<string>;
  problem: Problem | null;
  as_of: number | null;
};

/**
 * A page of a list, narrowed as the address says, that is asked for again and again without moving under the reader: rows keep their
 * places and are brought up to date where they stand; what has arrived since is counted until `showFresh`. Another address is another
 * list.
 */
export function useRows<O extends ListOperation>(
  operation: O,
  narrowings: readonly Narrowing<O>[] = [],
  {
    limit = 50,
    idOf = idOfRow,
    params,
  }: { limit?: number; idOf?: (row: RowOf<O>) => string; params?: Record<string, string> } = {},
): Rows<RowOf<O>> {
  const { query } = useQuery();
  const args = {
    ...(params && { params }),
    query: { ...narrowed(narrowings, query), cursor: query['cursor'], limit },
  } as ArgsOf<O>;
  const { data, problem, as_of } = useReading(operation, args);
  const page = data as Page<RowOf<O>> | null;
  const key = keyOf(operation, args);
  const pinned = useRef<{ key: string; page: Page<RowOf<O>> } | null>(null);
  const [, redraw] = useState(0);
  // Somebody else is signed in, or in another organization: nothing of before stays.
  if (!page && pinned.current?.key === key) pinned.current = null;
  if (page && (pinned.current?.key !== key || pinned.current.page.data.length === 0)) pinned.current = { key, page };
  const shown = pinned.current?.key === key ? pinned.current.page : null;
  useEffect(() => () => void (pinned.current = null), []);
  if (!page || !shown)
    return {
      rows: shown?.data ?? null,
      idOf,
      next_cursor: null,
      fresh: { count: 0, more: false },
      showFresh: () => {},
      gone: new Set(),
      problem,
      as_of,
    };
  const now = new Map(page.data.map(row => [idOf(row), row]));
  const old = new Set(shown.data.map(idOf));
  // What stands in the new page before the last row that is shown has arrived since; the rest has moved in at the end.
  const last = page.data.findLastIndex(row => old.has(idOf(row)));
  const count = (last === -1 ? page.data : page.data.slice(0, last)).filter(row => !old.has(idOf(row))).length;
  return {
    rows: shown.data.map(row => now.get(idOf(row)) ?? row),
    idOf,
    next_cursor: shown.next_cursor,
    fresh: { count, more: last === -1 && page.data.length > 0 && page.next_cursor !== null },
    showFresh() {
      // What is newest when it is drawn: whoever has just made something calls this before the page knows of it.
      pinned.current = null;
      redraw(times => times + 1);
    },
    gone: goneOf(shown.data.map(idOf), now, page.next_cursor === null),
    problem,
    as_of,
  };
}

/** The part of a list's query that the address of a page narrows it by. What is no value of a parameter the API refuses, and says so. */
export const narrowed = <O extends ListOperation>(
  narrowings: readonly Narrowing<O>[],
  address: Record<string, string | undefined>,
): Partial<QueryOf<O>> =>
  Object.fromEntries(
    narrowings.map(({ name, sends }) => [name, sends ? sends(address[name], address) : address[name]]),
  ) as Partial<QueryOf<O>>;

const idOfRow = (row: unknown): string => (row as { id: string }).id;

/** Of the rows shown, those the list no longer has; what was pushed beyond the end of the page is not gone. */
function goneOf(shown: string[], now: ReadonlyMap<string, unknown>, isWhole: boolean): ReadonlySet<string> {
  const last = isWhole ? shown.length : shown.findLastIndex(id => now.has(id));
  return new Set(shown.slice(0, last).filter(id => !now.has(id)));
}
