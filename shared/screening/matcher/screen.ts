import { isCountryName } from '#shared/values/country_names.ts';
import { type Allowance, allowanceOf } from './allow.ts';
import type { EntryType, ListEntry } from './entry.ts';
import { explain, type TokenMatch } from './explain.ts';
import { searchableOf } from '#shared/screening/matcher/index/searchable.ts';
import { textAt } from '#shared/screening/matcher/index/text_table.ts';
import type { ListIndex } from './list_index.ts';
import { capsOf, type Modifier, modifiersOf, mostAdded } from './modifiers.ts';
import type { PreparedName, WordKind } from '#shared/screening/matcher/names/prepare_name.ts';
import { weightOf } from '#shared/screening/matcher/names/weights.ts';
import type { ScreeningQuery } from './query.ts';
import { type KeyMatch, screenKeys } from './screen_keys.ts';
import { readingsOfEach } from './readings.ts';
import { type NameMatch, screenName } from './screen_names.ts';

/** One version of a list, ready to be searched. */
export type LoadedList = { name: string; version: number; index: ListIndex };

/** Why a match scores as it does. */
type MatchFeatures = {
  /** The score of the names before the modifiers, 0 to 1; null where an exact key matched. */
  name_score: number | null;
  tokens: TokenMatch[];
  unmatched_query: string[];
  unmatched_entry: string[];
  /** The adjustments of the score, with their reasons. */
  modifiers: Modifier[];
  /** The exact identifier that matched, as the list has it. */
  key: { type: string; value: string; label: string | null } | null;
  entry_type: EntryType;
  birth_dates: string[];
  weak_alias: boolean;
  list_version: number;
};

export type ListMatch = {
  list: string;
  entry_id: string;
  name: string;
  matched_name: string;
  /** 0 to 1, with at most four decimals; an exact key scores 1. */
  score: number;
  match_type: 'address' | 'identifier' | 'name' | 'alias';
  features: MatchFeatures;
  programs: string[];
  countries: string[];
};

type ScreeningOutcome = {
  /** At or above the threshold, best first, at most one per entry of a list. */
  matches: ListMatch[];
  /** The entry of an allow list that equals the query, or one of its names; matches by that name are left out, exact keys stay. */
  allowed_by: { list: string; entry_id: string; name: string } | null;
};

/**
 * Searches lists for a query: exactly for its identifiers, by similarity for its names. Pure, and quick for any text: a name that
 * normalizes to nothing, or to small words and legal forms only, matches nothing. Throws once `isOver` returns true, which is called before
 * each name.
 */
export function screen(
  lists: readonly LoadedList[],
  query: ScreeningQuery,
  { threshold, limit, isOver = () => false }: { threshold: number; limit: number; isOver?: () => boolean },
): ScreeningOutcome {
  const names = namesOf(query);
  const bounds = { threshold, isOver };
  const candidates = lists.flatMap(list => screenList(list, query, names, bounds));
  const allowed = candidates
    .filter(({ entry }) => entry.action === 'allow')
    .map(({ list, entry }) => ({ list, entry, ...allowanceOf(entry, query, names) }))
    .filter(({ all, names }) => all || names.size > 0);
  const denied =
    allowed.length === 0 ? candidates : lists.flatMap(list => screenList(list, query, without(names, allowed), bounds));
  const matches = denied
    .filter(({ entry }) => entry.action === 'deny')
    .toSorted(
      (a, b) =>
        b.score - a.score || compareText(a.list.name, b.list.name) || compareText(a.entry.entry_id, b.entry.entry_id),
    );
  const [by] = allowed;
  return {
    matches: matches.slice(0, limit).map(describe),
    allowed_by: by ? { list: by.list.name, entry_id: by.entry.entry_id, name: by.entry.name } : null,
  };
}

