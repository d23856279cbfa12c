import { withoutDirections } from '#shared/values/shown_name.ts';

/**
 * A text of the service in which names from outside stand: what is written from right to left keeps to itself (U+2068 … U+2069), so that
 * `מסעדה 24` beside `$535.00` does not change places with it; nothing else in it directs text.
 */
export const isolated = (text: string): string => withoutDirections(text).replace(rightToLeft, '\u2068$&\u2069');

/** Hebrew, Arabic and the like: their blocks in Unicode. */
const letter = '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]';
/** A run of their words, what is in brackets among them, and the whole numbers among and after them. */
const between = '[-\\s\'"&.,/–:]*';
const number = '\\d+(?!\\d|[.,]\\d|[%:])';
const rightToLeft = new RegExp(
  `${letter}+(?:${between}(?:${letter}+|${number}|\\((?:${letter}|[-\\s'"&.,/\\d])+\\)))*`,
  'gu',
);
