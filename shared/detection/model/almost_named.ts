import { fold } from '#shared/values/fold.ts';
import { isLegalForm } from './alike_names.ts';

/** A name as it is compared: folded, its words but for legal forms, and its digits. */
export type Spelled = { folded: string; words: string[]; digits: string };

/** A payee by its key, with its names, the present one first; `country` as it was said. */
export type NamedPayee = { key: string; country: string | null; name: string | null; spelled: readonly Spelled[] };

/** Of so many payees that an agent paid last the names are compared with that of a new one. */
const MOST_COMPARED = 50;

/** The payees of the latest of these payments, those of the latest first. */
export function latestPaid(payments: readonly { payee_id: string }[]): Set<string> {
  const ids = new Set<string>();
  for (let at = payments.length - 1; at >= 0 && ids.size < MOST_COMPARED; at -= 1)
    ids.add(payments[at]?.payee_id ?? '');
  return ids;
}

/** Shorter names and words are near many others; of more words the first are compared. */
const [LEAST_LETTERS, LEAST_OF_WORD, MOST_WORDS, LONGEST] = [7, 5, 6, 100];

export function spell(name: string): Spelled {
  const folded = fold(name.slice(0, LONGEST));
  const words = folded.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '' && !isLegalForm(word));
  return { folded, words: words.slice(0, MOST_WORDS), digits: folded.replace(/\P{N}/gu, '') };
}

/**
 * How one name may be read for another: they differ in `writing` alone, that is in spaces, signs and legal forms; or by a `slip` in one longer word:
 * a letter put in, left out or swapped with its neighbor, or letters that look like others (Unicode UTS #39). `Cobaltbrook Thrift`:
 * `Cobalt-Brook Thrift Ltd`, `Coobaltbrook Thrift`. Null for names that are the same or told apart: what differs at the end of a word is
 * grammar, and one vowel for another another place.
 */
function likenessOf(a: Spelled, b: Spelled): 'writing' | 'slip' | null {
  if (a.folded === b.folded || a.digits !== b.digits) return null;
  const [ours, theirs] = [a.words.join(''), b.words.join('')];
  if (ours.length < LEAST_LETTERS || Math.abs(ours.length - theirs.length) > MOST_LONGER) return null;
  if (ours === theirs) return 'writing';
  if (a.words.length !== b.words.length) return null;
  const unlike = a.words.flatMap((word, at) => (word === b.words[at] ? [] : [[word, b.words[at] ?? ''] as const]));
  const [[one, other] = ['', '']] = unlike;
  return unlike.length === 1 && isSlip(one, other) ? 'slip' : null;
}

/** The same for two payees by all their names; null where they share one. */
export function likenessOfPayees(a: NamedPayee, b: NamedPayee): 'writing' | 'slip' | null {
  const pairs = a.spelled.flatMap(one => b.spelled.map(other => [one, other] as const));
  if (pairs.some(([one, other]) => one.folded === other.folded)) return null;
  const likenesses = new Set(pairs.map(([one, other]) => likenessOf(one, other)));
  return likenesses.has('slip') ? 'slip' : likenesses.has('writing') ? 'writing' : null;
}

/** `rn` is read for `m`. */
const MOST_LONGER = 2;

function isSlip(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < LEAST_OF_WORD || !alphabetic.test(a + b)) return false;
  if (asRead(a) === asRead(b)) return true;
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

/** A word by what its letters look like. */
const asRead = (word: string): string =>
  word.replace(/rn|vv|[ilvqаеорсухіѕј]/g, letters => looksLike[letters] ?? letters);

const looksLike: Record<string, string> = {
  rn: 'm',
  vv: 'w',
  i: 'l',
  v: 'u',
  q: 'g',
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'l',
  ѕ: 's',
  ј: 'j',
};
