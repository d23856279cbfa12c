import { useEffect, useRef, useState } from 'preact/hooks';
import type { ArgsOf, Operation } from './operations.ts';
import type { Problem } from './problem.ts';
import { keyOf } from './store.ts';
import { LIVE, useReading } from './use_reading.ts';

type Page<R> = { data: R[]; next_cursor: string | null };
type PageOperation<R> = (
  args: never,
  options?: never,
) => Promise<{ status: 200; data: Page<R>; headers?: Headers } | { status: number; data?: unknown; headers?: Headers }>;

export type Rows<R> = {
  /** Null until the first answer. */
  rows: R[] | null;
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
 * A page of a list that is asked for again and again without moving under the reader: rows keep their places and are brought up to
 * date where they stand; what has arrived since is counted until `showFresh`. Other arguments are another list.
 */
export function useRows<R>(
  operation: PageOperation<R>,
  args: Record<string, unknown>,
  idOf: (row: R) => string,
  every: number = LIVE,
): Rows<R> {
  const typed = operation as unknown as Operation;
  const wanted = args as ArgsOf<Operation>;
  const { data, problem, as_of } = useReading(typed, wanted, every);
  const page = data as Page<R> | null;
  const key = keyOf(typed, wanted);
  const pinned = useRef<{ key: string; page: Page<R> } | null>(null);
  const [, redraw] = useState(0);
  // Somebody else is signed in, or in another organization: nothing of before stays.
  if (!page && pinned.current?.key === key) pinned.current = null;
  if (page && (pinned.current?.key !== key || pinned.current.page.data.length === 0)) pinned.current = { key, page };
  const shown = pinned.current?.key === key ? pinned.current.page : null;
  useEffect(() => () => void (pinned.current = null), []);
  if (!page || !shown)
    return {
      rows: shown?.data ?? null,
      next_cursor: null,
      fresh: { count: 0, more: false },
      showFresh: () => {},
      gone: new Set(),
      problem,
      as_of,
    };
  const now = new Map(page.data.map(row => [idOf(row), row]));
  const old = new Set(shown.data.map(idOf));
  // What stands in the new page before the first row that is shown has arrived since; the rest has moved in at the end.
  const first = page.data.findIndex(row => old.has(idOf(row)));
  const count = first === -1 ? page.data.length : first;
  return {
    rows: shown.data.map(row => now.get(idOf(row)) ?? row),
    next_cursor: shown.next_cursor,
    fresh: { count, more: first === -1 && page.data.length > 0 && page.next_cursor !== null },
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

/** Of the rows shown, those the list no longer has; what was pushed beyond the end of the page is not gone. */
function goneOf(shown: string[], now: ReadonlyMap<string, unknown>, isWhole: boolean): ReadonlySet<string> {
  const last = isWhole ? shown.length : shown.findLastIndex(id => now.has(id));
  return new Set(shown.slice(0, last).filter(id => !now.has(id)));
}
