import type { EntryType } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { accountForColumns } from './csv_account.ts';
import { type Header, type NamedRow, readHeader } from './csv_header.ts';
import { type CsvRow, csvRows } from './csv_rows.ts';
import { addAlias, addBirthDate, addCountryName, addKey, addName, addRemark, type Draft, draft } from './draft.ts';
import { addIdentifiersIn, identifiersIn } from './free_text.ts';
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
      const entries = new Map<string, Listed>();
      let header: Header | null = null;
      for await (const rows of csvRows(source, { relaxed: true })) {
        for (const row of rows) {
          if (header) addRow(entries, header.row(row), source.name, input.account);
          header ??= headerAt(row, source.name);
        }
      }
      if (!header) throw new ListError(source.name, 1, 'no header with "Unique ID" or "Group ID" is in the file');
      for (const { entry } of entries.values()) yield entry;
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

/** An entry, and the cells that it is made of: the rows of an entry repeat each other but for one or two. */
type Listed = { entry: Draft; said: Set<string> };

/** The first of these columns that has a text which no row of the entry had before; '' where none has. */
type ReadNew = (...columns: string[]) => string;

function addRow(entries: Map<string, Listed>, row: NamedRow, file: string, account: Accounting) {
  const either = (...columns: string[]) => columns.map(column => row.get(column)).find(text => text !== '') ?? '';
  const id = either('Unique ID', 'Group ID');
  if (!id) throw new ListError(file, row.line, 'a row without Unique ID or Group ID');
  const type = types[either('Designation Type', 'Group Type').toLowerCase()] ?? 'unknown';
  const { entry, said } = entries.get(id) ?? { entry: draft(account, id, type), said: new Set<string>() };
  entries.set(id, { entry, said });
  const isNew = (column: string, text: string) => said.size !== said.add(`${column.toLowerCase()} ${text}`).size;
  const firstOf: ReadNew = (...columns) => {
    const column = columns.find(name => row.get(name) !== '') ?? '';
    return column && isNew(column, row.get(column)) ? row.get(column) : '';
  };

  addNames(entry, row, either('Name type', 'Alias Type'), either('Alias strength', 'Alias Quality'), isNew);
  const regime = firstOf('Regime Name', 'Regime');
  if (regime) entry.programs.push(regime);
  for (const date of numbered(firstOf('D.O.B', 'DOB'))) addBirthDate(entry, date);
  for (const nationality of numbered(firstOf('Nationality(/ies)', 'Nationality'))) addCountryName(entry, nationality);
  const address = address_columns.map(column => row.get(column)).filter(text => text !== '');
  if (address.length > 0 && isNew('address', address.join(', '))) account.read('addresses');
  addCountryName(entry, firstOf('Address Country', 'Country'));
  for (const flag of ['Current believed flag of ship', 'Previous flags'])
    for (const country of numbered(firstOf(flag))) addCountryName(entry, country);
  const notes = firstOf('Other Information');
  addIdentifiers(entry, firstOf);
  addNoted(entry, notes);
  addRemark(entry, firstOf('Position'), notes, firstOf('UK Statement of Reasons'));
  accountForColumns(account, row, columns, isNew);
}

const address_columns = [
  ...[1, 2, 3, 4, 5, 6].flatMap(line => [`Address Line ${line}`, `Address ${line}`]),
  'Address Postal Code',
  'Post/Zip Code',
  'Address Country',
  'Country',
];
/** Where editors write what has no column. */
const text_columns = [
  'National Identifier additional information',
  'Passport additional information',
  'National Identification details',
  'Passport details',
];
const columns = {
  taken: [
    'Unique ID',
    'Group ID',
    'Name type',
    'Alias Type',
    'Alias strength',
    'Alias Quality',
    'Name non-latin script',
    'Regime Name',
    'Regime',
    'Designation Type',
    'Group Type',
    'D.O.B',
    'DOB',
    'Nationality(/ies)',
    'Nationality',
    'Passport number',
    'National Identifier number',
    'National Identification Number',
    'IMO number',
    'Business registration number (s)',
    'Hull identification number (HIN)',
    'Website',
    'Email address',
    'Current believed flag of ship',
    'Previous flags',
    'Position',
    'Other Information',
    ...text_columns,
    'UK Statement of Reasons',
    ...[1, 2, 3, 4, 5, 6].map(place => `Name ${place}`),
    ...address_columns,
  ],
  // References, dates of listing, titles, places of birth, owners, and what a ship is like.
  unused:
    /^(last updated|ofsi group id|un reference number|uk sanctions list (ref|date designated)|listed on|date designated|designation source|sanctions imposed|title|non-latin script (type|language)|phone number|gender|(town|country) of birth|type of entity|subsidiaries|parent company|(current|previous) owner\/operator ?\(s\)|type of ship|tonnage of ship|length of ship|year built)$/i,
};

