import { align, type Compare, type Link } from './align.ts';
import type { NameWord, PreparedName } from './prepare_name.ts';

/** A name and how much each of its words counts. */
export type WeighedName = PreparedName & { weights: readonly number[] };

/** The features that a score is computed from. */
export type Measures = {
  /** The share of the query's weight that stands in the entry, and the other way round: 0 to 1, words alike counting as far as they are. */
  covered_query: number;
  covered_entry: number;
  /** How much is spelled otherwise: the squares of the differences, by weight. */
  misspelled: number;
  /** The most letters that one word differs by, those that names commonly exchange counting less. */
  edits: number;
  /** Both names have a word that the other has not: they name two, not one more fully than the other. */
  conflict: 0 | 1;
  /** The weight that the names have in common. */
  evidence: number;
  /** Both have numbers, and other ones; only one of them has. */
  numbers_differ: 0 | 1;
  number_missing: 0 | 1;
  /** The entry begins with the query, or has all its words but the last whole and one that begins with the last: 0 to 1, more for a long query. */
  cut_off: number;
  /** How often words are written together in one name and apart in the other; how often an initial stands for a word. */
  joined: number;
  initials: number;
  /** The query has one word of its own, the entry more, and not written together in the query. */
  single: 0 | 1;
  /** The entry has one word of its own, the query more, and not written together in the entry. */
  single_entry: 0 | 1;
  /** What small words, titles and legal forms weigh that only one of the names has. */
  small_words: number;
};

type Comparison = { links: Link[]; measures: Measures };

/** Holds two names against each other. */
export function compareNames(query: WeighedName, entry: WeighedName, compare?: Compare): Comparison {
  const links = align(query, entry, compare);
  return { links, measures: measure(query, entry, links) };
}

function measure(query: WeighedName, entry: WeighedName, links: readonly Link[]): Measures {
  let coveredQuery = 0;
  let coveredEntry = 0;
  let misspelled = 0;
  let edits = 0;
  let evidence = 0;
  let joined = 0;
  let initials = 0;
  for (const { query: ours, entry: theirs, similarity, reason } of links) {
    const q = weightOfAll(query, ours);
    const e = weightOfAll(entry, theirs);
    coveredQuery += q * similarity;
    coveredEntry += e * similarity;
    evidence += Math.min(q, e) * similarity;
    const weight = reason === 'initial' ? Math.min(q, e) : (q + e) / 2;
    misspelled += weight * (2 - 2 * similarity) ** 2;
    if (reason === 'joined') joined += 1;
    if (reason === 'initial') initials += 1;
    if (reason !== 'spelling') continue;
    const [a, b] = [query.words[ours[0] ?? 0], entry.words[theirs[0] ?? 0]];
    if (!a || !b) continue;
    edits = Math.max(edits, (1 - similarity) * Math.max(a.canonical.length, b.canonical.length));
  }
  const missing = unmatched(query, links, 'query');
  const extra = unmatched(entry, links, 'entry');
  const numbers = missing.numbers > 0 && extra.numbers > 0;
  return {
    covered_query: coveredQuery / total(query),
    covered_entry: coveredEntry / total(entry),
    misspelled,
    edits,
    conflict: missing.words && extra.words ? 1 : 0,
    evidence,
    numbers_differ: numbers ? 1 : 0,
    number_missing: !numbers && missing.numbers + extra.numbers > 0 ? 1 : 0,
    cut_off: isCutOff(query, entry, links) ? certaintyOfCut(query) : 0,
    joined,
    initials,
    single: joined === 0 && ownWords(query) <= 1 && ownWords(entry) > 1 ? 1 : 0,
    single_entry: joined === 0 && ownWords(entry) <= 1 && ownWords(query) > 1 ? 1 : 0,
    small_words: missing.small + extra.small,
  };
}

const weightOfAll = ({ weights }: WeighedName, indexes: readonly number[]): number => {
  let sum = 0;
  for (const index of indexes) sum += weights[index] ?? 0;
  return sum;
};

const total = ({ weights }: WeighedName): number => {
  let sum = 0;
  for (const weight of weights) sum += weight;
  return sum || 1;
};

/** What of a name no link holds. */
function unmatched({ words, weights }: WeighedName, links: readonly Link[], side: 'query' | 'entry') {
  const unmatched = { words: false, numbers: 0, small: 0 };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (!word || links.some(link => link[side].includes(index))) continue;
    if (word.kind === 'number') unmatched.numbers += 1;
    else if (isOwn(word) || word.kind === 'initial') unmatched.words = true;
    else unmatched.small += weights[index] ?? 0;
  }
  return unmatched;
}

const isOwn = ({ kind }: NameWord) => kind === 'word' || kind === 'generic';

const ownWords = ({ words }: PreparedName): number => {
  let count = 0;
  for (const word of words) if (isOwn(word)) count += 1;
  return count;
};

/** What is long and the beginning of a name, or of its last word, is that name, cut to the length of a field. */
const isCutOff = (query: WeighedName, entry: PreparedName, links: readonly Link[]): boolean =>
  query.is_long && (isAllButEnd(query, links) || beginsWith(entry, query));

const isAllButEnd = ({ words }: PreparedName, links: readonly Link[]): boolean =>
  links.length === words.length &&
  links.some(({ reason }) => reason === 'cut_off') &&
  links.every(({ reason, similarity }) => reason === 'cut_off' || similarity === 1);

/** Whether a name begins with the letters of another and goes on. */
export const beginsWith = (entry: PreparedName, query: PreparedName): boolean => {
  if (entry.words[0]?.written[0] !== query.words[0]?.written[0]) return false;
  const [begun, whole] = [lettersOf(query), lettersOf(entry)];
  return whole.length > begun.length && whole.startsWith(begun);
};

const lettersOf = ({ words }: PreparedName) => words.map(word => word.written).join('');

const certaintyOfCut = (query: PreparedName): number =>
  Math.min(1, Math.max(0, (lettersOf(query).length - FEWEST_LETTERS) / (SURE_LETTERS - FEWEST_LETTERS)));
const FEWEST_LETTERS = 10;
const SURE_LETTERS = 30;
