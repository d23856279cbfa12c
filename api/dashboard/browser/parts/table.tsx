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
  /** The list can be sorted by it, the largest first: under this name of the API. */
  sort?: string;
};

/** By what the rows are sorted, and how to sort them by something else; undefined: as they come. */
export type Sorting = { by: string | undefined; set: (by: string | undefined) => void };

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
              <th
                key={column.name}
                scope="col"
                class={classOf(column)}
                aria-sort={column.sort && sorting?.by === column.sort ? 'descending' : undefined}
              >
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

function Heading<R>({ column: { name, unnamed, sort }, sorting }: { column: Column<R>; sorting: Sorting | undefined }) {
  if (unnamed) return <span class="unseen">{name}</span>;
  if (!sort || !sorting) return <>{name}</>;
  return (
    <button type="button" class="sort" onClick={() => sorting.set(sorting.by === sort ? undefined : sort)}>
      {name}
      <Icon name="down" size={12} />
    </button>
  );
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
