import { shortHash } from '#shared/events/log/event_columns.ts';
import { fold } from '#shared/values/fold.ts';
import { slipsBetween } from '#shared/values/nearest.ts';
import { wordsOf } from './alike_names.ts';

/** A name of fewer letters is near many others; of more words the first are compared. */
const [LEAST_LETTERS, LEAST_OF_WORD, MOST_WORDS] = [8, 5, 5];

/**
 * What names that are almost alike have in common: the letters of their words, and those with one longer word, in which a letter may differ, cut to its
 * first. Short hashes; none of a name that is too short for that.
 */
export function almostKeysOf(name: string): string[] {
  const words = wordsOf(name).slice(0, MOST_WORDS);
  const letters = words.join('');
  if (letters.length < LEAST_LETTERS) return [];
  const cut = words.flatMap((word, at) =>
    canDiffer(word) && words.length > 1 ? [words.with(at, word.slice(0, 1)).join(' ')] : [],
  );
  const ends = words.length === 1 && canDiffer(letters) ? [`${letters.slice(0, END)} `, ` ${letters.slice(-END)}`] : [];
  return [letters, ...cut, ...ends].map(shortHash);
}

/** Of a single word its beginning or its end is the same. */
const END = 5;

const digitsOf = (name: string): string => name.replace(/\P{N}/gu, '');

const canDiffer = (word: string) => word.length >= LEAST_OF_WORD && !/\p{N}/u.test(word);

/**
 * Whether two names that are not the same are read for each other: they differ in how they are written, in a legal form or a word that says nothing,
 * or by one letter of one longer word, put in, left out, mistaken or swapped with its neighbor. `Cobaltbrook Thrift`: `Coobaltbrook Thrift`,
 * `Cobalt-Brook Thrift Ltd`.
 */
export function areAlmostNamed(a: string, b: string): boolean {
  if (fold(a) === fold(b)) return false;
  const [our_digits, their_digits] = [digitsOf(a), digitsOf(b)];
  // One of a chain, or a letter that was read for a digit.
  if (our_digits !== their_digits && our_digits !== '' && their_digits !== '') return false;
  const [ours, theirs] = [wordsOf(a), wordsOf(b)];
  if (ours.join('').length < LEAST_LETTERS) return false;
  if (ours.join('') === theirs.join('')) return true;
  if (ours.length !== theirs.length) return false;
  const pairs = ours.map((word, at) => [word, theirs[at] ?? ''] as const).filter(([one, other]) => one !== other);
  const [[one, other] = ['', ''], ...more] = pairs;
  return more.length === 0 && canDiffer(one) && canDiffer(other) && slipsBetween(one, other, 1) === 1;
}
