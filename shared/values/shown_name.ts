/**
 * A name as it is shown, so that it cannot reorder or hide what stands beside it: without characters that only direct text. Where an override
 * (U+202E) displays it otherwise than it is written, both: `Good Shop / pohS dooG`. Null where nothing of it can be seen.
 */
export function shownName(name: string | null | undefined): string | null {
  if (!name || !isVisible(name)) return null;
  if (isPlain.test(name)) return name;
  const [displayed, written] = [asDisplayed(name).trim(), withoutDirections(name).trim()];
  return displayed === written ? written : `${displayed} / ${written}`;
}

/** A text without characters that direct text (UAX #9): marks, embeddings, overrides and isolates. */
export const withoutDirections = (text: string): string => text.replace(directions, '');

/** The same with what an override turns around in the order in which it is displayed. Right-to-left letters run that way of themselves. */
export const asDisplayed = (text: string): string =>
  withoutDirections(
    text
      .replaceAll('\u202c\u202e', '')
      .replace(overridden, (_, letters: string) =>
        rightToLeft.test(letters) ? letters : turned(withoutDirections(letters)),
      ),
  );

const turned = (letters: string): string =>
  Array.from(graphemes.segment(letters), ({ segment }) => mirrored.get(segment) ?? segment)
    .toReversed()
    .join('');

/** Whether a text has a character that can be seen: neither a blank nor, like U+200B, one that is invisible by rule. */
export const isVisible = (text: string): boolean => visible.test(text);

const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const isPlain = /^[\x20-\x7e]*$/;
/** From U+202E to where it is lifted, or another direction begins. */
const overridden = /\u202e([^\u202a-\u202e\u2066-\u2068]*)/g;
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Hebrew, Arabic and the like: their blocks in Unicode. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const graphemes = new Intl.Segmenter('en');
const mirrored = new Map(
  ['()', '[]', '{}', '<>', '«»'].flatMap(([a = '', b = '']) => [[a, b] as const, [b, a] as const]),
);
