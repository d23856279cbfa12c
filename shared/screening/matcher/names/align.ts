import { type NameWord, type PreparedName, restoreWord, type WordKind } from './prepare_name.ts';
import { type Likeness, likeness } from './spelling.ts';

/** Words of one name that correspond to words of the other: mostly one to one; two or three where they are joined or split. */
export type Link = {
  query: readonly number[];
  entry: readonly number[];
  similarity: number;
  reason: Likeness['reason'] | 'joined' | 'initial' | 'legal_form' | 'abbreviation' | 'cut_off';
};

export type Compare = (query: NameWord, entry: NameWord) => Likeness;

/** Below this two words are not the same word. */
const LEAST = 0.6;
const LEAST_JOINED = 0.8;
const LEAST_JOINED_WEAK = 0.87;
const SHORT_PART = 2;
/** Shorter words match a joined one only if written the same: `Lee` is not `Li Yi`. */
const SHORTEST_JOINED = 5;
const INITIAL = 0.85;
const CUT_OFF = 0.95;

/**
 * Finds the corresponding words of two names, each word used once: equal ones first, then the most similar. `compare` may cache, since the
 * words of a query are compared with those of many names.
 */
export function align(query: PreparedName, entry: PreparedName, compare: Compare = likeness): Link[] {
  const ours: Side = { words: query.words, taken: new Uint8Array(query.words.length) };
  const theirs: Side = { words: entry.words, taken: new Uint8Array(entry.words.length) };
  const links: Link[] = [];
  linkEqual(ours, theirs, links);
  const isEverythingTaken = links.length === query.words.length || links.length === entry.words.length;
  if (isEverythingTaken) return links;
  const possible: Link[] = [];
  linkSingle(query, entry, ours, theirs, compare, possible);
  linkJoined(ours, theirs, false, (query, entry, similarity) => possible.push(joined(query, entry, similarity)));
  linkJoined(theirs, ours, entry.is_person, (entry, query, similarity) =>
    possible.push(joined(query, entry, similarity)),
  );
  if (possible.length > 1) possible.sort((a, b) => rankOf(b) - rankOf(a));
  for (const link of possible) {
    if (isTaken(ours, link.query) || isTaken(theirs, link.entry)) continue;
    take(ours, link.query);
    take(theirs, link.entry);
    links.push(link);
  }
  return links;
}

/** The words of a name, and which of them are linked. */
type Side = { words: readonly NameWord[]; taken: Uint8Array };

const isTaken = ({ taken }: Side, places: readonly number[]) => places.some(place => taken[place] === 1);

function take({ taken }: Side, places: readonly number[]): void {
  for (const place of places) taken[place] = 1;
}

// Joined words count for as many.
const rankOf = ({ query, entry, similarity, reason }: Link) =>
  similarity + (reason === 'initial' ? -0.3 : 0) + 0.02 * (query.length + entry.length - 2);

const joined = (query: readonly number[], entry: readonly number[], similarity: number): Link => ({
  query,
  entry,
  similarity: Math.min(similarity, 0.99),
  reason: 'joined',
});

function linkEqual(ours: Side, theirs: Side, links: Link[]): void {
  for (let at = 0; at < ours.words.length; at += 1) {
    for (let place = 0; place < theirs.words.length; place += 1) {
      const [word, other] = [ours.words[at], theirs.words[place]];
      if (!word || !other || theirs.taken[place] === 1 || !isSameWord(word, other)) continue;
      ours.taken[at] = 1;
      theirs.taken[place] = 1;
      const reason = word.written === other.written ? 'equal' : word.kind === 'legal' ? 'legal_form' : 'abbreviation';
      links.push({ query: [at], entry: [place], similarity: 1, reason });
      break;
    }
  }
}

/** Legal forms are equal by group, numbers by value. */
const isSameWord = (a: NameWord, b: NameWord) =>
  a.kind === 'legal' || b.kind === 'legal' || a.kind === 'number'
    ? a.kind === b.kind && a.canonical === b.canonical
    : a.text === b.text;

const isFixed: Record<WordKind, boolean> = {
  word: false,
  generic: false,
  particle: false,
  title: false,
  number: true,
  initial: true,
  legal: true,
};

