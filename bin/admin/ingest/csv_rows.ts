import type { Refusal } from '#api/client/send_events.ts';
import { invalidRequest } from '#shared/interface/errors.ts';
import { counted } from '#shared/packs/report/words.ts';
import { type InputText, linesOf } from './lines.ts';
import type { MakeEvent } from './mapping.ts';

/** A row of a CSV file: as an event, or the reason it is none; `text` is the row as JSON. */
type InputRow = InputText & { event?: object };

/** Lines that one row may span. A quote still open by then is a fault of its line, and the next line begins a new row. */
const MOST_LINES = 1_000;

/**
 * The rows of a CSV file (RFC 4180; also with semicolons or tabs) as events. `prepare` gets the header, and returns the conversion. An
 * invalid row is a fault of its own and loses no other row, which the parsers of packages cannot promise. Throws `invalid_request` without
 * a header, and for one with a name twice.
 */
export async function* csvRows(
  name: string,
  chunks: AsyncIterable<Buffer>,
  prepare: (header: string[]) => MakeEvent,
): AsyncGenerator<InputRow[]> {
  let header: { names: string[]; delimiter: string; make: MakeEvent } | null = null;
  let lines: InputText[] = [];
  const readRows = (isLast: boolean): InputRow[] => {
    const rows: InputRow[] = [];
    let at = 0;
    for (let first = lines[at]; first; first = lines[at]) {
      const delimiter: string = header?.delimiter ?? delimiterOf(first.text);
      const row = rowAt(lines, at, delimiter);
      // The rest of the input may close it.
      if (row.isOpen && !isLast && lines.length - at < MOST_LINES) break;
      at += row.lines;
      if (row.cells && row.cells.length === 1 && row.cells[0] === '') continue;
      if (header) rows.push({ line: first.line, ...rowOf(header, row.cells, first, row.fault) });
      else if (row.cells) header = { names: row.cells, delimiter, make: prepare(distinct(row.cells, name)) };
      else throw invalidRequest(`The header of ${name} is not sound CSV: ${row.fault?.message}`);
    }
    lines = lines.slice(at);
    return rows;
  };
  for await (const more of linesOf(chunks)) {
    lines = lines.concat(more);
    yield readRows(false);
  }
  yield readRows(true);
}

function distinct(names: string[], input: string): string[] {
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) < at);
  if (twice === undefined) return names;
  throw invalidRequest(`The header of ${input} names the column ${twice} twice: give each column a name of its own.`);
}

function rowOf(
  { names, make }: { names: string[]; make: MakeEvent },
  cells: string[] | null,
  first: InputText,
  fault: Refusal | undefined,
): { text: string; fault?: Refusal; event?: object } {
  if (!cells) return { text: JSON.stringify(first.text), fault };
  const text = JSON.stringify(Object.fromEntries(cells.map((cell, at) => [names[at] ?? `column ${at + 1}`, cell])));
  if (cells.length !== names.length) {
    const message = `The row has ${counted(cells.length, 'cell')}; the header has ${names.length}.`;
    return { text, fault: { code: 'malformed_csv', message } };
  }
  return { text, ...make(cells) };
}

type Row = { cells: string[] | null; lines: number; isOpen?: boolean; fault?: Refusal };

/** The row that begins with this line, and its number of lines. */
function rowAt(lines: readonly InputText[], start: number, delimiter: string): Row {
  const { text: first = '', fault } = lines[start] ?? {};
  if (fault) return { cells: null, lines: 1, fault };
  // Most rows are one line without quotes.
  if (!first.includes('"')) return { cells: first.split(delimiter).map(cell => cell.trim()), lines: 1 };
  let text = first;
  for (let count = 1; ; count += 1) {
    const cells = cellsOf(text, delimiter);
    if (Array.isArray(cells)) return { cells, lines: count };
    const next = lines[start + count];
    if (cells === 'open' && next && !next.fault && count < MOST_LINES) text += `\n${next.text}`;
    else {
      const message =
        cells === 'open'
          ? 'A quote in the line is never closed.'
          : 'After a closing quote, a cell goes on; quotes inside a cell are doubled.';
      return { cells: null, lines: 1, isOpen: cells === 'open' && !next, fault: { code: 'malformed_csv', message } };
    }
  }
}

function cellsOf(text: string, delimiter: string): string[] | 'open' | 'unsound' {
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    let end: number;
    if (text[at] === '"') {
      let quote = text.indexOf('"', at + 1);
      while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
      if (quote < 0) return 'open';
      cells.push(text.slice(at + 1, quote).replaceAll('""', '"'));
      end = quote + 1;
      if (text[end] === '\r' && end === text.length - 1) end += 1;
    } else {
      end = text.indexOf(delimiter, at);
      if (end < 0) end = text.length;
      cells.push(text.slice(at, end).trim());
    }
    if (end >= text.length) return cells;
    if (text[end] !== delimiter) return 'unsound';
    at = end;
  }
}

/** A tab if the header has one, otherwise the semicolon if it has no comma. */
function delimiterOf(header: string): string {
  if (header.includes('\t')) return '\t';
  return header.includes(';') && !header.includes(',') ? ';' : ',';
}