/** The distinct names to search for, in all their readings. */
function namesOf({ name, aliases, type }: ScreeningQuery): PreparedName[][] {
  const readings = readingsOfEach([name ?? '', ...aliases], type);
  const texts = readings.map(each => each.map(({ words }) => words.map(word => word.written).join(' ')).join('|'));
  return readings.filter(
    (each, at) => each.some(({ words }) => words.length > 0) && texts.indexOf(texts[at] ?? '') === at,
  );
}

const without = (names: readonly PreparedName[][], allowed: readonly Allowance[]) =>
  allowed.some(({ all }) => all) ? [] : names.filter((_, at) => !allowed.some(each => each.names.has(at)));

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** An entry that matches: by a key, or by a name. */
type EntryMatch = {
  list: LoadedList;
  entry: ListEntry;
  score: number;
  key: KeyMatch['key'] | null;
  name: (NameMatch & { position: number }) | null;
  modifiers: Modifier[];
};

/** Only equal names score closer to 1. */
const HIGHEST_SOUGHT = 0.97;

function screenList(
  list: LoadedList,
  query: ScreeningQuery,
  names: readonly PreparedName[][],
  { threshold, isOver }: { threshold: number; isOver: () => boolean },
): EntryMatch[] {
  const { index } = list;
  const entries = new Map<number, ListEntry>();
  const entryAt = (entry: number) => {
    const entry_value = entries.get(entry) ?? (JSON.parse(textAt(index.entries, entry)) as ListEntry);
    entries.set(entry, entry_value);
    return entry_value;
  };
  const best = new Map<number, EntryMatch>();
  for (const { entry, key } of screenKeys(index, query.keys, entryAt))
    best.set(entry, { list, entry: entryAt(entry), score: 1, key, name: null, modifiers: [] });
  const searchable = searchableOf(index);
  const least = Math.min(HIGHEST_SOUGHT, threshold - mostAdded(query));
  for (const readings of names) {
    if (isOver()) throw new Error('the search took too long');
    for (const match of screenName(searchable, readings, query.type, least)) {
      const before = best.get(match.entry);
      if (before?.key) continue;
      const entry = entryAt(match.entry);
      const judged = judge(list, query, entry, { ...match, position: index.name_positions[match.name] ?? 0 });
      if (judged.score >= threshold && (!before || judged.score > before.score)) best.set(match.entry, judged);
    }
  }
  return [...best.values()];
}

/** The score of an entry by one of its names: the similarity of the names, and the other facts. */
export function judge(
  list: LoadedList,
  query: ScreeningQuery,
  entry: ListEntry,
  name: NonNullable<EntryMatch['name']>,
): EntryMatch {
  const modifiers = modifiersOf(query, entry);
  const modified = modifiers.reduce((score, { points }) => score + points, name.score);
  const score = Math.min(name.score === 1 ? 1 : LESS_THAN_EQUAL, Math.max(0, modified));
  const isWeak = entry.aliases[name.position - 1]?.weak ?? false;
  const isOneWord = entry.type === 'person' && query.type !== 'organization' && isSingle(name);
  const isCommon = isCommonWord(name, list.index.name_count);
  const caps = capsOf(score, { isWeak, isOneWord, isCommon, isGeneric: isGeneric(name) });
  const capped = caps.reduce((sum, { points }) => sum + points, score);
  return { list, entry, score: rounded(capped), key: null, name, modifiers: [...modifiers, ...caps] };
}

/**
 * Apart from initials the names share one word, and the entry has more. Two initials and a complete surname (`V.V. Putin`) count as the
 * whole name.
 */
function isSingle({ measures, links, query, entry_name }: NameMatch): boolean {
  if (measures.single === 1 && measures.initials < 2) return true;
  if (
    query.words.length === 1 &&
    leftOf(
      entry_name,
      links.flatMap(link => link.entry),
    ).includes('title')
  )
    return true;
  const isComplete =
    measures.initials >= 2 && links.length === query.words.length && links.length === entry_name.words.length;
  if (measures.initials === 0 || isComplete || entry_name.words.length === 1) return false;
  // A full name that matches an initial is no shared word.
  return links.filter(link => isOwnWord(query, link.query) && isOwnWord(entry_name, link.entry)).length <= 1;
}

