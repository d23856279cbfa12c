import { eachOf, hashOf } from '#shared/screening/matcher/index/hash_table.ts';
import { postingsAt } from '#shared/screening/matcher/index/postings.ts';
import { spellingsOf } from '#shared/screening/matcher/index/vocabulary.ts';
import { isSearched, joinedSpelling, jointsOf, unsearchedWhole } from '#shared/screening/matcher/index/joints.ts';
import { CUT_OFF, JOINED, type Searchable } from '#shared/screening/matcher/index/searchable.ts';
import type { Compare } from '#shared/screening/matcher/names/align.ts';
import type { WeighedName } from '#shared/screening/matcher/names/compare_names.ts';
import type { NameWord } from '#shared/screening/matcher/names/prepare_name.ts';

/** Words less similar than this do not match. */
const LEAST_ALIKE = 0.6;
/** If no word of the list is this similar, the list does not know the word. */
const KNOWN = 0.9;

/**
 * Finds the names of a list that share words with a query: words spelled the same, with the same sound, with a slip, with the same
 * consonants, joined or split. Calls `onFound` with each name and the weight of the query's words in it, reduced by dissimilarity; words
 * that are not searched for (small words, titles, legal forms) count as shared.
 */
export function findNames(
  searchable: Searchable,
  query: WeighedName,
  compare: Compare,
  onFound: (name: number, shared: number, how: number) => void,
): void {
  const { index, sums, best, bestOf, found: how, wordOf } = searchable;
  const touched: number[] = [];
  let unsearched = 0;
  const credit = (name: number, part: number, value: number) => {
    if (bestOf[name] !== part) {
      if (sums[name] === 0) touched.push(name);
      bestOf[name] = part;
      best[name] = value;
      sums[name] = (sums[name] ?? 0) + value;
    } else if (value > (best[name] ?? 0)) {
      sums[name] = (sums[name] ?? 0) + value - (best[name] ?? 0);
      best[name] = value;
    }
  };
  const creditJoint = (name: number, part: number, value: number) => {
    credit(name, part, value);
    how[name] = (how[name] ?? 0) | JOINED;
  };
  const creditAll = (id: number, part: number, value: number) => {
    const names = postingsAt(index.word_names, id);
    for (let at = 0; at < names.length; at += 1) credit(names[at] ?? 0, part, value);
  };
  const unknown = new Set<number>();
  let part = 0;
  for (let at = 0; at < query.words.length; at += 1) {
    const word = query.words[at];
    const weight = query.weights[at] ?? 0;
    if (!word || !isSearched[word.kind]) {
      unsearched += weight;
      continue;
    }
    part += 1;
    let isKnown = false;
    eachAlike(searchable, word, compare, (id, similarity) => {
      if (similarity >= KNOWN) isKnown = true;
      creditAll(id, part, weight * similarity);
    });
    if (!isKnown) unknown.add(at);
    if (query.cut_at !== null && at === query.words.length - 1)
      for (const id of wordsThatBegin(searchable, word.text))
        for (const name of postingsAt(index.word_names, id)) {
          credit(name, part, weight * CUT_SHORT);
          how[name] = (how[name] ?? 0) | CUT_OFF;
        }
    if (word.written.length < SHORTEST_WHOLE) continue;
    // Joined in the query, split in the list; below, the reverse.
    eachOf(index.names_by_joint, hashOf('j', joinedSpelling([word])), name => creditJoint(name, part, weight));
  }
  const whole = unsearchedWhole(query.words);
  if (whole !== null) eachOf(index.names_by_joint, hashOf('w', whole), name => credit(name, 1, 0.01));
  for (const { sound, first, count } of jointsOf(query.words)) {
    let weight = 0;
    let isUnknown = false;
    let isSmall = true;
    let isOneOfThem = false;
    for (let at = first; at < first + count; at += 1) {
      weight += query.weights[at] ?? 0;
      if (unknown.has(at)) isUnknown = true;
      const word = query.words[at];
      if (word && isSearched[word.kind]) isSmall = false;
      if (word?.canonical === sound) isOneOfThem = true;
    }
    // `Andrei Y` sounds like `Andrei`.
    if (isOneOfThem) continue;
    part += 1;
    eachOf(index.words_by_spelling, hashOf('c', sound), id => {
      if (wordOf(id).canonical !== sound) return;
      for (const name of postingsAt(index.word_names, id)) creditJoint(name, part, weight);
    });
    // Other words find their names on their own.
    if (isUnknown || isSmall) eachOf(index.names_by_joint, hashOf('j', sound), name => creditJoint(name, part, weight));
  }
  for (const name of touched) {
    const shared = sums[name] ?? 0;
    const howFound = how[name] ?? 0;
    sums[name] = 0;
    bestOf[name] = 0;
    how[name] = 0;
    onFound(name, shared + unsearched, howFound);
  }
}

const SHORTEST_WHOLE = 5;
const SHORTEST_BEGINNING = 2;
const MOST_BEGUN = 300;
/** The similarity of a word that a bank's field cut off. */
const CUT_SHORT = 0.95;

/** The longer words of the list that begin with a text; none if there are too many to be of use. */
function wordsThatBegin({ index: { words_in_order }, wordOf }: Searchable, text: string): number[] {
  if (text.length < SHORTEST_BEGINNING) return [];
  let from = 0;
  let to = words_in_order.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (wordOf(words_in_order[middle] ?? 0).text < text) from = middle + 1;
    else to = middle;
  }
  const begun: number[] = [];
  for (let at = from; at < words_in_order.length; at += 1) {
    const id = words_in_order[at] ?? 0;
    const word = wordOf(id);
    if (!word.text.startsWith(text)) break;
    if (word.text.length > text.length && isSearched[word.kind]) begun.push(id);
    if (begun.length > MOST_BEGUN) return [];
  }
  return begun;
}

/** Calls `onFound` once with each word of the list that is similar to a word. */
function eachAlike(
  { index, wordOf }: Searchable,
  word: NameWord,
  compare: Compare,
  onFound: (id: number, similarity: number) => void,
): void {
  const visited = new Set<number>();
  for (const hash of spellingsOf(word, 'to find')) {
    eachOf(index.words_by_spelling, hash, id => {
      if (visited.has(id)) return;
      visited.add(id);
      const other = wordOf(id);
      const similarity =
        word.kind === 'number' ? Number(word.canonical === other.canonical) : compare(word, other).similarity;
      if (similarity >= LEAST_ALIKE) onFound(id, similarity);
    });
  }
}
