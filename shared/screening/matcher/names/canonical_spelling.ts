/**
 * One spelling for all usual romanizations of a folded word: `Yevgeniy`, `Evgeny` and `Jewgenij` become equal, as do `Muhammad` and
 * `Mohammed` except for their vowels. Letters of the result: a e i o u b d f g h j k l m n p r s t v z, and c (ts), C (ch), S (sh).
 */
export function canonicalSpelling(word: string): string {
  const remembered_spelling = remembered.get(word);
  if (remembered_spelling !== undefined) return remembered_spelling;
  let text =
    word.length >= SHORTEST_MISREAD && /[a-z]/.test(word) && /\d/.test(word)
      ? word.replace(/[0-9]/g, digit => asLetter[digit] ?? digit)
      : word;
  let letters = lettersOf(text);
  for (const { sign, needs, pattern, replacement } of ruled) {
    if ((letters & needs) !== needs || !text.includes(sign)) continue;
    text = text.replace(pattern, replacement);
    letters = lettersOf(text);
  }
  text = text.replace(doubled, '$1');
  if (text.includes('h')) text = text.replace(silent, '');
  text = text || word;
  if (word.length > LONGEST_REMEMBERED) return text;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(word, text);
  return text;
}

const MOST_REMEMBERED = 100_000;
const LONGEST_REMEMBERED = 32;
const remembered = new Map<string, string>();

/** Shorter mixtures of letters and digits (`A1`, `3M`) are intended. */
const SHORTEST_MISREAD = 4;

// Digits that scanners and forgers use for letters.
const asLetter: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 6: 'g', 7: 't', 8: 'b' };

// In this order. A rule is tried only on a word that contains its sign.
const rules: [sign: string, pattern: RegExp, replacement: string][] = [
  ['ch', /shch|schtsch|stsch|shtch/g, 'S'],
  ['c', /tsch|tzsch|tch|cz/g, 'C'],
  ['s', /sch|sh|sz/g, 'S'],
  ['ch', /ch/g, 'C'],
  ['d', /dzh|dj/g, 'j'],
  ['zh', /zh/g, 'j'],
  ['t', /ts|tz/g, 'c'],
  ['kh', /kh/g, 'h'],
  ['gh', /gh/g, 'g'],
  ['ph', /ph/g, 'f'],
  ['th', /th/g, 't'],
  ['dh', /dh/g, 'd'],
  ['q', /cq|qu|q/g, 'k'],
  ['ck', /ck/g, 'k'],
  ['c', /c(?![eiy]|$)/g, 'k'],
  ['x', /^x/g, 's'],
  ['x', /x/g, 'ks'],
  ['off', /off$/g, 'ov'],
  ['w', /w/g, 'v'],
  ['ou', /ou/g, 'u'],
  ['oo', /oo/g, 'u'],
  // `Shugayev` is `Shugaev`.
  ['ye', /(?<=[aeou])ye/g, 'e'],
  ['ee', /ee/g, 'i'],
  ['ea', /ea(?=[^aeiou])/g, 'i'],
  // `Qaeda` is `Qaida`.
  ['ae', /ae(?=[^aeiou])/g, 'ai'],
  ['ae', /ae/g, 'e'],
  ['oe', /oe/g, 'o'],
  ['eo', /eo(?=[^aeiouy]|$)/g, 'o'],
  ['y', /y/g, 'i'],
  ['j', /ij$|(?<=[^aeiou])ji$/g, 'i'],
  ['ie', /(?<=[^aeiou]|^)ie/g, 'e'],
  ['ii', /ii+/g, 'i'],
];
const ruled = rules.map(([sign, pattern, replacement]) => ({ sign, needs: lettersOf(sign), pattern, replacement }));
const doubled = /([a-zA-Z])\1+/g;
const silent = /(?<=[aeiou])h(?=[^aeiou]|$)/g;

/** The letters from a to z that a text has, as a set: a bit for each. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at) - 97;
    if (letter >= 0 && letter < 26) letters |= 1 << letter;
  }
  return letters;
}

/**
 * The consonants of a canonical spelling, with those merged that writing systems or ears confuse: what Arabic and Hebrew writing keep of a
 * name. Empty for a word of vowels only.
 */
export function skeletonOf(canonical: string): string {
  let text = '';
  let before = '';
  for (const letter of canonical) {
    const sound = sounds[letter] ?? '';
    if (sound !== before) text += sound;
    before = sound;
  }
  return text;
}

/** The letters of a skeleton as a set: a bit for each. */
export function consonantsOf(skeleton: string): number {
  let set = 0;
  for (const letter of skeleton) set |= 1 << SOUNDS.indexOf(letter);
  return set;
}

/** Every letter that a skeleton may have. */
export const SOUNDS = 'bdfjklmnrstxz';

// w and y are often vowels, and h is often omitted.
const sounds: Record<string, string> = {
  b: 'b',
  p: 'b',
  f: 'f',
  g: 'k',
  k: 'k',
  c: 's',
  s: 's',
  S: 'x',
  C: 'x',
  j: 'j',
  d: 'd',
  t: 't',
  z: 'z',
  l: 'l',
  m: 'm',
  n: 'n',
  r: 'r',
};
