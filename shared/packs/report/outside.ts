import { LONGEST_NAME } from './limits.ts';
import type { Outside } from './report.ts';

/**
 * Outside text made safe to show: cut to `most` characters, with every character that is invisible or reverses the surrounding text
 * replaced by its number, `[U+202E]`, so that nothing looks like something else (Trojan Source, CVE-2021-42574).
 */
export const outside = (text: string, most = LONGEST_NAME): Outside => ({ outside: shown(text, most) });

/** The same as plain text. */
export function shown(text: string, most = LONGEST_NAME): string {
  // Only as much of a hostile text is processed as may be shown: a character has two units at most.
  const characters = Array.from(text.slice(0, 2 * most + 2));
  const visible = characters
    .slice(0, most)
    .join('')
    .replace(breaks, ' ')
    .replace(selectors, '')
    .replace(joiners, numbered)
    .replace(hidden, numbered)
    .replace(piled, marks => `[${Array.from(marks).length} more marks]`)
    .replace(repeated, (numbers, number: string) => `${number}×${numbers.length / number.length}`);
  // Numbers are longer than what they stand for, and make a text at most twice as long.
  const pieces = visible.match(/\[U\+[0-9A-F]+\]|./gsu) ?? [];
  let length = 0;
  const fitting = pieces.filter(piece => (length += piece.length) <= 2 * most);
  return fitting.length < pieces.length || characters.length > most ? `${fitting.join('')}… (cut)` : visible;
}

/** A character by its number: `[U+202E]`. */
export const numbered = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

const breaks = /\r\n|[\t\n\r]/g;
/** Variation selectors: they choose between forms of the character before them. */
const selectors = /[\uFE00-\uFE0F]/g;
/** Joiners, which may stay only in Arabic and in the scripts of India, where they are part of the spelling. */
const joiners = /(?<![\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}])[\u200C\u200D]/gu;
/** Control, format, unpaired surrogate, private-use and unassigned characters, and those that are invisible by rule. */
const hidden = /(?![\u200C\u200D])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** The same number many times in a row. */
const repeated = /(\[U\+[0-9A-F]+\])\1{3,}/g;
/** Marks beyond the fourth on one letter, which would cover the lines around it. */
const piled = /(?<=\p{M}{4})\p{M}+/gu;
