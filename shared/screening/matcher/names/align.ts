import type { PreparedName } from './prepare_name.ts';
import { likeness } from './spelling.ts';
import {
  type Compare,
  eachJoinable,
  eachSimilar,
  joinedSimilarity,
  type Reason,
  type Side,
  sideOf,
  takeEqual,
} from './word_pairs.ts';

/** Words of one name that correspond to words of the other: mostly one to one; two or three where they are joined or split. */
export type Link = {
  query: readonly number[];
  entry: readonly number[];
  similarity: number;
  reason: Reason;
};

/**
 * Finds the corresponding words of two names, each word used once: equal ones first, then the most similar. `compare` may cache, since the
 * words of a query are compared with those of many names.
 */
export function align(query: PreparedName, entry: PreparedName, compare: Compare = likeness): Link[] {
  const ours = sideOf(query);
  const theirs = sideOf(entry);
  const links: Link[] = [];
  takeEqual(ours, theirs, (at, place) => links.push(equalLink(ours, theirs, at, place)));
  const isEverythingTaken = links.length === query.words.length || links.length === entry.words.length;
  if (isEverythingTaken) return links;
  const possible: Link[] = [];
  eachSimilar(query, entry, ours, theirs, compare, (at, place, similarity, reason) =>
    possible.push({ query: [at], entry: [place], similarity, reason }),
  );
  eachJoinable(ours, theirs, false, (first, count, place) => {
    const similarity = joinedSimilarity(ours, theirs, false, first, count, place);
    if (similarity > 0) possible.push({ query: range(first, count), entry: [place], similarity, reason: 'joined' });
  });
  eachJoinable(theirs, ours, entry.is_person, (first, count, at) => {
    const similarity = joinedSimilarity(theirs, ours, entry.is_person, first, count, at);
    if (similarity > 0) possible.push({ query: [at], entry: range(first, count), similarity, reason: 'joined' });
  });
  if (possible.length > 1) possible.sort((a, b) => rankOf(b) - rankOf(a));
  for (const link of possible) {
    if (isTaken(ours, link.query) || isTaken(theirs, link.entry)) continue;
    take(ours, link.query);
    take(theirs, link.entry);
    links.push(link);
  }
  return links;
}

function equalLink(ours: Side, theirs: Side, at: number, place: number): Link {
  const [word, other] = [ours.words[at], theirs.words[place]];
  const reason = word?.written === other?.written ? 'equal' : word?.kind === 'legal' ? 'legal_form' : 'abbreviation';
  return { query: [at], entry: [place], similarity: 1, reason };
}

const range = (first: number, count: number) => Array.from({ length: count }, (_, offset) => first + offset);

const isTaken = ({ taken }: Side, places: readonly number[]) => places.some(place => taken[place] === 1);

function take({ taken }: Side, places: readonly number[]): void {
  for (const place of places) taken[place] = 1;
}

// Joined words count for as many.
const rankOf = ({ query, entry, similarity, reason }: Link) =>
  similarity + (reason === 'initial' ? -0.3 : 0) + 0.02 * (query.length + entry.length - 2);
