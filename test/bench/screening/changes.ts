/** A number from 0 to below 1 that the same seed gives again (mulberry32). */
export function seeded(text: string): () => number {
  let state = 0x9e3779b9;
  for (const letter of text) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x85ebca6b);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Change = (name: string, random: () => number, isPerson: boolean) => string;

/**
 * How people, scanners, banks and forgers change a name that stays the same. A change that does not suit a name gives it back as it is.
 * Random ones draw from `random` alone.
 */
export const changes: Record<string, Change> = {
  exact: name => name,
  case: name => name.toLowerCase(),
  reordered: (name, _, isPerson) => (isPerson ? givenFirst(name) : name.split(' ').toReversed().join(' ')),
  typo: (name, random) => typo(name, random),
  typo2: (name, random) => typo(typo(name, random), random),
  ocr: name => name.replace(/o/i, '0').replace(/i/i, '1'),
  diacritics: name => name.replace(/a/g, 'á').replace(/o/g, 'ö').replace(/e/g, 'é'),
  letter_of_another_script: name => name.replace(/[aeo]/, letter => ({ a: 'а', e: 'е', o: 'о' })[letter] ?? letter),
  joined: (name, random) => {
    const spaces = [...name.matchAll(/ /g)].map(({ index }) => index);
    const at = spaces[Math.floor(random() * spaces.length)];
    return at === undefined ? name : name.slice(0, at) + name.slice(at + 1);
  },
  all_joined: (name, _, isPerson) => (isPerson ? givenFirst(name).split(' ').slice(0, 3).map(capital).join('') : name),
  split: (name, random) => {
    const word = name.split(' ').toSorted((a, b) => b.length - a.length)[0] ?? '';
    const at = 2 + Math.floor(random() * (word.length - 4));
    return word.length < 6 ? name : name.replace(word, `${word.slice(0, at)} ${word.slice(at)}`);
  },
  punctuation: name => name.replaceAll(' ', '.'),
  spaced: name =>
    name
      .split(' ')
      .map(word => [...word].join(' '))
      .join('   '),
  cut_at_35: name => (name.length > 36 ? name.slice(0, 35) : name),
  cut_short: (name, random) => {
    const length = 20 + Math.floor(random() * 14);
    return name.length > length + 2 && length > name.length * 0.6 ? name.slice(0, length) : name;
  },
  a_word_left_out: (name, random, isPerson) => {
    const words = (isPerson ? givenFirst(name) : name).split(' ');
    if (words.length < (isPerson ? 3 : 4)) return name;
    words.splice(isPerson ? 1 : Math.floor(random() * words.length), 1);
    return words.join(' ');
  },
  initial: (name, _, isPerson) => {
    const words = givenFirst(name).split(' ');
    return isPerson && words.length > 2 ? words.map((word, at) => (at === 1 ? `${word[0]}.` : word)).join(' ') : name;
  },
  title: (name, random, isPerson) =>
    isPerson ? `${['Mr', 'Dr.', 'Sheikh', 'General'][Math.floor(random() * 4)]} ${givenFirst(name)}` : name,
  words_after_a_comma: (name, random, isPerson) =>
    isPerson ? name : `${name}, ${['Moscow', 'Dubai', 'Tehran', 'Panama'][Math.floor(random() * 4)]}`,
  another_romanization: name => respelled(name),
};

/** `PUTIN, Vladimir` as people write it. */
const givenFirst = (name: string) => name.replace(/^([^,]+), (.+)$/, '$2 $1');

const capital = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`;

/** One letter of a longer word left out, doubled, mistaken or swapped with its neighbor. */
function typo(name: string, random: () => number): string {
  const places = [...name.matchAll(/(?<=\p{L}{2})\p{L}(?=\p{L}{2})/gu)].map(({ index }) => index);
  const at = places[Math.floor(random() * places.length)];
  if (at === undefined) return name;
  const [before, letter, after] = [name.slice(0, at), name[at] ?? '', name.slice(at + 1)];
  const kind = Math.floor(random() * 4);
  if (kind === 0) return before + after;
  if (kind === 1) return before + letter + letter + after;
  if (kind === 2) return before + (random() < 0.5 ? 'e' : 'r') + after;
  return before + (after[0] ?? '') + letter + after.slice(1);
}

const respellings: [from: RegExp, to: string][] = [
  [/kh/gi, 'h'],
  [/ou/gi, 'u'],
  [/iy\b/gi, 'y'],
  [/yev/gi, 'ev'],
  [/mm/gi, 'm'],
  [/q/gi, 'k'],
  [/w/gi, 'v'],
];
const respelled = (name: string) => respellings.reduce((text, [from, to]) => text.replace(from, to), name);
