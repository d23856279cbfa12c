import type { EntryType, ListEntry } from '#shared/screening/matcher/entry.ts';
import { type Header, type NamedRow, readHeader } from './csv_header.ts';
import { type CsvRow, csvRows } from './csv_rows.ts';
import { addAlias, addBirthDate, addCountryName, addKey, addRemark, draft } from './draft.ts';
import { imosIn } from './identifiers.ts';
import { ListError } from './list_error.ts';
import { oneFile } from './list_files.ts';
import type { ListFormat } from './list_format.ts';

/**
 * The United Kingdom's list as CSV: the UK Sanctions List of the Foreign Office (`Report Date: …`, then a header with
 * `Unique ID`), and OFSI's Consolidated List (`Last Updated,…`, then a header with `Group ID`), which ended in January 2026.
 * A row is a name; those of one id are an entry, and wait in memory for the end of the file.
 * Layouts: https://www.gov.uk/government/publications/the-uk-sanctions-list, …/financial-sanctions-consolidated-list-of-targets.
 */
export const ukCsv: ListFormat = {
  about: 'United Kingdom sanctions list as CSV: UK-Sanctions-List.csv of the FCDO, or ConList.csv of OFSI',
  files: path => oneFile(path, [/uk.?sanctions.?list.*\.csv$/i, /conlist.*\.csv$/i, /\.csv$/i]),
  async *read(input) {
    for (const path of input.files) {
      const source = input.open(path);
      const entries = new Map<string, ListEntry>();
      let header: Header | null = null;
      for await (const rows of csvRows(source, { relaxed: true })) {
        for (const row of rows) {
          if (header) addRow(entries, header.row(row), source.name);
          header ??= headerAt(row, source.name);
        }
      }
      if (!header) throw new ListError(source.name, 1, 'no header with "Unique ID" or "Group ID" is in the file');
      yield* entries.values();
    }
  },
};

/** The header is the second line; what is before it says the date. */
function headerAt(row: CsvRow, file: string): Header | null {
  const names = new Set(row.cells.map(cell => cell.trim().toLowerCase()));
  if (names.has('name 6')) return readHeader(file, row, names.has('unique id') ? FCDO : OFSI);
  if (row.line < 4) return null;
  throw new ListError(file, row.line, 'no header with "Name 6" in the first lines; this is another list or format');
}

const FCDO = ['Unique ID', 'Name 6', 'Name 1', 'Name type', 'Alias strength', 'Regime Name', 'Designation Type'];
const OFSI = ['Group ID', 'Name 6', 'Name 1', 'Alias Type', 'Alias Quality', 'Regime', 'Group Type'];

function addRow(entries: Map<string, ListEntry>, row: NamedRow, file: string) {
  const either = (...columns: string[]) => columns.map(column => row.get(column)).find(text => text !== '') ?? '';
  const id = either('Unique ID', 'Group ID');
  if (!id) throw new ListError(file, row.line, 'a row without Unique ID or Group ID');
  const type = types[either('Designation Type', 'Group Type').toLowerCase()] ?? 'unknown';
  const entry = entries.get(id) ?? draft(id, type, '');
  entries.set(id, entry);

  addName(entry, row, either('Name type', 'Alias Type'), either('Alias strength', 'Alias Quality'));
  const regime = either('Regime Name', 'Regime');
  if (regime) entry.programs.push(regime);
  for (const date of numbered(either('D.O.B', 'DOB'))) addBirthDate(entry, date);
  for (const nationality of numbered(either('Nationality(/ies)', 'Nationality'))) addCountryName(entry, nationality);
  addCountryName(entry, either('Address Country', 'Country'));
  for (const flag of ['Current believed flag of ship', 'Previous flags'])
    for (const country of numbered(row.get(flag))) addCountryName(entry, country);
  addIdentifiers(entry, either);
  const remarks = [either('Position'), row.get('Other Information'), row.get('UK Statement of Reasons')];
  addRemark(entry, ...remarks.filter(text => !entry.remarks?.includes(text)));
}

const types: Partial<Record<string, EntryType>> = { individual: 'person', entity: 'organization', ship: 'vessel' };

/** Names 1 to 5 are given, name 6 is the family's, or the whole of what is no person. */
function addName(entry: ListEntry, row: NamedRow, kind: string, quality: string) {
  const parts = [1, 2, 3, 4, 5, 6].map(place => row.get(`Name ${place}`)).filter(part => part !== '' && part !== '0');
  const name = parts.join(' ');
  const weak = /^low/i.test(quality);
  if (/^primary name$/i.test(kind) && !entry.name) entry.name = name;
  else addAlias(entry, name, weak);
  addAlias(entry, row.get('Name Non-Latin Script'), weak);
}

function addIdentifiers(entry: ListEntry, either: (...columns: string[]) => string) {
  for (const number of numbered(either('Passport number'))) addKey(entry, 'document', number, 'Passport');
  const national = either('National Identifier number', 'National Identification Number');
  for (const number of numbered(national)) addKey(entry, 'document', number, 'National identification');
  for (const number of numbered(either('Business registration number (s)')))
    addKey(entry, 'document', number, 'Business registration number');
  for (const number of numbered(either('Hull identification number (HIN)'))) addKey(entry, 'document', number, 'HIN');
  for (const imo of numbered(either('IMO number'))) addKey(entry, 'imo', imo, 'IMO number');
  for (const site of either('Website').split(/[\s;,]+/)) addKey(entry, 'domain', site, 'Website');
  for (const email of either('Email address').split(/[\s;,]+/)) addKey(entry, 'email', email, 'Email address');
  addNoted(entry, either('Other Information'));
}

/** OFSI writes what has no column into the remarks: `(Website):www.example.com (Business Reg No):123`. */
function addNoted(entry: ListEntry, text: string) {
  for (const imo of imosIn(text)) addKey(entry, 'imo', imo, 'IMO number');
  const line = text.replaceAll(/\s+/g, ' ');
  for (const [, label = '', value = ''] of line.matchAll(
    /\(([A-Z][^()]{2,40})\): ?(.+?)(?= \([A-Z][^()]{2,40}\):|$)/g,
  )) {
    if (/^website/i.test(label)) for (const site of value.split(/[\s;,]+/)) addKey(entry, 'domain', site, 'Website');
    if (/^e-?mail/i.test(label))
      for (const email of value.split(/[\s;,]+/)) addKey(entry, 'email', email, 'Email address');
    if (/^business reg/i.test(label)) for (const number of numbered(value)) addKey(entry, 'document', number, label);
  }
}

/** Several values in one cell are numbered, `(1) … (2) …`, or stand between bars or semicolons. */
const numbered = (text: string): string[] =>
  text.split(/\(\d{1,2}\)|[|;]/).flatMap(part => part.trim().replace(/[.,]$/, '') || []);
