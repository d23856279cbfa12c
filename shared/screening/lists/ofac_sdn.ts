import { basename, join } from 'node:path';
import type { EntryType, ListEntry } from '#shared/screening/matcher/entry.ts';
import { type CsvRow, csvRows } from './csv_rows.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { addAlias, addCountry, addKey, addRemark, draft } from './draft.ts';
import { ListError } from './list_error.ts';
import { filesAt } from './list_files.ts';
import type { ListFormat, ListInput } from './list_format.ts';
import { addRemarks } from './ofac_remarks.ts';
import { joinRemarks } from './ofac_seam.ts';

/**
 * OFAC's list of Specially Designated Nationals as CSV: `sdn.csv`, and beside it `alt.csv` (aliases), `add.csv` (addresses) and
 * `sdn_comments.csv` (where remarks go on); or its consolidated list of everybody else, `cons_prim.csv` with `cons_alt.csv`,
 * `cons_add.csv` and `cons_comments.csv`. None has a header; `-0-` stands for nothing.
 * Layout: "SDN data specification" (dat_spec.txt), https://sanctionslist.ofac.treas.gov.
 */
export const ofacSdn: ListFormat = {
  about:
    'OFAC SDN list as CSV: sdn.csv, with alt.csv, add.csv and sdn_comments.csv where they are beside it; or its consolidated list: cons_prim.csv, with cons_alt.csv, cons_add.csv and cons_comments.csv',
  async files(path) {
    const { folder, names, given } = await filesAt(path);
    const { names: beside } = given ? await filesAt(folder) : { names };
    const find = (wanted: string) => beside.filter(name => name.toLowerCase() === wanted).slice(0, 1);
    const main = given ? [given] : [...find('sdn.csv'), ...find('cons_prim.csv')];
    if (main.length === 0)
      throw new ListError(basename(path), null, 'the folder holds no sdn.csv and no cons_prim.csv');
    if (main.length > 1)
      throw new ListError(
        basename(path),
        null,
        `the folder holds two lists (${main.join(', ')}); name one of the files`,
      );
    const isConsolidated = /^cons/i.test(main[0] ?? '');
    const besides = isConsolidated
      ? ['cons_alt.csv', 'cons_add.csv', 'cons_comments.csv']
      : ['alt.csv', 'add.csv', 'sdn_comments.csv'];
    return [...besides.flatMap(find), ...main].map(name => join(folder, name));
  },
  async *read(input) {
    const main = input.files.at(-1) ?? '';
    const besides = await readBesides(input);
    for await (const rows of read(input, main, SDN_COLUMNS))
      for (const row of rows) yield toEntry(row, basename(main), besides, input.account);
    for (const [number, { used, rows }] of besides)
      if (!used)
        for (let row = 0; row < rows; row += 1) input.account.miss(`rows of no entry of ${basename(main)}`, number);
  },
};

const SDN_COLUMNS = 12;

/** The parts of one entry that the other files hold. */
type Beside = {
  aliases: string[];
  countries: string[];
  comments: string[];
  notes: string[];
  rows: number;
  used: boolean;
};

/** Reads the smaller files first: their rows wait for the entry they belong to. */
async function readBesides(input: ListInput): Promise<Map<string, Beside>> {
  const besides = new Map<string, Beside>();
  const besideOf = (row: CsvRow, file: string) => {
    const number = entryNumber(row, file);
    const addition = besides.get(number) ?? nothingBeside();
    besides.set(number, addition);
    addition.rows += 1;
    return addition;
  };
  for (const path of input.files.slice(0, -1)) {
    const file = basename(path);
    const side = sides.find(({ name }) => name.test(file));
    if (!side) continue;
    for await (const rows of read(input, path, side.columns))
      for (const row of rows) side.add(besideOf(row, file), row.cells);
  }
  return besides;
}

const nothingBeside = (): Beside => ({ aliases: [], countries: [], comments: [], notes: [], rows: 0, used: false });

const sides: { name: RegExp; columns: number; add(beside: Beside, cells: string[]): void }[] = [
  {
    name: /^(cons_)?alt\.csv$/i,
    columns: 5,
    add({ aliases, notes }, cells) {
      aliases.push(cell(cells, 3));
      notes.push(cell(cells, 4));
    },
  },
  {
    name: /^(cons_)?add\.csv$/i,
    columns: 6,
    add({ countries, notes }, cells) {
      // A row without street, city and country is how OFAC says that it knows no address.
      if (cells.slice(2, 5).some((_, at) => cell(cells, at + 2) !== '')) countries.push(cell(cells, 4));
      notes.push(cell(cells, 5));
    },
  },
  { name: /_comments\.csv$/i, columns: 2, add: ({ comments }, cells) => void comments.push(cells[1] ?? '') },
];

async function* read(input: ListInput, path: string, columns: number): AsyncGenerator<CsvRow[]> {
  for await (const rows of csvRows(input.open(path), { columns, relaxed: columns === 2, ended: true }))
    yield rows.filter(({ cells }) => cells.length > 1);
}

function toEntry(row: CsvRow, file: string, besides: Map<string, Beside>, account: Accounting): ListEntry {
  const { cells } = row;
  const number = entryNumber(row, file);
  const kind = cell(cells, 2).toLowerCase();
  const type = types[kind];
  if (!type)
    throw new ListError(file, row.line, `the type "${kind}" is none of OFAC's: individual, vessel, aircraft or -0-`);
  const entry = draft(account, number, type, cell(cells, 1));
  entry.programs = cell(cells, 3)
    .split(/\]\s*\[/)
    .map(program => program.replaceAll(/^\[|\]$/g, '').trim());
  const beside = besides.get(number) ?? nothingBeside();
  beside.used = true;
  for (const name of beside.aliases) addAlias(entry, name);
  for (const country of beside.countries) {
    account.read('addresses');
    addCountry(entry, country);
  }
  for (const note of beside.notes) addRemarks(entry, note);
  addCountry(entry, cell(cells, 9));
  addKey(entry, 'document', cell(cells, 5), 'Call Sign');
  // Title, type, tonnage, gross tonnage and owner say nothing that somebody is matched by.
  for (const column of [4, 6, 7, 8, 10]) if (cell(cells, column)) account.pass();
  const remarks = beside.comments.reduce(joinRemarks, cell(cells, 11) && (cells[11] ?? '').trimStart());
  addRemarks(entry, remarks);
  addRemark(entry, cell(cells, 4), remarks, ...beside.notes);
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
