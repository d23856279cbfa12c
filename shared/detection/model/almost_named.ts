import { fold } from '#shared/values/fold.ts';
import { isLegalForm } from './alike_names.ts';

/**
 * A name as it is compared: folded, its words but for legal forms, all their letters, what these look like (nothing in scripts whose signs are
 * words), and its digits.
 */
export type Spelled = { folded: string; words: string[]; letters: string; looks: string; digits: string };

/** A payee by its key, with its names, the present one first; `country` as it was said. */
export type NamedPayee = { key: string; country: string | null; name: string | null; spelled: readonly Spelled[] };

/** Shorter names and words are near many others; of more words the first are compared. */
const [LEAST_LETTERS, LEAST_OF_WORD, MOST_WORDS, LONGEST] = [7, 5, 6, 100];

export function spell(name: string): Spelled {
  const folded = fold(name.slice(0, LONGEST));
  // A digit between letters is read for a letter, and so is a zero that begins or ends a word.
  const read = folded.replace(misread, digit => (digit === '1' ? 'l' : 'o'));
  const all = read.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '' && !isLegalForm(word));
  const words = all.slice(0, MOST_WORDS);
  const letters = words.join('');
  return { folded, words, letters, looks: alphabetic.test(letters) ? asRead(letters) : '', digits: digitsOf(read) };
}

const misread = /(?<=\p{L})[01](?=\p{L})|(?<![\p{L}\p{N}])0(?=\p{L}{3})|(?<=\p{L}{3})0(?![\p{L}\p{N}])/gu;

const digitsOf = (text: string): string => text.replace(/\P{N}/gu, '');

/**
 * How one name may be read for another: they differ in `writing` alone, that is in spaces, signs and legal forms; or by a `slip` in one longer word:
 * a letter put in, left out or swapped with its neighbor, or letters that look like others (Unicode UTS #39). `Cobaltbrook Thrift`:
 * `Cobalt-Brook Thrift Ltd`, `Coobaltbrook Thrift`. Null for names that are the same or told apart: what differs at the end of a word is
 * grammar, and one vowel for another another place.
 */
function likenessOf(a: Spelled, b: Spelled): 'writing' | 'slip' | null {
  if (a.folded === b.folded || a.digits !== b.digits) return null;
  const [ours, theirs] = [a.letters, b.letters];
  if (ours.length < LEAST_LETTERS || Math.abs(ours.length - theirs.length) > MOST_LONGER) return null;
  if (ours === theirs) return digitsOf(a.folded) === digitsOf(b.folded) ? 'writing' : 'slip';
  if (a.looks !== '' && a.looks === b.looks) return 'slip';
  if (ours[0] !== theirs[0] || a.words.length !== b.words.length) return null;
  const unlike = a.words.flatMap((word, at) => (word === b.words[at] ? [] : [[word, b.words[at] ?? ''] as const]));
  const [[one, other] = ['', '']] = unlike;
  return unlike.length === 1 && isSlip(one, other) ? 'slip' : null;
}

/** The same for two payees by all their names; null where they share one. */
export function likenessOfPayees(a: NamedPayee, b: NamedPayee): 'writing' | 'slip' | null {
  let strongest: 'writing' | 'slip' | null = null;
  for (const one of a.spelled)
    for (const other of b.spelled) {
      if (one.folded === other.folded) return null;
      if (strongest !== 'slip') strongest = likenessOf(one, other) ?? strongest;
    }
  return strongest;
}

/** `rn` is read for `m`. */
const MOST_LONGER = 2;

function isSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < LEAST_OF_WORD || !alphabetic.test(a + b)) return false;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  // From here on to the end of the word there are two more letters at least.
  if (at === 0 || at > long.length - 3) return false;
  if (long.length === short.length + 1) return long.slice(at + 1) === short.slice(at);
  return (
    a.length === b.length &&
    a[at] === b[at + 1] &&
    a[at + 1] === b[at] &&
    a.slice(at + 2) === b.slice(at + 2) &&
    at < a.length - 3
  );
}

/** Scripts whose letters are sounds: in others one sign is another word. */
const alphabetic = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u;

/** Letters by what they look like. */
const asRead = (letters: string): string => letters.replace(/rn|vv|./gu, read => looksLike[read] ?? read);

const looksLike: Record<string, string> = {
  rn: 'm',
  vv: 'w',
  i: 'l',
  v: 'u',
  q: 'g',
  // Cyrillic, in capitals too.
  ...lettersOf('авекмнорстухіѕј', 'abekmhopctyxlsj'),
  // Greek
  ...lettersOf('αβεηικμνορτυχ', 'abehlkmuoptyx'),
};

function lettersOf(letters: string, looks: string): Record<string, string> {
  return Object.fromEntries([...letters].map((letter, at) => [letter, looks[at] ?? letter]));
}
