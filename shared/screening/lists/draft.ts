import type { KeyType, ListEntry } from '#shared/screening/matcher/entry.ts';
import { formsToStore } from '#shared/screening/matcher/keys/key_forms.ts';
import { type Accounting, kindOfKey } from '#shared/screening/account.ts';
import { countriesOf } from './countries.ts';
import { birthDate } from './dates.ts';

/** An entry that is being filled in, with its account. */
export type Draft = ListEntry & { account: Accounting };

/** An entry of which nothing else is known; it is to be denied. */
export const newEntry = (entry_id: string, type: ListEntry['type'], name: string): ListEntry => ({
  entry_id,
  action: 'deny',
  type,
  name,
  aliases: [],
  keys: [],
  countries: [],
  birth_dates: [],
  programs: [],
  remarks: null,
});

/** The same, to be filled in. */
export function draft(account: Accounting, entry_id: string, type: ListEntry['type'], name = ''): Draft {
  if (name) account.read('names');
  return { ...newEntry(entry_id, type, name), account };
}

/** The name of an entry: the primary one where it has none yet, and else an alias. */
export function addName(entry: Draft, name: string) {
  if (!name || entry.name) return addAlias(entry, name);
  entry.name = name;
  entry.account.read('names');
}

export function addAlias(entry: Draft, name: string, weak = false) {
  if (!name) return;
  entry.aliases.push({ name, weak });
  entry.account.read('names');
}

/** Adds an identifier. One of the wrong form could match nothing: it is kept for the reviewer, and reported. */
export function addKey(entry: Draft, type: KeyType, value: string, label: string | null = null) {
  // Some publishers write `IMO 9187629` where others write the number alone.
  const bare = type === 'imo' ? value.replace(/^IMO[ .:]*/i, '') : value;
  if (!bare) return;
  entry.keys.push({ type, value: bare, label });
  if (formsToStore(type, bare).length > 0) entry.account.read(kindOfKey(type));
  else entry.account.miss(label ?? type, value);
}

/** Adds the codes of a publisher's country; reports an unknown one. */
export function addCountry(entry: Draft, country: string) {
  if (!country) return;
  const codes = countriesOf(country);
  entry.countries.push(...codes);
  if (codes.length > 0) entry.account.read('countries');
  else if (nothing_known.test(country.trim())) entry.account.pass();
  else entry.account.miss('country', country);
}

const nothing_known =
  /^(unknown|undetermined|none( identified)?|stateless|not (known|available)|n\.?\/?a\.?|zz|xx|00|-+)$/i;

/** The same where countries are written by name, and `na` says that there is none (in codes it is Namibia). */
export function addCountryName(entry: Draft, country: string) {
  if (/^n\.?\/?a\.?$/i.test(country)) entry.account.pass();
  else addCountry(entry, country);
}

/** Adds the countries named in parentheses: `A123 (Iran)`. Other text in them belongs to the item around it. */
export function addCountriesWithin(entry: Draft, text: string) {
  for (const [, country = ''] of text.matchAll(/\(([^()]+)\)/g))
    if (countriesOf(country).length > 0) addCountry(entry, country);
}

export function addBirthDate(entry: Draft, text: string) {
  if (!text.trim()) return;
  const date = birthDate(text);
  if (date) addBirthYears(entry, date);
  else if (nothing_known.test(text.trim())) entry.account.pass();
  else entry.account.miss('date of birth', text);
}

/** Adds a date of birth in the form of an entry. */
export function addBirthYears(entry: Draft, date: string) {
  entry.birth_dates.push(date);
  entry.account.read('dates');
}

/** Adds to the remarks for reviewers. */
export function addRemark(entry: ListEntry, ...texts: string[]) {
  // Longer ones are cut anyway, and adding to them again and again would take its time.
  if ((entry.remarks?.length ?? 0) > LONGEST_REMARKS) return;
  const remarks = [entry.remarks ?? '', ...texts.map(text => text.trim())].filter(text => text !== '').join('; ');
  entry.remarks = remarks === '' ? null : remarks;
}

const LONGEST_REMARKS = 4_000;
