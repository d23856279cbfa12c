import { beginsWith, certaintyOfCut, isOwn, type WeighedName } from './compare_names.ts';
import { sumOf } from './score.ts';
import { type Compare, eachJoinable, eachSimilar, joinedSimilarity, sideOf, takeEqual } from './word_pairs.ts';

/**
 * Tells of names whether they may have a score with a query's name of at least `least_sum`, before it is made a score: false is certain. Each
 * word counts as if it were linked to the one most like it, which is found out much sooner than which links there are.
 */
export function mayScoreWith(
  query: WeighedName,
  compare: Compare,
): (entry: WeighedName, isPerson: boolean, least_sum: number) => boolean {
  const ours = sideOf(query);
  const most_ours = new Float64Array(query.words.length);
  const certainty = certaintyOfCut(query);

  return (entry, isPerson, least_sum) => {
    const theirs = sideOf(entry);
    const most_theirs = new Float64Array(entry.words.length);
    ours.taken.fill(0);
    most_ours.fill(0);
    let equal = 0;
    takeEqual(ours, theirs, (at, place) => {
      equal += 1;
      most_ours[at] = 1;
      most_theirs[place] = 1;
    });
    if (equal === query.words.length || equal === entry.words.length) return true;
    let initials = 0;
    let joined = 0;
    let isCut = false;
    eachSimilar(query, entry, ours, theirs, compare, (at, place, similarity, reason) => {
      raise(most_ours, at, similarity);
      raise(most_theirs, place, similarity);
      if (reason === 'initial') initials += 1;
      if (reason === 'cut_off') isCut = true;
    });
    const cut_off = query.is_long && (isCut || beginsWith(entry, query)) ? certainty : 0;
    const reaches = () => {
      const a = covered(query, most_ours);
      const b = covered(entry, most_theirs);
      const measures = {
        covered_query: a.weight / a.total,
        covered_entry: b.weight / b.total,
        misspelled: 0,
        edits: 0,
        conflict: a.lacks_word && b.lacks_word ? (1 as const) : (0 as const),
        evidence: Math.min(a.weight, b.weight),
        numbers_differ: a.lacks_number && b.lacks_number ? (1 as const) : (0 as const),
        number_missing: a.lacks_number !== b.lacks_number ? (1 as const) : (0 as const),
        cut_off,
        joined,
        initials,
        single: joined === 0 && a.own <= 1 && b.own > 1 ? (1 as const) : (0 as const),
        single_entry: joined === 0 && b.own <= 1 && a.own > 1 ? (1 as const) : (0 as const),
        small_words: a.small + b.small,
      };
      return sumOf(measures, isPerson) >= least_sum - ROUNDING;
    };
    if (reaches()) return true;
    eachJoinable(ours, theirs, false, (first, count, place) => {
      const similarity = joinedSimilarity(ours, theirs, false, first, count, place);
      if (similarity === 0) return;
      joined += 1;
      for (let at = first; at < first + count; at += 1) raise(most_ours, at, similarity);
      raise(most_theirs, place, similarity);
    });
    eachJoinable(theirs, ours, entry.is_person, (first, count, at) => {
      const similarity = joinedSimilarity(theirs, ours, entry.is_person, first, count, at);
      if (similarity === 0) return;
      joined += 1;
      for (let place = first; place < first + count; place += 1) raise(most_theirs, place, similarity);
      raise(most_ours, at, similarity);
    });
    return joined > 0 && reaches();
  };
}

/** The sums are added up in another order than those they are held against. */
const ROUNDING = 1e-9;

function raise(most: Float64Array, at: number, similarity: number): void {
  if (similarity > (most[at] ?? 0)) most[at] = similarity;
}

/** The most of a name that the other may cover, and what it lacks in any case. */
function covered({ words, weights }: WeighedName, most: Float64Array) {
  let weight = 0;
  let total = 0;
  let small = 0;
  let own = 0;
  let lacks_word = false;
  let lacks_number = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (!word) continue;
    const similarity = most[at] ?? 0;
    total += weights[at] ?? 0;
    weight += (weights[at] ?? 0) * similarity;
    if (isOwn(word)) own += 1;
    if (similarity > 0) continue;
    if (word.kind === 'number') lacks_number = true;
    else if (isOwn(word) || word.kind === 'initial') lacks_word = true;
    else small += weights[at] ?? 0;
  }
  return { weight, total: total || 1, small, own, lacks_word, lacks_number };
}