function linkSingle(
  query: PreparedName,
  entry: PreparedName,
  ours: Side,
  theirs: Side,
  compare: Compare,
  possible: Link[],
): void {
  for (let at = 0; at < ours.words.length; at += 1) {
    const word = ours.words[at];
    if (!word || ours.taken[at] === 1) continue;
    const mayBeCut = query.cut_at !== null && at === ours.words.length - 1;
    for (let place = 0; place < theirs.words.length; place += 1) {
      const other = theirs.words[place];
      if (!other || theirs.taken[place] === 1) continue;
      const link = (similarity: number, reason: Link['reason']) =>
        possible.push({ query: [at], entry: [place], similarity, reason });
      if (
        mayBeCut &&
        other.kind !== 'initial' &&
        other.text.length > word.text.length &&
        other.text.startsWith(word.text)
      )
        link(CUT_OFF, 'cut_off');
      else if (word.kind === 'initial' || other.kind === 'initial') {
        if (entry.is_person && isInitialOf(word, other)) link(INITIAL, 'initial');
      } else if (!isFixed[word.kind] && !isFixed[other.kind]) {
        const { similarity, reason } = compare(word, other);
        if (similarity >= LEAST) link(similarity, reason);
      }
    }
  }
}

const isInitialOf = (a: NameWord, b: NameWord) =>
  (a.text.length === 1) !== (b.text.length === 1) &&
  a.kind !== 'legal' &&
  b.kind !== 'legal' &&
  a.kind !== 'number' &&
  b.kind !== 'number' &&
  (a.text[0] === b.text[0] || a.canonical[0] === b.canonical[0]);

/**
 * Calls `onPair` with two or three neighbors in one name that the other writes as one word. `mayTurn`: the first of them may come last,
 * since lists put surnames first.
 */
function linkJoined(
  parts: Side,
  wholes: Side,
  mayTurn: boolean,
  onPair: (parts: number[], whole: number[], similarity: number) => void,
): void {
  const shareMore = parts.taken.includes(1);
  for (let first = 0; first + 1 < parts.words.length; first += 1) {
    const beginning = parts.words[first];
    if (!beginning || parts.taken[first] === 1) continue;
    const second = first === 0 && mayTurn ? parts.words[1] : undefined;
    let length = beginning.written.length;
    for (let count = 2; count <= 3; count += 1) {
      const next = parts.words[first + count - 1];
      if (!next || parts.taken[first + count - 1] === 1) break;
      length += next.written.length;
      for (let place = 0; place < wholes.words.length; place += 1) {
        const whole = wholes.words[place];
        if (!whole || wholes.taken[place] === 1 || Math.abs(whole.written.length - length) > 3) continue;
        const similarity = Math.max(
          beginsAlike(whole, beginning) ? likeness(join(parts.words.slice(first, first + count)), whole).similarity : 0,
          second && beginsAlike(whole, second)
            ? likeness(join([...parts.words.slice(1, count), beginning]), whole).similarity
            : 0,
        );
        if (similarity >= leastJoined(parts.words.slice(first, first + count), whole, shareMore))
          onPair(
            Array.from({ length: count }, (_, offset) => first + offset),
            [place],
            similarity,
          );
      }
    }
  }
}

/**
 * How alike joined words have to be. Where the names share no other word, an initial is only joined to its neighbor where the letters are
 * the same, and a legal form or a short word where hardly one is different: `Marie` is not `MARIA E`.
 */
function leastJoined(parts: readonly NameWord[], { written }: NameWord, shareMore: boolean): number {
  if (written.length < SHORTEST_JOINED) return 1;
  if (shareMore) return LEAST_JOINED;
  if (parts.some(({ kind }) => kind === 'initial')) return 1;
  const isWeak = parts.some(({ kind, written: part }) => kind === 'legal' || part.length <= SHORT_PART);
  return isWeak ? LEAST_JOINED_WEAK : LEAST_JOINED;
}

/** A quick test: only words that begin with the same sound can be joined or split. */
const beginsAlike = (whole: NameWord, first: NameWord): boolean =>
  !isFixed[whole.kind] && (whole.canonical[0] === first.canonical[0] || whole.skeleton[0] === first.skeleton[0]);

function join(words: readonly NameWord[]): NameWord {
  const parts = words.map((word, at) => (at === 1 && words.length === 3 ? bound(word) : word.written));
  const text = parts.join('').replaceAll(' ', '');
  return restoreWord({ text, written: text, kind: 'word', script: words[0]?.script ?? 'latin' });
}

/** Between two words the article's l becomes the sound that follows: `Aziz al-Rahman` is written `Azizurrahman`. */
const bound = ({ kind, written }: NameWord) => (kind === 'particle' && /^[aeu]l$/.test(written) ? 'a' : written);
