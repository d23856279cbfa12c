import { SOUNDS } from './canonical_spelling.ts';
import type { NameWord } from './prepare_name.ts';

/** How alike two words are, 0 to 1, and by what: `equal` as written, `same_sound` by another romanization, `consonants` where one script leaves vowels out, `nickname` where one is short for the other. */
export type Likeness = { similarity: number; reason: 'equal' | 'same_sound' | 'spelling' | 'consonants' | 'nickname' };

/**
 * Compares two words by the edit distance of their canonical spellings (Damerau–Levenshtein, optimal string alignment), in which letters
 * that names commonly exchange cost little: vowels for vowels, k for q, h for nothing. Where one is of a script without vowels, their
 * consonants are compared. What is less alike than `least` may be called unlike.
 */
export function likeness(a: NameWord, b: NameWord, least = LEAST): Likeness {
  if (a.text === b.text) return { similarity: 1, reason: 'equal' };
  if (a.script === b.script && isSyllabic(a)) return unlike;
  if ((a.script === 'abjad') !== (b.script === 'abjad'))
    return { similarity: consonantLikeness(a, b), reason: 'consonants' };
  if (a.canonical === b.canonical) return { similarity: SAME_SOUND, reason: 'same_sound' };
  if (isShortFor(a, b) || isShortFor(b, a)) return { similarity: NICKNAME, reason: 'nickname' };
  const sound = SAME_SOUND * closeness(a.canonical, b.canonical, least / SAME_SOUND);
  if (sound > SURE) return { similarity: sound, reason: 'spelling' };
  const still = Math.max(sound, least) / SAME_SOUND;
  const letters = a.canonical === a.text && b.canonical === b.text ? 0 : SAME_SOUND * closeness(a.text, b.text, still);
  // `Labs` is expanded to laboratories, but may also be Labz.
  const written =
    a.text === a.written && b.text === b.written ? 0 : SAME_SOUND * closeness(a.written, b.written, still);
  return { similarity: Math.max(sound, letters, written), reason: 'spelling' };
}

/** The likeness of unrelated words. */
export const unlike: Likeness = { similarity: 0, reason: 'spelling' };

/** For syllabic signs a different sign is a different name, not a slip. */
const isSyllabic = ({ script }: NameWord) => script === 'han' || script === 'hangul';

/** A quick test of whether two words are worth comparing: they share a third of their consonants, or have almost none. */
export function mayBeAlike(a: NameWord, b: NameWord): boolean {
  if (a.formal.length > 0 || b.formal.length > 0) return true;
  const either = bits(a.consonants | b.consonants);
  if (either <= 3 || 3 * bits(a.consonants & b.consonants) >= either) return true;
  return beginAlike(a.text, b.text) || a.text !== a.written || b.text !== b.written;
}

const beginAlike = (a: string, b: string): boolean =>
  a.charCodeAt(0) === b.charCodeAt(0) && a.charCodeAt(1) === b.charCodeAt(1) && a.charCodeAt(2) === b.charCodeAt(2);

const sizes = Uint8Array.from({ length: 1 << SOUNDS.length }, (_, set) => {
  let size = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) size += 1;
  return size;
});
const bits = (set: number): number => sizes[set] ?? 0;

/** Words less alike than this are not alike at all. */
const LEAST = 0.6;
const SAME_SOUND = 0.98;
/** Above this, letters add nothing to the sound. */
const SURE = 0.9;
const SAME_CONSONANTS = 0.94;
const VOWELS_ALONE = 0.85;
const NICKNAME = 0.88;
/** How much the spelling of a formal name may differ. */
const SAME_FORMAL = 0.85;

const isShortFor = (short: NameWord, full: NameWord) =>
  short.formal.some(
    formal => formal === full.canonical || closeness(formal, full.canonical, SAME_FORMAL) >= SAME_FORMAL,
  );

/** Few consonants prove little: `Ali` and `Alaa` have one. */
function consonantLikeness(a: NameWord, b: NameWord): number {
  const [abjad, other] = a.script === 'abjad' ? [a, b] : [b, a];
  const [left, right] = [abjad.skeleton, other.skeleton];
  // Vowels alone: `Yahya`.
  if (left === '' && right === '') return VOWELS_ALONE * vowelAgreement(abjad.canonical, other.canonical);
  if (left === '' || right === '') return 0;
  if (left === right) {
    // Written vowels must not contradict: long vowels are in both.
    const vowels = vowelAgreement(abjad.canonical, other.canonical);
    const base = left.length >= 3 ? SAME_CONSONANTS : left.length === 2 ? 0.9 : 0.84;
    return base * (0.85 + 0.15 * vowels);
  }
  const longest = Math.max(left.length, right.length);
  const edits = distance(asArabic(left), asArabic(right), longest);
  return longest < 3 && edits > MOST_OF_SHORT ? 0 : 0.9 * Math.max(0, 1 - edits / longest);
}

// One of two consonants may be a variant of the script or dialect: `Ishak` is not read `Iskhak`, `Zia` is `Diya`.
const MOST_OF_SHORT = 0.4;
const asArabic = (skeleton: string) => skeleton.replaceAll('x', 'S').replaceAll('d', 'D');

/** How well the long vowels of an abjad word fit the other word: 1 if they are a subsequence of it. */
function vowelAgreement(abjad: string, other: string): number {
  let at = 0;
  let common = 0;
  for (const letter of abjad) {
    const place = findLetter(other, letter, at);
    if (place < 0) continue;
    common += 1;
    at = place + 1;
  }
  return abjad.length === 0 ? 1 : common / abjad.length;
}

