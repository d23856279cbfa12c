import type { ReportRecords, ReportRecord, ReportTable } from './report.ts';
import { moreIn } from './words.ts';

/** The first of many items, and how many there were. */
export type Kept<T> = { items(): readonly T[]; count(): number };

/** Keeps the first `most`; the rest is not even created. */
export function createKept<T>(most: number): Kept<T> & { add(make: () => T): void } {
  const items: T[] = [];
  let count = 0;
  return {
    add(make) {
      count += 1;
      if (items.length < most) items.push(make());
    },
    items: () => items,
    count: () => count,
  };
}

/** Keeps the earliest `most`, ordered by `at` (RFC 3339); of the same moment, in order of arrival. */
export function createEarliest<T extends { at: string }>(most: number): Kept<T> & { add(thing: T): void } {
  let items: T[] = [];
  let count = 0;
  const settle = () => {
    items = items.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).slice(0, most);
  };
  return {
    add(thing) {
      count += 1;
      items.push(thing);
      if (items.length >= 2 * most) settle();
    },
    items() {
      settle();
      return items;
    },
    count: () => count,
  };
}

/** What is kept as records, and how many more are in the file. */
export const recordsOf = (entries: Kept<ReportRecord>, file: string): ReportRecords => ({
  type: 'records',
  records: [...entries.items()],
  more: moreOf(entries, file),
});

/** What is kept as the rows of a table, and how many more are in the file. */
export const rowsOf = (rows: Kept<ReportTable['rows'][number]>, file: string): Pick<ReportTable, 'rows' | 'more'> => ({
  rows: [...rows.items()],
  more: moreOf(rows, file),
});

const moreOf = (kept: Kept<unknown>, file: string) => moreIn(kept.count() - kept.items().length, file);
