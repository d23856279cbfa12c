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

/** The same with what overrides turn around in the order in which it is displayed, as far as nothing else directs it within them. */
export function asDisplayed(text: string): string {
  if (!text.includes(OVERRIDE)) return withoutDirections(text);
  const open: string[] = [];
  let [displayed, run] = ['', ''];
  for (const sign of text) {
    if (opening.test(sign)) open.push(sign);
    else if (sign === '\u202c' && !isIsolate(open.at(-1))) open.pop();
    else if (sign === '\u2069') open.length = open.some(isIsolate) ? open.findLastIndex(isIsolate) : open.length;
    else if (invisible.test(sign)) continue;
    else if (open.at(-1) === OVERRIDE) run += sign;
    else [displayed, run] = [displayed + turned(run) + sign, ''];
  }
  return displayed + turned(run);
}

/** Letters as an override displays them: all from right to left, of which some scripts are read that way. */
const turned = (letters: string): string => backward(letters).replace(rightToLeft, backward);

const backward = (letters: string): string =>
  Array.from(new Intl.Segmenter('en').segment(letters), ({ segment }) => mirrored.get(segment) ?? segment)
    .toReversed()
    .join('');

/** Whether a text has a character that can be seen: neither a blank nor, like U+200B, one that is invisible by rule. */
export const isVisible = (text: string): boolean => visible.test(text);

const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const isPlain = /^[\x20-\x7e]*$/;
const OVERRIDE = '\u202e';
const opening = /[\u202a\u202b\u202d\u202e\u2066-\u2068]/;
const isIsolate = (sign: string | undefined) => sign !== undefined && sign >= '\u2066';
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** Words of Hebrew, Arabic and the like. */
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{M}]+(?:\s+[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{M}]+)*/gu;
const mirrored = new Map(
  ['()', '[]', '{}', '<>', '«»'].flatMap(([a = '', b = '']) => [[a, b] as const, [b, a] as const]),
);
