import { withoutDirections } from '#shared/values/shown_name.ts';

/**
 * A text of the service in which names from outside stand: what is written from right to left, and these `names`, keep to themselves
 * (U+2068 … U+2069), so that `מסעדה 24` beside `$535.00` does not change places with it; nothing else in it directs text.
 */
export function isolated(text: string, names: readonly (string | null | undefined)[] = []): string {
  const known = names.filter(name => name && /\p{L}/u.test(name)).map(name => (name ?? '').replace(special, '\\$&'));
  return withoutDirections(text).replace(new RegExp([...known, rightToLeft].join('|'), 'gu'), '\u2068$&\u2069');
}

const special = /[\\^$.*+?()[\]{}|]/g;
/** Hebrew, Arabic and the like: their blocks in Unicode. */
const letter = '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]';
/** A run of their words, and the whole numbers among and after them. */
const rightToLeft = `${letter}+(?:[-\\s'"&.]*(?:${letter}+|\\d+(?!\\d|[.,]\\d|[%:])))*`;
