import { hash } from 'node:crypto';
import { EntryAction, EntryType, KeyType, type ListEntry } from '#shared/screening/matcher/entry.ts';
import { nearest } from '#shared/values/nearest.ts';
import { parsePayeeKey } from '#shared/values/payee_key.ts';
import { keysOfPayeeKey } from '#shared/screening/matcher/query.ts';
import { formsToStore } from '#shared/screening/matcher/keys/key_forms.ts';
import { countriesOf } from './countries.ts';
import type { Accounting } from '#shared/screening/account.ts';
import { type Header, type NamedRow, readHeader } from './csv_header.ts';
import { csvRows } from './csv_rows.ts';
import { birthDate } from './dates.ts';
import { addAlias, addCountry, addKey, addBirthYears, addRemark, type Draft, draft } from './draft.ts';
import { kindOfIdentifier } from './identifiers.ts';
import { ListError } from './list_error.ts';
import { oneFile } from './list_files.ts';
import type { ListFormat } from './list_format.ts';

/**
 * A list of one's own: a CSV file with the header `action,type,name,aliases,country,keys`, all optional but a name or a key, and
 * `entry_id`, `birth_date`, `programs`, `remarks`. Several aliases, countries, keys, dates or programmes stand between
 * semicolons. A key is a payee's as in an event (`domain:example.com`, `eip155:8453:0x…`), `type:value`, or a value alone.
 * `fictional.csv` is an example.
 */
export const ownCsv: ListFormat = {
  about: 'a CSV file of your own: action(deny|allow),type,name,aliases,country,keys; several values between semicolons',
  files: path => oneFile(path, [/\.csv$/i]),
  async *read(input) {
    for (const path of input.files) {
      const source = input.open(path);
      let header: Header | null = null;
      const ids = new Map<string, string>();
      for await (const rows of csvRows(source)) {
        for (const row of rows) {
          if (header) yield toEntry(header.row(row), source.name, ids, input.account);
          header ??= checkedHeader(readHeader(source.name, row, []), source.name);
        }
      }
    }
  },
};

const own_columns = 'action type name aliases country keys entry_id birth_date programs remarks'.split(' ');

function checkedHeader(header: Header, file: string): Header {
  const unknown = header.columns.filter(column => !own_columns.includes(column));
  if (unknown.length > 0)
    throw new ListError(
      file,
      1,
      `unknown column ${unknown.map(name => `"${name}"`).join(', ')}; known are ${own_columns.join(', ')}`,
    );
  if (!header.has('name') && !header.has('keys')) throw new ListError(file, 1, 'needs a column "name" or "keys"');
  return header;
}

function toEntry(row: NamedRow, file: string, ids: Map<string, string>, account: Accounting): ListEntry {
  const refuse = (what: string): never => {
    throw new ListError(file, row.line, what);
  };
  const action = EntryAction.safeParse(row.get('action').toLowerCase() || 'deny');
  if (!action.success) return refuse(`the action "${row.get('action')}" must be deny or allow`);
  const type = EntryType.safeParse(row.get('type').toLowerCase() || 'unknown');
  if (!type.success) return refuse(`the type "${row.get('type')}" must be one of ${EntryType.options.join(', ')}`);
  const entry = draft(account, row.get('entry_id'), type.data, row.get('name'));
  entry.action = action.data;
  for (const alias of parts(row.get('aliases'))) addAlias(entry, alias);
  for (const key of parts(row.get('keys'))) addOwnKey(entry, key, refuse);
  for (const { type, value } of entry.keys)
    if (formsToStore(type, value).length === 0)
      refuse(`the key "${value.slice(0, 100)}" is no ${type}; it could match nothing`);
  if (!entry.name && entry.aliases.length === 0 && entry.keys.length === 0)
    refuse('has neither name nor key; nothing could match it');
  for (const country of parts(row.get('country'))) {
    const codes = countriesOf(country);
    if (codes.length === 0) refuse(`the country "${country}" must be an ISO 3166-1 alpha-2 code or an English name`);
    addCountry(entry, country);
  }
  for (const date of parts(row.get('birth_date'))) {
    const years =
      birthDate(date) ?? refuse(`the date of birth "${date}" must be such as 1957-03-10, 1957-03, 1957 or 1955/1958`);
    addBirthYears(entry, years);
  }
  entry.programs = parts(row.get('programs'));
  addRemark(entry, row.get('remarks'));
  entry.entry_id ||= contentId(row, ids);
  return entry;
}

/** The same row has the same id in the next version of the list. Two of the same name are told apart by all that is said of them. */
function contentId(row: NamedRow, ids: Map<string, string>): string {
  const id = idOf(row, ['type', 'name', 'keys']);
  const whole = idOf(row, own_columns);
  if ((ids.get(id) ?? whole) !== whole) return whole;
  ids.set(id, whole);
  return id;
}

const idOf = (row: NamedRow, columns: readonly string[]): string => {
  const values = columns.map((column, at) => (at === 0 ? row.get(column).toLowerCase() : row.get(column)));
  return hash('sha256', JSON.stringify(values)).slice(0, 16);
};

const parts = (text: string): string[] => text.split(';').flatMap(part => part.trim() || []);

function addOwnKey(entry: Draft, text: string, refuse: (what: string) => never) {
  const scheme = /^([a-z][a-z0-9-]*):(?!\/\/)/i.exec(text)?.[1]?.toLowerCase();
  const type = KeyType.safeParse(scheme);
  const value = text.slice((scheme?.length ?? -1) + 1).trim();
  // A list may name a host by its IP address, where an event names it otherwise.
  const isAddress = scheme === 'domain' && formsToStore('domain', value).length > 0;
  if ((scheme === 'domain' && !isAddress) || scheme === 'iban') checkedKey(text, refuse);
  if (type.success) return addKey(entry, type.data, value);
  if (!scheme || scheme === 'bitcoin') return addKey(entry, kindOfIdentifier(text), text);
  const meant = nearest(scheme, [...payeeSchemes, ...KeyType.options]);
  if (meant !== undefined && meant !== scheme)
    refuse(`the key "${text.slice(0, 100)}" begins with no scheme that is known; did you mean ${meant}:…?`);
  for (const { type, value } of keysOfPayeeKey(checkedKey(text, refuse)))
    addKey(entry, type === 'payee_key' || type === null ? 'other' : type, value);
}

const payeeSchemes = ['domain', 'iban', 'merchant', 'agent', 'account', 'eip155', 'solana'];

function checkedKey(text: string, refuse: (what: string) => never): string {
  const key = parsePayeeKey(text);
  if (key.ok) return key.value;
  return refuse(`the key "${text.slice(0, 100)}" ${key.expected}; or ${KeyType.options.join(':…, ')}:…`);
}