/** The query has one word of its own, which very many names of the list have, such as `Mohammed`, or which is a country that a name sounds like. */
function isCommonWord({ query, entry_name, links }: NameMatch, names: number): boolean {
  const telling = query.words.flatMap(({ kind }, at) => (kind === 'particle' ? [] : [at]));
  const [only] = telling;
  if (only === undefined || telling.length > 1 || !isOwn(query.words[only]?.kind)) return false;
  if (isCountryName(query.words[only]?.written ?? '') && links.some(({ reason }) => reason !== 'equal')) return true;
  const common = weightOf('word', COMMON, names);
  // Another spelling of a word that many have is as common: `Muhammed`, by `MOHAMMED`.
  const isOfMany = links.some(
    ({ query: [own], entry: [at = 0, ...more] }) =>
      own === only && more.length === 0 && (entry_name.weights[at] ?? 1) < common,
  );
  // Of a word in another script some consonants say little.
  const isLoose = links.every(({ reason, similarity }) => reason === 'consonants' && similarity < LOOSE);
  // `FULMENGROUP` is more than the usual word it ends with.
  const isUsual = links.some(link => link.entry.every(at => entry_name.words[at]?.kind === 'generic'));
  return isUsual || isOfMany || isLoose || query.words[only]?.kind === 'generic' || (query.weights[only] ?? 1) < common;
}

const LOOSE = 0.9;

/** A word is too common to mean anything if this many names of a large list have it. */
const COMMON = 60;

/**
 * The names share only usual words, and one of them has more than those and a legal form. A name cut off by a bank's field does not count.
 */
function isGeneric({ measures, links, query, entry_name }: NameMatch): boolean {
  if (measures.cut_off > SURELY_CUT) return false;
  const shared = links.filter(link => isOwnWord(query, link.query));
  if (shared.some(link => isTelling(query, link.query) && isTelling(entry_name, link.entry))) return false;
  const unmatched = [
    ...leftOf(
      query,
      links.flatMap(link => link.query),
    ),
    ...leftOf(
      entry_name,
      links.flatMap(link => link.entry),
    ),
  ];
  return unmatched.some(kind => kind !== 'legal');
}

/** A query this long begins only one name. */
const SURELY_CUT = 0.85;

/** The kinds of a name's words outside these places. */
const leftOf = ({ words }: NameMatch['query'], places: readonly number[]): WordKind[] =>
  words.flatMap(({ kind }, at) => (places.includes(at) ? [] : [kind]));

const isOwnWord = (name: NameMatch['query'], places: readonly number[]) => isOwn(name.words[places[0] ?? 0]?.kind);

const isTelling = (name: NameMatch['query'], places: readonly number[]) =>
  places.some(place => name.words[place]?.kind === 'word');

const isOwn = (kind: WordKind | undefined) => kind === 'word' || kind === 'generic';

/** Only names that are equal word for word score 1. */
const LESS_THAN_EQUAL = 0.9999;

function describe({ list, entry, score, key, name, modifiers }: EntryMatch): ListMatch {
  const alias = name ? entry.aliases[name.position - 1] : undefined;
  const words = name ? explain(name) : { tokens: [], unmatched_query: [], unmatched_entry: [] };
  return {
    list: list.name,
    entry_id: entry.entry_id,
    name: entry.name,
    matched_name: alias?.name ?? entry.name,
    score,
    match_type: key ? (key.type === 'wallet' ? 'address' : 'identifier') : alias ? 'alias' : 'name',
    features: {
      name_score: name ? rounded(name.score) : null,
      ...words,
      modifiers: modifiers.map(modifier => ({ ...modifier, points: rounded(modifier.points) })),
      key,
      entry_type: entry.type,
      birth_dates: entry.birth_dates,
      weak_alias: alias?.weak ?? false,
      list_version: list.version,
    },
    programs: entry.programs,
    countries: entry.countries,
  };
}

const rounded = (value: number) => Math.round(value * 10_000) / 10_000;
