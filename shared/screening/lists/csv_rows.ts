import { CsvError, parse } from 'csv-parse';
import { ListError } from './list_error.ts';
import type { TextSource } from './list_format.ts';

/** One record of a CSV file, and the line on which it ends. */
export type CsvRow = { cells: string[]; line: number };

type CsvOptions = {
  delimiter?: string;
  /** How many columns every row must have; without it the reader checks. */
  columns?: number;
  /** Takes quotes within fields as they come: some publishers do not double them. */
  relaxed?: boolean;
  /** The publisher ends every line: one that is not ended is half a line. */
  ended?: boolean;
};

/** No record of a publisher is longer: 4 MB. */
const LONGEST_RECORD = 4 * 1_024 * 1_024;

/**
 * Reads CSV (RFC 4180) as it streams in: the rows of a chunk at once, because a promise a row costs more than its parsing.
 * Fails with `ListError` on a quote that is not closed, a row with another number of columns, and a record over 4 MB. Empty
 * lines are passed over.
 */
export async function* csvRows({ name, chunks }: TextSource, options: CsvOptions = {}): AsyncGenerator<CsvRow[]> {
  let rows: CsvRow[] = [];
  let line = 0;
  const parser = parse({
    delimiter: options.delimiter ?? ',',
    // Written out: left to itself the parser takes that of the first line, and some files mix them.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: options.relaxed ?? false,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
    on_record: (cells: string[], info) => {
      line = info.lines;
      if (options.columns !== undefined && cells.length !== options.columns)
        refuseColumns(name, cells, line, options.columns);
      rows.push({ cells, line });
      return null;
    },
  });
  // Who writes hears of a fault; an event that nobody listens to would end the process.
  parser.on('error', () => {});
  const settled = (act: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => act(error => (error ? reject(asListError(name, line, error)) : resolve())));
  let ended = true;
  for await (const chunk of chunks) {
    if (chunk) ended = ['\n', '\r', '\u001a'].includes(chunk.slice(-1));
    await settled(done => parser.write(chunk, done));
    if (rows.length > 0) yield rows;
    rows = [];
  }
  await settled(done => parser.end(done));
  if (options.ended && !ended)
    throw new ListError(name, line, 'the last line has no end; the file is cut off, fetch it again');
  if (rows.length > 0) yield rows;
}

function refuseColumns(name: string, cells: string[], line: number, columns: number) {
  // Files made on DOS end with a lone 0x1A.
  if (cells.length === 1 && cells[0] === '\u001a') return;
  const width_text = cells.length === 1 ? '1 column' : `${cells.length} columns`;
  throw new ListError(name, line, `${width_text} instead of ${columns}; the file is cut off, damaged or another one`);
}

function asListError(name: string, line: number, error: Error): Error {
  if (error instanceof ListError || !(error instanceof CsvError)) return error;
  return new ListError(name, line + 1, faults[error.code] ?? `is not CSV: ${error.message}`);
}

const faults: Partial<Record<CsvError['code'], string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted field is not closed before the end of the file; it is cut off, fetch it again',
  CSV_MAX_RECORD_SIZE: 'a record is longer than 4 MB; a quote may be missing, fetch the file again',
  CSV_INVALID_CLOSING_QUOTE: 'text follows the closing quote of a field; quotes within a quoted field are doubled',
  INVALID_OPENING_QUOTE: 'a quote within a field that is not quoted; such fields are quoted, and their quotes doubled',
};
