import type { KeyType, ListEntry } from '#shared/screening/matcher/entry.ts';
import { countriesOf } from './countries.ts';
import { birthDate } from './dates.ts';

/** An entry to be filled in: to be denied, and nothing else known. */
export const draft = (entry_id: string, type: ListEntry['type'], name: string): ListEntry => ({
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

export function addAlias(entry: ListEntry, name: string, weak = false) {
  if (name) entry.aliases.push({ name, weak });
}

export function addKey(entry: ListEntry, type: KeyType, value: string, label: string | null = null) {
  // Some publishers write `IMO 9187629` where others write the number alone.
  const bare = type === 'imo' ? value.replace(/^IMO[ .:]*/i, '') : value;
  if (bare) entry.keys.push({ type, value: bare, label });
}

/** Adds what a publisher's country stands for; what is not known stands for nothing. */
export function addCountry(entry: ListEntry, country: string) {
  if (country) entry.countries.push(...countriesOf(country));
}

/** The same where countries are written by name, and `na` says that there is none (in codes it is Namibia). */
export function addCountryName(entry: ListEntry, country: string) {
  if (!/^n\.?\/?a\.?$/i.test(country)) addCountry(entry, country);
}

export function addBirthDate(entry: ListEntry, text: string) {
  const date = birthDate(text);
  if (date) entry.birth_dates.push(date);
}

/** Adds to what a reviewer reads. */
export function addRemark(entry: ListEntry, ...texts: string[]) {
  // Longer ones are cut anyway, and adding to them again and again would take its time.
  if ((entry.remarks?.length ?? 0) > LONGEST_REMARKS) return;
  const remarks = [entry.remarks ?? '', ...texts.map(text => text.trim())].filter(text => text !== '').join('; ');
  entry.remarks = remarks === '' ? null : remarks;
}

const LONGEST_REMARKS = 4_000;
