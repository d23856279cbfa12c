import { canonicalSpelling } from '#shared/screening/matcher/names/canonical_spelling.ts';
import type { NameWord, WordKind } from '#shared/screening/matcher/names/prepare_name.ts';

/** Word kinds that names are searched by: not small words, titles, legal forms and initials. */
export const isSearched: Record<WordKind, boolean> = {
  word: true,
  generic: true,
  number: true,
  initial: false,
  particle: false,
  title: false,
  legal: false,
};

/** The whole of a name without any searched word, such as a vessel `KING` or `K M A`; null for any other. */
export const unsearchedWhole = (words: readonly NameWord[]): string | null =>
  words.some(({ kind }) => isSearched[kind]) ? null : words.map(({ written }) => written).join('');

/** Joined words are searched for only within these lengths. */
const SHORTEST = 4;
const LONGEST = 40;

/** The sound of words that are joined; empty if too short or too long to be searched for. */
export function joinedSpelling(words: readonly NameWord[]): string {
  let text = '';
  for (const word of words) text += word.written.replaceAll(' ', '');
  return text.length >= SHORTEST && text.length <= LONGEST ? canonicalSpelling(text) : '';
}

/** Neighboring words of a name and how they sound together. */
type Joint = { sound: string; first: number; count: number };

/** Two or three neighboring words, and a longer name as a whole, with their sound when joined. */
export function jointsOf(words: readonly NameWord[]): Joint[] {
  const joints: Joint[] = [];
  const add = (first: number, count: number) => {
    const sound = joinedSpelling(words.slice(first, first + count));
    if (sound !== '') joints.push({ sound, first, count });
  };
  for (let at = 0; at + 1 < words.length; at += 1) {
    add(at, 2);
    if (at + 2 < words.length) add(at, 3);
  }
  if (words.length > 3) add(0, words.length);
  return joints;
}

/** The sounds of a person's names joined in the other order than a list's: `VladimirPutin` for `PUTIN, Vladimir`. */
export function turnedJointsOf(words: readonly NameWord[]): Set<string> {
  const [surname, first] = words;
  if (!surname || !first) return new Set();
  const joints = new Set([joinedSpelling([first, surname]), joinedSpelling([...words.slice(1), surname])]);
  joints.delete('');
  return joints;
}