function findLetter(text: string, letter: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const other = text[at] ?? '';
    if (other === letter || (classOf(other) === classOf(letter) && classOf(letter) !== '')) return at;
  }
  return -1;
}

const classOf = (letter: string) =>
  'aeh'.includes(letter) ? 'a' : 'iyj'.includes(letter) ? 'i' : 'uowv'.includes(letter) ? 'u' : '';

/** 1 for equal texts, less by the cost of the edits relative to length; short words are stricter. 0 if below `least`. */
function closeness(a: string, b: string, least: number): number {
  const longest = Math.max(a.length, b.length);
  const shortest = Math.min(a.length, b.length);
  if (shortest === 0 || longest > shortest * 2 + 2) return 0;
  const strict = longest <= 3 ? 1.5 : longest === 4 ? 1.25 : longest === 5 ? 1.1 : 1;
  const most = ((1 - least) * longest) / strict + ROUNDING;
  const edits = distance(a, b, most);
  return edits > most ? 0 : 1 - (edits * strict) / longest;
}

/** For what limits lose in their rounding. */
const ROUNDING = 1e-9;

const WIDTH = 128;
const substitution = costs();
const removal = removals();
const LONGEST = 64;
const ROW = LONGEST + 1;
/** The letters of the two texts that differ, and the costs of turning each beginning of one into each of the other, row by row. */
const ours = new Uint16Array(LONGEST);
const theirs = new Uint16Array(LONGEST);
const table = new Float64Array(ROW * ROW);

/**
 * Weighted edits between two texts; gives up, with an answer above it, once more than `most` are sure. What they begin and end with alike
 * is passed over; longer texts than 64 letters are cut.
 */
function distance(first: string, second: string, most: number): number {
  let from = 0;
  let endA = Math.min(first.length, LONGEST);
  let endB = Math.min(second.length, LONGEST);
  while (from < endA && from < endB && first.charCodeAt(from) === second.charCodeAt(from)) from += 1;
  while (endA > from && endB > from && first.charCodeAt(endA - 1) === second.charCodeAt(endB - 1)) {
    endA -= 1;
    endB -= 1;
  }
  const height = endA - from;
  const width = endB - from;
  if (Math.abs(height - width) * LEAST_REMOVAL > most) return Infinity;
  for (let i = 0; i < height; i += 1) ours[i] = first.charCodeAt(from + i);
  for (let j = 0; j < width; j += 1) theirs[j] = second.charCodeAt(from + j);
  table[0] = 0;
  for (let j = 1; j <= width; j += 1) table[j] = (table[j - 1] ?? 0) + (removal[theirs[j - 1] ?? 0] ?? 1);
  let least_before = 0;
  let x_before = 0;
  for (let i = 1; i <= height; i += 1) {
    const x = ours[i - 1] ?? 0;
    const removal_cost = removal[x] ?? 1;
    const row = i * ROW;
    let added_from = (table[row - ROW] ?? 0) + removal_cost;
    let least = added_from;
    let y_before = 0;
    table[row] = added_from;
    for (let j = 1; j <= width; j += 1) {
      const y = theirs[j - 1] ?? 0;
      const above = row - ROW + j;
      let cost = (table[above - 1] ?? 0) + (x === y ? 0 : (substitution[x * WIDTH + y] ?? 1));
      const removed = (table[above] ?? 0) + removal_cost;
      if (removed < cost) cost = removed;
      const added = added_from + (removal[y] ?? 1);
      if (added < cost) cost = added;
      if (x === y_before && y === x_before && x !== y) {
        const swapped = (table[above - ROW - 2] ?? 0) + SWAP;
        if (swapped < cost) cost = swapped;
      }
      table[row + j] = cost;
      if (cost < least) least = cost;
      added_from = cost;
      y_before = y;
    }
    // Swapped letters are counted from the row before.
    if (least > most && least_before + SWAP > most) return least;
    least_before = least;
    x_before = x;
  }
  return table[height * ROW + width] ?? 0;
}

const SWAP = 0.7;
const LEAST_REMOVAL = 0.4;

// Letters that names exchange: through romanization, hearing, worn print. Other pairs cost 1.
function costs(): Float64Array {
  const table = new Float64Array(WIDTH * WIDTH).fill(1);
  const set = (pairs: string, cost: number) => {
    for (const [a = '', b = ''] of pairs.split(' ')) {
      table[a.charCodeAt(0) * WIDTH + b.charCodeAt(0)] = cost;
      table[b.charCodeAt(0) * WIDTH + a.charCodeAt(0)] = cost;
    }
  };
  set('ae ai ao au ei eo eu io iu ou ay ey oy uy', 0.55);
  set('ei ou ae ao', 0.4);
  set('iy ij yj vw uw uv', 0.25);
  set('kq kc cs CS sS zs gk hg hk cC kC jC jz jg jS td bp fv mn cz jd Sz Cs cS td gj zd yi', 0.55);
  set('kq kc cs cC kC hk gh zs jz sS iy ij vw', 0.35);
  // Consonants of a skeleton, in capitals.
  set('Ss Dz', 0.35);
  set('0o 1i 1l 5s 8b 6g 7t 3e 4a', 0.15);
  return table;
}

function removals(): Float64Array {
  const table = new Float64Array(WIDTH).fill(1);
  for (const letter of 'aeiou') table[letter.charCodeAt(0)] = 0.6;
  table['h'.charCodeAt(0)] = 0.4;
  table['y'.charCodeAt(0)] = 0.5;
  table['i'.charCodeAt(0)] = 0.45;
  table['j'.charCodeAt(0)] = 0.7;
  return table;
}
