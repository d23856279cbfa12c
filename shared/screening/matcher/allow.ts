import type { ListEntry } from './entry.ts';
import { formsToStore } from '#shared/screening/matcher/keys/key_forms.ts';
import { type PreparedName, prepareName } from '#shared/screening/matcher/names/prepare_name.ts';
import type { ScreeningQuery } from './query.ts';

/** What an entry of an allow list exempts: all matches by name, or those by these of the query's names, by index. */
export type Allowance = { all: boolean; names: ReadonlySet<number> };

/**
 * What an entry of an allow list frees. It must be the same beyond doubt: one of its identifiers, as it stands there and not a part of it; or
 * one of its names, word for word as written (not of Chinese signs or Hangul, of which many are read alike), in order, where what the entry knows of birth and country is known of the query too and agrees.
 */
export function allowanceOf(entry: ListEntry, query: ScreeningQuery, names: readonly PreparedName[][]): Allowance {
  const own = new Set(entry.keys.flatMap(({ type, value }) => formsToStore(type, value)));
  const all = query.keys.some(({ type, value }) => formsToStore(type ?? 'other', value).some(form => own.has(form)));
  const allowed = new Set<number>();
  if (!all && agrees(entry, query)) {
    const listed = [entry.name, ...entry.aliases.map(alias => alias.name)].map(name => prepareName(name, query.type));
    names.forEach(([asked], at) => {
      if (asked && listed.some(name => isSameText(name, asked))) allowed.add(at);
    });
  }
  return { all, names: allowed };
}

function agrees({ type, birth_dates, countries }: ListEntry, query: ScreeningQuery): boolean {
  if (type !== 'unknown' && query.type !== null && type !== query.type) return false;
  if (birth_dates.length > 0 && (query.birth_date === null || !birth_dates.includes(query.birth_date))) return false;
  return countries.length === 0 || countries.some(country => query.countries.includes(country));
}

const isSameText = (a: PreparedName, b: PreparedName): boolean =>
  a.words.length > 0 &&
  a.words.length === b.words.length &&
  a.words.every(
    ({ written, script }, at) =>
      written === b.words[at]?.written && script === b.words[at]?.script && script !== 'han' && script !== 'hangul',
  );
