import type { EntryType } from './entry.ts';
import { findNames } from './find_names.ts';
import { CUT_OFF, JOINED, type Searchable } from '#shared/screening/matcher/index/searchable.ts';
import type { Compare, Link } from '#shared/screening/matcher/names/align.ts';
import {
  beginsWith,
  compareNames,
  type Measures,
  type WeighedName,
} from '#shared/screening/matcher/names/compare_names.ts';
import type { NameWord, PreparedName } from '#shared/screening/matcher/names/prepare_name.ts';
import { mostOf, scoreOf, sumFor } from '#shared/screening/matcher/names/score.ts';
import { type Likeness, likeness, mayBeAlike, unlike } from '#shared/screening/matcher/names/spelling.ts';

/** A name of a list that resembles a name of the query, before other facts are compared. */
export type NameMatch = {
  name: number;
  entry: number;
  score: number;
  query: WeighedName;
  entry_name: WeighedName;
  links: Link[];
  measures: Measures;
};

/** The number of names compared with one name: the most promising, and all as promising as the last, so that no namesake is missed. */
const MOST_COMPARED = 40;
const MOST_NAMESAKES = 2_000;
/** Names up to this much below the required score are compared: they may have words that the index did not find. */
const MARGIN = 0.16;

/** Finds the names of a list that score at least `least`; skips names of an entry that cannot beat another of its names. */
export function screenName(
  searchable: Searchable,
  readings: readonly PreparedName[],
  type: EntryType | null,
  least: number,
  compare: Compare = rememberLikeness(),
): NameMatch[] {
  return readings.flatMap(prepared => searchName(searchable, prepared, type, least, compare));
}

function searchName(
  searchable: Searchable,
  prepared: PreparedName,
  type: EntryType | null,
  least: number,
  compare: Compare,
): NameMatch[] {
  const { index } = searchable;
  const query = searchable.weigh(prepared);
  const isPerson = (entry: number) =>
    type === null || type === 'unknown' ? index.entry_persons[entry] === 1 : type === 'person';
  const matches: NameMatch[] = [];
  const best = new Map<number, number>();
  for (const { name, most } of hopefulNames(searchable, query, isPerson, least, compare)) {
    const entry = index.name_entries[name] ?? 0;
    if ((best.get(entry) ?? -Infinity) >= most) continue;
    const entry_name = searchable.nameOf(name);
    const { links, measures, score } = scoreNames(query, entry_name, isPerson(entry), compare);
    if (score < least) continue;
    matches.push({ name, entry, score, query, entry_name, links, measures });
    // A score that will be capped says nothing about the entry's other names.
    if (measures.single === 0 && index.name_weak[name] === 0) best.set(entry, sumFor(score));
  }
  return matches;
}

/** The names that could score `least`, most promising first, with the most that each could reach. */
function hopefulNames(
  searchable: Searchable,
  query: WeighedName,
  isPerson: (entry: number) => boolean,
  least: number,
  compare: Compare,
): { name: number; most: number }[] {
  const { index } = searchable;
  const weight = query.weights.reduce((total, each) => total + each, 0);
  const hasInitial = query.words.some(word => word.kind === 'initial');
  const leastSum = sumFor(least - MARGIN);
  const hopeful: { name: number; most: number }[] = [];
  const isCutShort = query.cut_at !== null && (query.words.at(-1)?.text.length ?? 0) < 4;
  findNames(searchable, query, compare, (name, shared, how) => {
    const own = (index.name_weights[name] ?? 0) / 1_000;
    const mayBeCut = query.is_long && (isCutShort || (how & CUT_OFF) !== 0 || shared >= weight * NEARLY_ALL);
    const isBegun =
      mayBeCut &&
      shared <= own &&
      searchable.initialOf(name) === query.words[0]?.written[0] &&
      beginsWith(searchable.nameOf(name), query);
    const hope = {
      covered_query: isBegun ? 1 : Math.min(1, shared / weight),
      covered_entry: Math.min(1, shared / own),
      evidence: Math.min(shared, own),
      may_join: (how & JOINED) !== 0,
      may_abbreviate: hasInitial || index.name_initials[name] === 1,
      may_be_cut: isBegun || (mayBeCut && query.is_person),
    };
    // Equal names score 1, whatever they are made of.
    const mayBeEqual = hope.covered_query > ALL && hope.covered_entry > ALL;
    const most = mayBeEqual ? Number.MAX_VALUE : mostOf(hope, isPerson(index.name_entries[name] ?? 0));
    if (most >= leastSum) hopeful.push({ name, most });
  });
  hopeful.sort((a, b) => b.most - a.most);
  const last = hopeful[MOST_COMPARED - 1]?.most ?? -Infinity;
  const end = hopeful.findIndex(({ most }, at) => at === MOST_NAMESAKES || most < last);
  return end < 0 ? hopeful : hopeful.slice(0, end);
}

/** All of the weight of a name, but for rounding. */
const ALL = 0.999;
/** A query whose weight is covered to this share may be the beginning of the name. */
const NEARLY_ALL = 0.98;

/** How similar two names are, 0 to 1; 1 means equal, word for word. */
export function scoreNames(
  query: WeighedName,
  entry_name: WeighedName,
  isPerson: boolean,
  compare?: Compare,
): { score: number; links: Link[]; measures: Measures } {
  const { links, measures } = compareNames(query, entry_name, compare);
  return { links, measures, score: isWhole(query, entry_name, links) ? 1 : scoreOf(measures, isPerson) };
}

/** Every word of each name is in the other as written, in any order. */
const isWhole = (query: WeighedName, entry_name: WeighedName, links: readonly Link[]) =>
  links.length === query.words.length &&
  links.length === entry_name.words.length &&
  links.every(({ reason }) => reason === 'equal' || reason === 'legal_form');

/** The words of a query are held against the same words of a list again and again. */
function rememberLikeness(): Compare {
  const likenesses = new Map<NameWord, Map<NameWord, Likeness>>();
  let word: NameWord | undefined;
  let ofWord = new Map<NameWord, Likeness>();
  return (query, entry) => {
    if (!mayBeAlike(query, entry)) return unlike;
    if (query !== word) {
      word = query;
      ofWord = likenesses.get(query) ?? new Map();
      likenesses.set(query, ofWord);
    }
    let answer = ofWord.get(entry);
    if (!answer) ofWord.set(entry, (answer = likeness(query, entry)));
    return answer;
  };
}
