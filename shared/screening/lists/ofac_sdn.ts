import { basename, join } from 'node:path';
import type { EntryType, ListEntry } from '#shared/screening/matcher/entry.ts';
import { type CsvRow, csvRows } from './csv_rows.ts';
import { addAlias, addCountry, addKey, addRemark, draft } from './draft.ts';
import { ListError } from './list_error.ts';
import { filesAt } from './list_files.ts';
import type { ListFormat, ListInput } from './list_format.ts';
import { addRemarks } from './ofac_remarks.ts';

/**
 * OFAC's list of Specially Designated Nationals as CSV: `sdn.csv`, and beside it `alt.csv` (aliases), `add.csv` (addresses) and
 * `sdn_comments.csv` (where remarks go on). None has a header; `-0-` stands for nothing.
 * Layout: "SDN data specification" (dat_spec.txt), https://sanctionslist.ofac.treas.gov.
 */
export const ofacSdn: ListFormat = {
  about: 'OFAC SDN list as CSV: sdn.csv, with alt.csv, add.csv and sdn_comments.csv where they are beside it',
  async files(path) {
    const { folder, names, given } = await filesAt(path);
    const { names: beside } = given ? await filesAt(folder) : { names };
    const find = (wanted: string) => beside.filter(name => name.toLowerCase() === wanted).slice(0, 1);
    const main = given ? [given] : find('sdn.csv');
    if (main.length === 0) throw new ListError(basename(path), null, 'the folder holds no sdn.csv');
    return [...find('alt.csv'), ...find('add.csv'), ...find('sdn_comments.csv'), ...main].map(name =>
      join(folder, name),
    );
  },
  async *read(input) {
    const main = input.files.at(-1) ?? '';
    const besides = await readBesides(input);
    for await (const rows of read(input, main, SDN_COLUMNS))
      for (const row of rows) yield toEntry(row, basename(main), besides);
    for (const number of besides.keys()) if (!besides.get(number)?.used) input.skip();
  },
};

const SDN_COLUMNS = 12;

/** The parts of one entry that the other files hold. */
type Beside = { aliases: string[]; countries: Set<string>; comments: string; used: boolean };

/** Reads the smaller files first: their rows wait for the entry they belong to. */
async function readBesides(input: ListInput): Promise<Map<string, Beside>> {
  const besides = new Map<string, Beside>();
  const besideOf = (row: CsvRow, file: string) => {
    const number = entryNumber(row, file);
    const addition = besides.get(number) ?? { aliases: [], countries: new Set(), comments: '', used: false };
    besides.set(number, addition);
    return addition;
  };
  for (const path of input.files.slice(0, -1)) {
    const file = basename(path);
    const side = sides[file.toLowerCase()];
    if (!side) continue;
    for await (const rows of read(input, path, side.columns))
      for (const row of rows) side.add(besideOf(row, file), row.cells);
  }
  return besides;
}

const sides: Record<string, { columns: number; add(beside: Beside, cells: string[]): void }> = {
  'alt.csv': { columns: 5, add: ({ aliases }, cells) => aliases.push(cell(cells, 3)) },
  'add.csv': { columns: 6, add: ({ countries }, cells) => countries.add(cell(cells, 4)) },
  // Remarks are cut in the middle of a word, and go on without a space.
  'sdn_comments.csv': { columns: 2, add: (beside, cells) => void (beside.comments += cells[1]) },
};

async function* read(input: ListInput, path: string, columns: number): AsyncGenerator<CsvRow[]> {
  for await (const rows of csvRows(input.open(path), { columns, relaxed: columns === 2, ended: true }))
    yield rows.filter(({ cells }) => cells.length > 1);
}

function toEntry(row: CsvRow, file: string, besides: Map<string, Beside>): ListEntry {
  const { cells } = row;
  const number = entryNumber(row, file);
  const kind = cell(cells, 2).toLowerCase();
  const type = types[kind];
  if (!type)
    throw new ListError(file, row.line, `the type "${kind}" is none of OFAC's: individual, vessel, aircraft or -0-`);
  const entry = draft(number, type, cell(cells, 1));
  entry.programs = cell(cells, 3)
    .split(/\]\s*\[/)
    .map(program => program.replaceAll(/^\[|\]$/g, '').trim());
  const beside = besides.get(number);
  for (const name of beside?.aliases ?? []) addAlias(entry, name);
  for (const country of beside?.countries ?? []) addCountry(entry, country);
  addCountry(entry, cell(cells, 9));
  addKey(entry, 'document', cell(cells, 5), 'Call Sign');
  // As published: the remark's end is the comment's beginning.
  const remarks = (cell(cells, 11) && (cells[11] ?? '').trimStart()) + (beside?.comments ?? '');
  addRemarks(entry, remarks);
  addRemark(entry, cell(cells, 4), remarks);
  if (beside) beside.used = true;
  return entry;
}

const types: Partial<Record<string, EntryType>> = {
  individual: 'person',
  vessel: 'vessel',
  aircraft: 'aircraft',
  '': 'organization',
};

/** A cell without the spaces around it; `-0-` is OFAC's way to say that there is nothing. */
function cell(cells: string[], column: number): string {
  const text = (cells[column] ?? '').trim();
  return text === '-0-' ? '' : text;
}

function entryNumber({ cells, line }: CsvRow, file: string): string {
  const number = (cells[0] ?? '').trim();
  if (/^\d{1,9}$/.test(number)) return number;
  throw new ListError(file, line, `"${number.slice(0, 40)}" instead of an entry's number in the first column`);
}
