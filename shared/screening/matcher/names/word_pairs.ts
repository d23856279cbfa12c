import { type NameWord, type PreparedName, restoreWord, type WordKind } from './prepare_name.ts';
import { type Likeness, likeness } from './spelling.ts';

/** The words of a name, which of them are linked, and its neighbors written together, by `first` and `count`. */
export type Side = { words: readonly NameWord[]; taken: Uint8Array; joined: NameWord[] };

export type Reason = Likeness['reason'] | 'joined' | 'initial' | 'legal_form' | 'abbreviation' | 'cut_off';

export type Compare = (query: NameWord, entry: NameWord) => Likeness;

/** The most that joined words are alike. */
const MOST_JOINED = 0.99;
/** Below this two words are not the same word. */
const LEAST = 0.6;
const LEAST_JOINED = 0.8;
/** Shorter words match a joined one only if written the same: `Lee` is not `Li Yi`. */
const SHORTEST_JOINED = 5;
const INITIAL = 0.85;
const CUT_OFF = 0.95;

export const sideOf = ({ words }: PreparedName): Side => ({ words, taken: new Uint8Array(words.length), joined: [] });

/** Takes the words that are equal, and calls `onPair` with the places of each pair. */
export function takeEqual(ours: Side, theirs: Side, onPair: (at: number, place: number) => void): void {
  for (let at = 0; at < ours.words.length; at += 1) {
    for (let place = 0; place < theirs.words.length; place += 1) {
      const [word, other] = [ours.words[at], theirs.words[place]];
      if (!word || !other || theirs.taken[place] === 1 || !isSameWord(word, other)) continue;
      ours.taken[at] = 1;
      theirs.taken[place] = 1;
      onPair(at, place);
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

/** Calls `onPair` with each two words, of those not taken, that may be the same. */
export function eachSimilar(
  { cut_at }: PreparedName,
  { is_person }: PreparedName,
  ours: Side,
  theirs: Side,
  compare: Compare,
  onPair: (at: number, place: number, similarity: number, reason: Reason) => void,
): void {
  for (let at = 0; at < ours.words.length; at += 1) {
    const word = ours.words[at];
    if (!word || ours.taken[at] === 1) continue;
    const mayBeCut = cut_at !== null && at === ours.words.length - 1;
    for (let place = 0; place < theirs.words.length; place += 1) {
      const other = theirs.words[place];
      if (!other || theirs.taken[place] === 1) continue;
      if (
        mayBeCut &&
        other.kind !== 'initial' &&
        other.text.length > word.text.length &&
        other.text.startsWith(word.text)
      )
        onPair(at, place, CUT_OFF, 'cut_off');
      else if (word.kind === 'initial' || other.kind === 'initial') {
        if (is_person && isInitialOf(word, other)) onPair(at, place, INITIAL, 'initial');
      } else if (!isFixed[word.kind] && !isFixed[other.kind]) {
        const { similarity, reason } = compare(word, other);
        if (similarity >= LEAST) onPair(at, place, similarity, reason);
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
 * Calls `onPair` with two or three neighbors in one name that the other may write as one word, by their first place and number: see
 * `joinedSimilarity`. `mayTurn`: the first of them may come last, since lists put surnames first.
 */
export function eachJoinable(
  parts: Side,
  wholes: Side,
  mayTurn: boolean,
  onPair: (first: number, count: number, place: number) => void,
): void {
  for (let first = 0; first + 1 < parts.words.length; first += 1) {
    const beginning = parts.words[first];
    if (!beginning || parts.taken[first] === 1) continue;
    const second = turnedSecond(parts, first, mayTurn);
    let length = beginning.written.length;
    for (let count = 2; count <= 3; count += 1) {
      const next = parts.words[first + count - 1];
      if (!next || parts.taken[first + count - 1] === 1) break;
      length += next.written.length;
      for (let place = 0; place < wholes.words.length; place += 1) {
        const whole = wholes.words[place];
        if (!whole || wholes.taken[place] === 1 || Math.abs(whole.written.length - length) > 3) continue;
        if (beginsAlike(whole, beginning) || (second && beginsAlike(whole, second))) onPair(first, count, place);
      }
    }
  }
}

/** How similar neighbors are to a word, when joined; 0 if they are not the same. */
export function joinedSimilarity(
  parts: Side,
  wholes: Side,
  mayTurn: boolean,
  first: number,
  count: number,
  place: number,
): number {
  const [beginning, whole] = [parts.words[first], wholes.words[place]];
  if (!beginning || !whole) return 0;
  const least = whole.written.length < SHORTEST_JOINED ? 1 : LEAST_JOINED;
  let most = 0;
  if (beginsAlike(whole, beginning)) {
    const joined = (parts.joined[first * 2 + count - 2] ??= join(parts.words.slice(first, first + count)));
    most = likeness(joined, whole, least).similarity;
  }
  const second = turnedSecond(parts, first, mayTurn);
  if (second && beginsAlike(whole, second))
    most = Math.max(most, likeness(join([...parts.words.slice(1, count), beginning]), whole, least).similarity);
  return most >= least ? Math.min(most, MOST_JOINED) : 0;
}

const turnedSecond = ({ words }: Side, first: number, mayTurn: boolean) =>
  first === 0 && mayTurn ? words[1] : undefined;

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
