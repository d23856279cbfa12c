import { canonicalSpelling } from '#shared/screening/matcher/names/canonical_spelling.ts';
import type { NameWord, WordKind } from '#shared/screening/matcher/names/prepare_name.ts';

/** What finds names by itself: small words, titles, legal forms and initials do not. */
export const isSearched: Record<WordKind, boolean> = {
  word: true,
  generic: true,
  number: true,
  initial: false,
  particle: false,
  title: false,
  legal: false,
};

/** How a name as a whole is written of which no word is searched for, a vessel `KING` or `K M A`; null of any other. */
export const unsearchedWhole = (words: readonly NameWord[]): string | null =>
  words.some(({ kind }) => isSearched[kind]) ? null : words.map(({ written }) => written).join('');

/** Shorter and longer than that words written together are not looked for. */
const SHORTEST = 4;
const LONGEST = 40;

/** How words sound that are written together; empty where that is too short or too long to be looked for. */
export function joinedSpelling(words: readonly NameWord[]): string {
  let text = '';
  for (const word of words) text += word.written.replaceAll(' ', '');
  return text.length >= SHORTEST && text.length <= LONGEST ? canonicalSpelling(text) : '';
}

/** The sounds of two and of three neighboring words written together, and of a longer name as a whole. */
export function jointsOf(words: readonly NameWord[]): Set<string> {
  const joints = new Set<string>();
  for (let at = 0; at + 1 < words.length; at += 1) {
    joints.add(joinedSpelling(words.slice(at, at + 2)));
    if (at + 2 < words.length) joints.add(joinedSpelling(words.slice(at, at + 3)));
  }
  if (words.length > 3) joints.add(joinedSpelling(words));
  joints.delete('');
  return joints;
}
