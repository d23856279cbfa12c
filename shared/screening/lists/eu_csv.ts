import type { EntryType, KeyType } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { accountForColumns } from './csv_account.ts';
import { type Header, type NamedRow, readHeader } from './csv_header.ts';
import { csvRows } from './csv_rows.ts';
import { yearRange } from './dates.ts';
import {
  addAlias,
  addBirthDate,
  addBirthYears,
  addCountry,
  addKey,
  addName,
  addRemark,
  type Draft,
  draft,
} from './draft.ts';
import { addIdentifiersIn } from './free_text.ts';
import { ListError } from './list_error.ts';
import { oneFile } from './list_files.ts';
import type { ListFormat } from './list_format.ts';

/**
 * The European Union's consolidated financial sanctions list as CSV, file version 1.1: 118 columns between semicolons, a row for
 * every name, address, date of birth, citizenship and document. Rows of one entity need not follow each other, so entries
 * wait in memory for the end of the file.
 * Layout: https://webgate.ec.europa.eu/fsd/fsf, "Consolidated Financial Sanctions File 1.1".
 */
export const euCsv: ListFormat = {
  about: 'European Union consolidated financial sanctions list as CSV (full list, file version 1.1)',
  files: path => oneFile(path, [/full.?sanctions.?list.*\.csv$/i, /^(?=.*(eu|fsf)).*\.csv$/i, /\.csv$/i]),
  async *read(input) {
    for (const path of input.files) {
      const source = input.open(path);
      const entries = new Map<string, Draft>();
      let header: Header | null = null;
      for await (const rows of csvRows(source, { delimiter: ';', relaxed: true })) {
        for (const row of rows) {
          if (header) addRow(entries, header.row(row), source.name, input.account);
          header ??= readHeader(source.name, row, ['Entity_LogicalId', 'Entity_SubjectType', 'NameAlias_WholeName']);
        }
      }
      yield* entries.values();
    }
  },
};

function addRow(entries: Map<string, Draft>, row: NamedRow, file: string, account: Accounting) {
  const id = row.get('Entity_EU_ReferenceNumber') || row.get('Entity_LogicalId');
  if (!id) throw new ListError(file, row.line, 'a row without Entity_EU_ReferenceNumber and Entity_LogicalId');
  const entry = entries.get(id) ?? draft(account, id, typeOf(row));
  if (!entries.has(id)) {
    entries.set(id, entry);
    addRemark(entry, row.get('Entity_DesignationDetails'), row.get('Entity_Remark'));
    addIdentifiersIn(entry, row.get('Entity_Remark'));
  }
  addNames(entry, row);
  if (address_columns.some(column => row.get(column) !== '')) account.read('addresses');
  for (const column of ['Address_CountryIso2Code', 'Citizenship_CountryIso2Code', 'Identification_CountryIso2Code'])
    addCountry(entry, row.get(column));
  addBirth(entry, row);
  addDocument(entry, row);
  for (const column of text_columns) addIdentifiersIn(entry, row.get(column));
  const program = row.get('Entity_Regulation_Programme');
  if (program) entry.programs.push(program);
  accountForColumns(account, row, columns);
}

const address_columns = ['City', 'Street', 'PoBox', 'ZipCode', 'Region', 'Place', 'CountryIso2Code'].map(
  part => `Address_${part}`,
);
/** Where editors write what has no column. */
const text_columns = ['Identification_Remark', 'Address_ContactInfo', 'Address_Remark'];
const birth_columns = 'BirthDate Day Month Year YearRangeFrom YearRangeTo Circa CalendarType';
const columns = {
  taken: [
    'Entity_LogicalId Entity_EU_ReferenceNumber Entity_SubjectType Entity_SubjectType_ClassificationCode Entity_Remark',
    'Entity_Regulation_Programme NameAlias_WholeName NameAlias_FirstName NameAlias_MiddleName NameAlias_LastName NameAlias_Remark',
    'Citizenship_CountryIso2Code Identification_CountryIso2Code Identification_Number Identification_LatinNumber',
    'Identification_TypeCode Identification_TypeDescription',
    ...address_columns,
    ...text_columns,
    ...birth_columns.split(' ').map(part => `BirthDate_${part}`),
  ].flatMap(line => line.split(' ')),
  // Titles, functions, places of birth, what regulation it was, and remarks on a part.
  unused:
    /^(fileGenerationDate|Entity_(UnitedNationId|Designation(Date|Details)|Regulation_\w+)|NameAlias_(NameLanguage|Gender|Title|Function)|Address_AsAtListingTime|BirthDate_(ZipCode|Region|Place|City|CountryIso2Code)|Identification_(Diplomatic|Known\w+|ReportedLost|RevokedByIssuer|IssuedBy|IssuedDate|ValidFrom|ValidTo|NameOnDocument|Region)|Citizenship_Region|\w+_(LogicalId|RegulationLanguage|Remark|CountryDescription|Regulation_\w+))$/i,
};

/** Two columns give the type, one as a word, one as its first letter; which is which differs between editions. */
function typeOf(row: NamedRow): EntryType {
  const text = [row.get('Entity_SubjectType'), row.get('Entity_SubjectType_ClassificationCode')].join(' ');
  if (/\b(P|person)\b/i.test(text)) return 'person';
  return /\b(E|enterprise)\b/i.test(text) ? 'organization' : 'unknown';
}

function addNames(entry: Draft, row: NamedRow) {
  const parts = ['NameAlias_FirstName', 'NameAlias_MiddleName', 'NameAlias_LastName'].map(column => row.get(column));
  const name = row.get('NameAlias_WholeName') || parts.filter(part => part !== '').join(' ');
  const weak = /\b(low|weak)[ -]quality|\bweak alias/i.test(row.get('NameAlias_Remark'));
  if (weak) addAlias(entry, name, true);
  else addName(entry, name);
  addRemark(entry, newText(entry, row.get('NameAlias_Function')));
}

const newText = (entry: Draft, text: string) => (entry.remarks?.includes(text) ? '' : text);

function addBirth(entry: Draft, row: NamedRow) {
  const [from, to] = [Number(row.get('BirthDate_YearRangeFrom')), Number(row.get('BirthDate_YearRangeTo'))];
  if (from && to) return addBirthYears(entry, yearRange(from, to));
  // Other calendars are not converted: such a year would make a false conflict.
  if (!/^(|gregorian)$/i.test(row.get('BirthDate_CalendarType'))) return entry.account.pass();
  const circa = /^true$/i.test(row.get('BirthDate_Circa')) ? 'circa ' : '';
  const [day, month, year] = ['Day', 'Month', 'Year'].map(part => row.get(`BirthDate_${part}`));
  const date = row.get('BirthDate_BirthDate') || (year && `${day || '00'}/${month || '00'}/${year}`) || '';
  addBirthDate(entry, date && circa + date);
}

function addDocument(entry: Draft, row: NamedRow) {
  const number = row.get('Identification_Number') || row.get('Identification_LatinNumber');
  const label = row.get('Identification_TypeDescription') || row.get('Identification_TypeCode') || 'Identification';
  addKey(entry, types[row.get('Identification_TypeCode').toLowerCase()] ?? 'document', number, label);
  const latin = row.get('Identification_LatinNumber');
  if (latin !== number) addKey(entry, 'document', latin, label);
}

const types: Partial<Record<string, KeyType>> = { swiftbic: 'bic', swift: 'bic', bic: 'bic', imo: 'imo', lei: 'lei' };