const types: Partial<Record<string, EntryType>> = { individual: 'person', entity: 'organization', ship: 'vessel' };

/** Names 1 to 5 are given, name 6 is the family's, or the whole of what is no person. */
function addNames(
  entry: Draft,
  row: NamedRow,
  kind: string,
  quality: string,
  isNew: (column: string, text: string) => boolean,
) {
  const parts = [1, 2, 3, 4, 5, 6].map(place => row.get(`Name ${place}`)).filter(part => part !== '' && part !== '0');
  const name = parts.join(' ');
  const weak = /^low/i.test(quality);
  // Once strong and once weak it is both, and strong in the end.
  if (isNew('name', `${name} ${weak}`)) {
    if (/^primary name$/i.test(kind)) addName(entry, name);
    else addAlias(entry, name, weak);
  }
  const original = row.get('Name Non-Latin Script');
  if (isNew('name', `${original} ${weak}`)) addAlias(entry, original, weak);
}

function addIdentifiers(entry: Draft, either: ReadNew) {
  for (const number of numbered(either('Passport number'))) addKey(entry, 'document', number, 'Passport');
  const national = either('National Identifier number', 'National Identification Number');
  for (const number of numbered(national)) addKey(entry, 'document', number, 'National identification');
  for (const text of numbered(either('Business registration number (s)')))
    addRegistration(entry, text, 'Business registration number');
  for (const column of text_columns) addIdentifiersIn(entry, either(column));
  for (const number of numbered(either('Hull identification number (HIN)'))) addKey(entry, 'document', number, 'HIN');
  for (const imo of numbered(either('IMO number'))) addKey(entry, 'imo', imo, 'IMO number');
  for (const site of either('Website').split(/[\s;,]+/)) addKey(entry, 'domain', site, 'Website');
  for (const email of either('Email address').split(/[\s;,]+/)) addKey(entry, 'email', email, 'Email address');
}

/** A number, or several with what each is: `OGRN: 1027700132195, INN: 7707083893`. What is not known to be one is kept as it stands. */
function addRegistration(entry: Draft, text: string, label: string) {
  for (const part of text.split(/, (?=[A-Z])/)) {
    const [own, ...more] = identifiersIn(entry, part);
    for (const each of own ? [own, ...more] : [{ type: 'document' as const, value: part, label }])
      addKey(entry, each.type, each.value, each.label);
  }
}

/** OFSI writes what has no column into the remarks: `(Website):www.example.com (Business Reg No):123`. */
function addNoted(entry: Draft, text: string) {
  const line = text.replaceAll(/\s+/g, ' ');
  let rest = line;
  for (const [whole, label = '', value = ''] of line.matchAll(
    /\(([A-Z][^()]{2,40})\): ?(.+?)(?= \([A-Z][^()]{2,40}\):|$)/g,
  )) {
    if (/^website/i.test(label)) for (const site of value.split(/[\s;,]+/)) addKey(entry, 'domain', site, 'Website');
    if (/^e-?mail/i.test(label))
      for (const email of value.split(/[\s;,]+/)) addKey(entry, 'email', email, 'Email address');
    if (/^business reg/i.test(label)) for (const number of numbered(value)) addRegistration(entry, number, label);
    if (read_notes.test(label)) rest = rest.replace(whole, '');
    else {
      if (known_notes.test(label)) entry.account.pass();
      else if (/\d{4}|@|www\./.test(value)) entry.account.miss(`Other Information: ${label}`, value);
    }
  }
  addIdentifiersIn(entry, rest);
}

const read_notes = /^(website|e-?mail|business reg)/i;
const known_notes =
  /^(UK (Sanctions List Ref|Statement)|UN Ref|Gender|Phone|Type of|Subsidiaries|Parent|Further|Previous|Current|Tonnage|Length|Year|Hull|Flag|Address|Date|Designat|Listed|Associat|Relat|Linked|IMO)/i;

/** Several values in one cell are numbered, `(1) … (2) …`, or stand between bars or semicolons. */
const numbered = (text: string): string[] =>
  text.split(/\(\d{1,2}\)|[|;]/).flatMap(part => part.trim().replace(/[.,]$/, '') || []);
