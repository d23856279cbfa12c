import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** One column: `show` for a row. `from`: shown from a narrow, a middle or a wide screen on. The first one that is a link opens the row. */
export type Column<R> = {
  name: string;
  show: (row: R) => ComponentChildren;
  from?: 'middle' | 'wide';
  align?: 'end';
  /** The name is for screen readers only. */
  unnamed?: boolean;
  /** The API sorts the list by it, under this name. */
  sort?: string;
  /** Where sorting by it begins, by default with the largest or the latest. */
  first?: Direction;
  /** What its rows are sorted by where all of the list is on the page and the API does not sort by it. */
  value?: (row: R) => string | number | null;
};

type Direction = 'asc' | 'desc';

/**
 * By what the API sorted the rows, and how to have it sort them otherwise; undefined: as it does by itself. `order`: by the name of a column,
 * with a minus before it the largest first; null where they cannot be.
 */
export type Sorting = {
  by: string | undefined;
  direction: Direction | undefined;
  set: (by: string | undefined, direction: Direction | undefined) => void;
  order: string | undefined | null;
  setOrder: (order: string | undefined) => void;
};

/** A table. `caption` says what it is, to screen readers. */
export function Table<R>({
  caption,
  columns,
  rows,
  idOf,
  rowClass,
  current,
  sorting,
}: {
  caption: string;
  columns: Column<R>[];
  rows: R[];
  idOf: (row: R) => string;
  rowClass?: (row: R) => string;
  /** The id of the row that the keyboard is at. */
  current?: string | null;
  sorting?: Sorting | undefined;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const scrolls = useScrolls(frame);
  const classOf = ({ from, align }: Column<R>) =>
    [from && `from-${from}`, align && `align-${align}`].filter(Boolean).join(' ');
  return (
    <div class="table-frame" ref={frame} {...(scrolls && { tabIndex: 0, role: 'group', 'aria-label': caption })}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column.name} scope="col" class={classOf(column)} aria-sort={sortedOf(column, sorting)}>
                <Heading column={column} sorting={sorting} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => {
            const id = idOf(row);
            return (
              <tr key={id} id={`row-${id}`} class={rowClass?.(row)} aria-current={current === id ? 'true' : undefined}>
                {columns.map(column => (
                  <td key={column.name} class={classOf(column)}>
                    {column.show(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** How the rows are sorted by a column, as ARIA says it. */
function sortedOf<R>(
  { name, sort, first = 'desc' }: Column<R>,
  sorting: Sorting | undefined,
): 'ascending' | 'descending' | undefined {
  if (sorting?.order === name) return 'ascending';
  if (sorting?.order === `-${name}`) return 'descending';
  if (!sort || sorting?.order || sorting?.by !== sort) return undefined;
  return (sorting.direction ?? first) === 'asc' ? 'ascending' : 'descending';
}

function Heading<R>({ column, sorting }: { column: Column<R>; sorting: Sorting | undefined }) {
  const { name, unnamed, sort, first = 'desc', value } = column;
  if (unnamed) return <span class="unseen">{name}</span>;
  const isHere = !sort && value !== undefined && sorting?.order !== null;
  if (!sorting || !(sort || isHere)) return <>{name}</>;
  const sorted = sortedOf(column, sorting);
  const now = sorted && (sorted === 'ascending' ? 'asc' : 'desc');
  // One end first, then the other, then as the list is by itself.
  const turn = () => {
    const next = now === undefined ? first : now === first ? otherOf(first) : undefined;
    if (isHere) sorting.setOrder(next && (next === 'desc' ? `-${name}` : name));
    else sorting.set(next && sort, next === first ? undefined : next);
  };
  return (
    <button type="button" class="sort" onClick={turn}>
      {name}
      <Icon name={(now ?? first) === 'asc' ? 'up' : 'down'} size={12} />
    </button>
  );
}

const otherOf = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc');

/** Rows in an order, see `Sorting`; what has no value comes last. */
export function inOrder<R>(rows: R[], columns: Column<R>[], order: string | undefined | null): R[] {
  const isDown = order?.startsWith('-');
  const value = columns.find(({ name }) => name === (isDown ? order?.slice(1) : order))?.value;
  if (!order || !value) return rows;
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    const compared = typeof a === 'string' && typeof b === 'string' ? a.localeCompare(b, 'en') : Number(a) - Number(b);
    return isDown ? -compared : compared;
  });
}

/** Whether what is in an element is wider than it: then the keyboard has to get there, to scroll it. */
function useScrolls(frame: RefObject<HTMLElement | null>): boolean {
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const sized = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth));
    sized.observe(element);
    if (element.firstElementChild) sized.observe(element.firstElementChild);
    return () => sized.disconnect();
  }, []);
  return scrolls;
}
