import { align, type Compare, type Link } from './align.ts';
import type { NameWord, PreparedName } from './prepare_name.ts';

export type WeighedName = PreparedName & { weights: readonly number[] };

/** The features that a score is computed from. */
export type Measures = {
  /** The share of the query's weight covered by the entry, and vice versa: 0 to 1, reduced by dissimilarity. */
  covered_query: number;
  covered_entry: number;
  /** How much the spelling differs: the squared differences, weighted. */
  misspelled: number;
  /** The largest number of differing letters in one word; letters that names commonly exchange count less. */
  edits: number;
  /** Each name has a word that the other lacks: two different names, not a longer and a shorter form. */
  conflict: 0 | 1;
  /** The weight that the names share. */
  evidence: number;
  /** Both have numbers that differ; only one has numbers. */
  numbers_differ: 0 | 1;
  number_missing: 0 | 1;
  /** The entry begins with the query, or has all its words and one that begins with its last word: 0 to 1, more for a longer query. */
  cut_off: number;
  /** How often words are joined in one name and split in the other; how often an initial stands for a word. */
  joined: number;
  initials: number;
  /** The query has only one word of its own, the entry more, and the query does not join them. */
  single: 0 | 1;
  /** The entry has only one word of its own, the query more, and the entry does not join them. */
  single_entry: 0 | 1;
  /** The weight of small words, titles and legal forms in only one of the names. */
  small_words: number;
};

type Comparison = { links: Link[]; measures: Measures };

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

/**
 * A long query that is the beginning of a name, or ends with the beginning of its last word, is that name, cut to the length of a field.
 */
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
