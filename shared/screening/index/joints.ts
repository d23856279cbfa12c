import { canonicalSpelling } from '#shared/screening/names/canonical_spelling.ts';
import type { NameWord } from '#shared/screening/names/prepare_name.ts';

/** Shorter and longer than that words written together are not looked for. */
const SHORTEST = 4;
const LONGEST = 40;

/** How words sound that are written together; empty where that is too short or too long to be looked for. */
export function joinedSpelling(words: readonly NameWord[]): string {
  let text = '';
  for (const word of words) text += word.written.replaceAll(' ', '');
  return text.length >= SHORTEST && text.length <= LONGEST ? canonicalSpelling(text) : '';
}

/** The sounds of two and of three neighbouring words written together, and of a longer name as a whole. */
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
