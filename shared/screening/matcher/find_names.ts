import { eachOf, hashOf } from '#shared/screening/matcher/index/hash_table.ts';
import { postingsAt } from '#shared/screening/matcher/index/postings.ts';
import { spellingsOf } from '#shared/screening/matcher/index/vocabulary.ts';
import { isSearched, joinedSpelling, jointsOf, unsearchedWhole } from '#shared/screening/matcher/index/joints.ts';
import type { Searchable } from '#shared/screening/matcher/index/searchable.ts';
import type { Compare } from '#shared/screening/matcher/names/align.ts';
import type { WeighedName } from '#shared/screening/matcher/names/compare_names.ts';
import type { NameWord } from '#shared/screening/matcher/names/prepare_name.ts';

/** Less alike than that a word of the list is not taken for one of the query. */
const LEAST_ALIKE = 0.6;
/** What a joint of two words counts that a word of the list, or of the query, writes together. */
const JOINT = 0.7;

/**
 * Finds the names of a list that share words with a query: words as written, of the same sound, with an error, of the same consonants,
 * written together or apart. Calls `found` with each, and the weight of the query's words that it has, as far as they are alike; the weight of
 * words that are not searched for, small ones, titles and legal forms, counts as had.
 */
export function findNames(
  searchable: Searchable,
  query: WeighedName,
  compare: Compare,
  found: (name: number, shared: number, isJoined: boolean) => void,
): void {
  const { index, sums, best, bestOf, joined, wordOf } = searchable;
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
    joined[name] = 1;
  };
  const creditAll = (id: number, part: number, value: number) => {
    const names = postingsAt(index.word_names, id);
    for (let at = 0; at < names.length; at += 1) credit(names[at] ?? 0, part, value);
  };
  let part = 0;
  for (let at = 0; at < query.words.length; at += 1) {
    const word = query.words[at];
    const weight = query.weights[at] ?? 0;
    if (!word || !isSearched[word.kind]) {
      unsearched += weight;
      continue;
    }
    part += 1;
    eachAlike(searchable, word, compare, (id, similarity) => creditAll(id, part, weight * similarity));
    if (word.written.length < SHORTEST_WHOLE) continue;
    // Written together in the query, apart in the list; and below, the other way round.
    eachOf(index.names_by_joint, hashOf('j', joinedSpelling([word])), name => creditJoint(name, part, weight));
  }
  const whole = unsearchedWhole(query.words);
  if (whole !== null) eachOf(index.names_by_joint, hashOf('w', whole), name => credit(name, 1, 0.01));
  for (const joint of jointsOf(query.words)) {
    part += 1;
    eachOf(index.words_by_spelling, hashOf('c', joint), id => {
      if (wordOf(id).canonical !== joint) return;
      for (const name of postingsAt(index.word_names, id)) creditJoint(name, part, 2 * JOINT);
    });
    eachOf(index.names_by_joint, hashOf('j', joint), name => creditJoint(name, part, JOINT));
  }
  for (const name of touched) {
    const shared = sums[name] ?? 0;
    const isJoined = joined[name] === 1;
    sums[name] = 0;
    bestOf[name] = 0;
    joined[name] = 0;
    found(name, shared + unsearched, isJoined);
  }
}

const SHORTEST_WHOLE = 5;

/** Calls `found` with each word of the list that is like a word, once. */
function eachAlike(
  { index, wordOf }: Searchable,
  word: NameWord,
  compare: Compare,
  found: (id: number, similarity: number) => void,
): void {
  const seen = new Set<number>();
  for (const hash of spellingsOf(word, 'to find')) {
    eachOf(index.words_by_spelling, hash, id => {
      if (seen.has(id)) return;
      seen.add(id);
      const other = wordOf(id);
      const similarity =
        word.kind === 'number' ? Number(word.canonical === other.canonical) : compare(word, other).similarity;
      if (similarity >= LEAST_ALIKE) found(id, similarity);
    });
  }
}
