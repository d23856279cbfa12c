/**
 * A folded word as all its usual romanisations would spell it: `Yevgeniy`, `Evgeny` and `Jewgenij` come out alike, and so do `Muhammad` and
 * `Mohammed` but for their vowels. Letters of the answer: a e i o u b d f g h j k l m n p r s t v z, and c (ts), C (ch), S (sh).
 */
export function canonicalSpelling(word: string): string {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  let text =
    word.length >= SHORTEST_MISREAD && /[a-z]/.test(word) && /\d/.test(word)
      ? word.replace(/[0-9]/g, digit => asLetter[digit] ?? digit)
      : word;
  for (const [pattern, replacement] of rules) text = text.replace(pattern, replacement);
  text = text || word;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(word, text);
  return text;
}

const MOST_REMEMBERED = 100_000;
const remembered = new Map<string, string>();

/** Shorter mixtures of letters and digits (`A1`, `3M`) are meant. */
const SHORTEST_MISREAD = 4;

// Digits that scanners and forgers put for letters.
const asLetter: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 6: 'g', 7: 't', 8: 'b' };

const rules: [RegExp, string][] = [
  [/shch|schtsch|stsch|shtch/g, 'S'],
  [/tsch|tzsch|tch|cz/g, 'C'],
  [/sch|sh|sz/g, 'S'],
  [/ch/g, 'C'],
  [/dzh|dj/g, 'j'],
  [/zh/g, 'j'],
  [/ts|tz/g, 'c'],
  [/kh/g, 'h'],
  [/gh/g, 'g'],
  [/ph/g, 'f'],
  [/th/g, 't'],
  [/dh/g, 'd'],
  [/ck|cq|qu|q/g, 'k'],
  [/c(?=[eiy])/g, 'c'],
  [/c(?![eiy]|$)/g, 'k'],
  [/^x/g, 's'],
  [/x/g, 'ks'],
  [/off$/g, 'ov'],
  [/w/g, 'v'],
  [/ou|oo/g, 'u'],
  [/ee|ea(?=[^aeiou])/g, 'i'],
  [/ae/g, 'e'],
  [/oe|eo(?=[^aeiouy]|$)/g, 'o'],
  [/y/g, 'i'],
  [/ij$|ji$/g, 'i'],
  [/j(?=[aeou])/g, 'j'],
  [/(?<=[^aeiou]|^)ie/g, 'e'],
  [/ii+/g, 'i'],
  [/([a-zA-Z])\1+/g, '$1'],
  [/(?<=[aeiou])h(?=[^aeiou]|$)/g, ''],
];

/**
 * The consonants of a canonical spelling, those that writing systems or ears confuse put together: what Arabic and Hebrew writing keep of a
 * name. Empty where a word has vowels alone.
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
  for (let at = 0; at < skeleton.length; at += 1) set |= 1 << (skeleton.charCodeAt(at) - 97);
  return set;
}

// w and y are vowels as often as not, and h is often not written.
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
