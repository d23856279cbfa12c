/**
 * A name as a reader sees it, so that it cannot reorder or hide what stands beside it: letters that an override (U+202D, U+202E) turns
 * around stand in the order in which they are displayed, and characters that only direct text are gone. Null where nothing of it can be seen.
 */
export function shownName(name: string | null | undefined): string | null {
  if (!name || !isVisible(name)) return null;
  return isPlain.test(name) ? name : withoutDirections(name).trim();
}

/** The same of any text, such as a sentence that names were put into before they were read so. */
export const withoutDirections = (text: string): string =>
  text.replace(overridden, (_, letters: string) => Array.from(letters).toReversed().join('')).replace(directions, '');

/** Whether a text has a character that can be seen: neither a blank nor, like U+200B, one that is invisible by rule. */
export const isVisible = (text: string): boolean => visible.test(text);

const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const isPlain = /^[\x20-\x7e]*$/;
/** From U+202E to where it is lifted, or replaced by another direction. */
const overridden = /\u202e([^\u202a-\u202e\u2066-\u2069]*)/g;
/** Marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9). */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
