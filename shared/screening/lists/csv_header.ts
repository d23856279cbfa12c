import type { CsvRow } from './csv_rows.ts';
import { ListError } from './list_error.ts';

/** A row as its columns are called. A column that the file does not have is ''. */
export type NamedRow = { line: number; columns: readonly string[]; get(column: string): string };

/** Where each column of a file stands. */
export type Header = { row(row: CsvRow): NamedRow; has(column: string): boolean; columns: string[] };

/**
 * Reads a header: names in any case and order; the first of equal names counts. Fails with `ListError` when a required column is missing;
 * `row` fails when a row has fewer columns than the header, or text beyond it.
 */
export function readHeader(file: string, header: CsvRow, required: readonly string[]): Header {
  const columns = header.cells.map(columnName);
  const width = columns.length;
  while (columns.at(-1) === '') columns.pop();
  const places = new Map<string, number>();
  for (const [place, column] of columns.entries()) if (!places.has(column)) places.set(column, place);
  const missing = required.filter(column => !places.has(columnName(column)));
  if (missing.length > 0) {
    const first_columns = columns.slice(0, 8).join(', ').slice(0, 200);
    throw new ListError(
      file,
      header.line,
      `no column ${missing.join(', ')} (but ${first_columns}); this is another list or format`,
    );
  }
  return {
    columns,
    has: column => places.has(columnName(column)),
    row({ cells, line }) {
      if (cells.length < width || cells.slice(width).some(cell => cell.trim() !== ''))
        throw new ListError(file, line, `${cells.length} columns instead of ${width}; the file is cut off or damaged`);
      return { line, columns, get: column => (cells[places.get(columnName(column)) ?? -1] ?? '').trim() };
    },
  };
}

/** Names are looked up once a row, in the same spelling each time. */
const cached_names = new Map<string, string>();

function columnName(text: string): string {
  const before = cached_names.get(text);
  if (before !== undefined) return before;
  const name = text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  if (cached_names.size < 1_000) cached_names.set(text, name);
  return name;
}
