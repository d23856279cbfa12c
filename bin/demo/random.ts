/** Chance that can be repeated: the same seed gives the same numbers. */
export type Random = {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** One of the items, each as likely as its weight says. */
  weighted<T extends { weight: number }>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** Standard normal. */
  normal(): number;
  /** Log-normal: half of the values are below `median`; `sigma` is the deviation of their logarithm, cut off at `most` deviations. */
  logNormal(median: number, sigma: number, most?: number): number;
  exponential(mean: number): number;
  hex(digits: number): string;
  digits(count: number): string;
  /** The 26 characters of a ULID made at `time` (milliseconds since 1970). */
  ulid(time: number): string;
  /** Another source for the thing of this name, so that what is drawn for one changes nothing for the others. */
  fork(name: string): Random;
};

export function createRandom(seed: string | number): Random {
  const next = sfc32(seedsOf(String(seed)));
  const random: Random = {
    next,
    int: (least, most) => least + Math.floor(next() * (most - least + 1)),
    between: (least, most) => least + next() * (most - least),
    chance: probability => next() < probability,
    pick: items => itemAt(items, Math.floor(next() * items.length)),
    weighted(items) {
      let remaining = next() * items.reduce((sum, { weight }) => sum + weight, 0);
      return items.find(({ weight }) => (remaining -= weight) < 0) ?? itemAt(items, items.length - 1);
    },
    shuffled: items =>
      items
        .map(item => ({ item, key: next() }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ item }) => item),
    // Box and Muller; 1 − u is never 0.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    logNormal(median, sigma, most = Infinity) {
      const deviations = random.normal();
      return median * Math.exp(sigma * Math.min(most, Math.max(-most, deviations)));
    },
    exponential: mean => -mean * Math.log(1 - next()),
    hex: digits => text(digits, '0123456789abcdef', next),
    digits: count => text(count, '0123456789', next),
    ulid: time => crockfordTime(time) + text(16, crockford, next),
    fork: name => createRandom(`${seed}/${name}`),
  };
  return random;
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function crockfordTime(time: number): string {
  let rest = time;
  let characters = '';
  for (let place = 0; place < 10; place += 1) {
    characters = crockford.charAt(rest % 32) + characters;
    rest = Math.floor(rest / 32);
  }
  return characters;
}

const text = (length: number, alphabet: string, next: () => number) =>
  Array.from({ length }, () => alphabet.charAt(Math.floor(next() * alphabet.length))).join('');

function itemAt<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}

/** Four 32-bit numbers of a text: FNV-1a from four starting points, each mixed as in MurmurHash3. */
function seedsOf(name: string): [number, number, number, number] {
  const seed = (start: number) => {
    let hash = start;
    for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  };
  return [seed(0x811c9dc5), seed(0x9e3779b9), seed(0x243f6a88), seed(0xb7e15162)];
}

/** Chris Doty-Humphrey's sfc32 (PractRand): small, fast, and more than good enough for a made-up world. */
function sfc32([first, second, third, fourth]: [number, number, number, number]): () => number {
  let [a, b, c, counter] = [first, second, third, fourth];
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 15; round += 1) next();
  return next;
}
