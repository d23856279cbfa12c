import type { EntryType, ListEntry } from '#shared/screening/matcher/entry.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { accountForColumns } from './csv_account.ts';
import { type Header, type NamedRow, readHeader } from './csv_header.ts';
import { csvRows } from './csv_rows.ts';
import { addAlias, addBirthDate, addCountry, addKey, addRemark, type Draft, draft } from './draft.ts';
import { isImo, kindOfIdentifier } from './identifiers.ts';
import { ListError } from './list_error.ts';
import type { TextSource } from './list_format.ts';

/** Reads OpenSanctions' `targets.simple.csv`: a row a target, several values of a cell between semicolons. */
export async function* readTargets(source: TextSource, account: Accounting): AsyncGenerator<ListEntry> {
  let header: Header | null = null;
  for await (const rows of csvRows(source)) {
    for (const row of rows) {
      if (header) yield toEntry(header.row(row), source.name, account);
      header ??= readHeader(source.name, row, ['id', 'schema', 'name', 'aliases', 'countries', 'identifiers']);
    }
  }
}

function toEntry(row: NamedRow, file: string, account: Accounting): ListEntry {
  const id = row.get('id');
  if (!id) throw new ListError(file, row.line, 'a row without id');
  const schema = row.get('schema');
  const wallet = schema === 'CryptoWallet';
  const name = row.get('name');
  const entry = draft(account, id, types[schema] ?? 'unknown', wallet ? '' : name);
  // A wallet is called by its address.
  if (wallet && /^[^\s]{20,}$/.test(name)) addKey(entry, 'wallet', name, 'Digital Currency Address');
  else if (wallet && name) account.miss('wallet', name);
  for (const alias of parts(row.get('aliases'))) addAlias(entry, alias);
  for (const value of parts(row.get('identifiers'))) addIdentifier(entry, value, wallet);
  for (const email of parts(row.get('emails'))) addKey(entry, 'email', email, 'email');
  for (const country of parts(row.get('countries'))) addCountry(entry, country);
  for (const date of parts(row.get('birth_date'))) addBirthDate(entry, date);
  entry.programs = parts(row.get('program_ids') || row.get('dataset'));
  for (const address of parts(row.get('addresses'))) if (address) account.read('addresses');
  addRemark(entry, row.get('sanctions'));
  accountForColumns(account, row, columns);
  return entry;
}

const columns = {
  taken: [
    'id',
    'schema',
    'name',
    'aliases',
    'birth_date',
    'countries',
    'addresses',
    'identifiers',
    'emails',
    'program_ids',
    'dataset',
  ],
  unused: /^(sanctions|phones|first_seen|last_seen|last_change)$/,
};

const types: Partial<Record<string, EntryType>> = {
  Person: 'person',
  Company: 'organization',
  Organization: 'organization',
  PublicBody: 'organization',
  Vessel: 'vessel',
  Airplane: 'aircraft',
};

/** The table does not say what an identifier is; what has no form of its own is a document. */
function addIdentifier(entry: Draft, value: string, wallet: boolean) {
  const imo = /^IMO ?(\d{7})$/i.exec(value)?.[1] ?? (entry.type === 'vessel' && isImo(value) ? value : null);
  if (imo) return addKey(entry, 'imo', imo, 'imoNumber');
  const kind = kindOfIdentifier(value);
  addKey(entry, kind !== 'other' ? kind : wallet && value.length >= 20 ? 'wallet' : 'document', value, 'identifier');
}

const parts = (text: string): string[] => text.split(';').flatMap(part => part.trim() || []);
