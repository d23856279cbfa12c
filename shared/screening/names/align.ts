import { type NameWord, type PreparedName, restoreWord, type WordKind } from '#shared/screening/names/prepare_name.ts';
import { type Likeness, likeness } from '#shared/screening/names/spelling.ts';

/** Words of one name that stand for words of the other: mostly one for one, two or three where they are written together or apart. */
export type Link = {
  query: readonly number[];
  entry: readonly number[];
  similarity: number;
  reason: Likeness['reason'] | 'joined' | 'initial' | 'legal_form' | 'cut_off';
};

/** Below this two words are not the same word. */
const LEAST = 0.6;
const LEAST_JOINED = 0.8;

export type Compare = (query: NameWord, entry: NameWord) => Likeness;

/**
 * Finds the words of two names that stand for each other, each word used once: the most alike first. `compare` may remember, since the
 * words of a query are held against those of many names.
 */
export function align(query: PreparedName, entry: PreparedName, compare: Compare = likeness): Link[] {
  const links: Link[] = [];
  const freeQuery = query.words.map((_, index) => index);
  const freeEntry = entry.words.map((_, index) => index);
  takeEqual(query.words, entry.words, freeQuery, freeEntry, links);
  if (freeQuery.length === 0 || freeEntry.length === 0) return links;
  const possible = [
    ...singleLinks(query, entry, freeQuery, freeEntry, compare),
    ...joinedLinks(query.words, entry.words, freeQuery, freeEntry, false),
    ...joinedLinks(entry.words, query.words, freeEntry, freeQuery, true),
  ].toSorted((a, b) => rankOf(b) - rankOf(a));
  const isFree = (link: Link) =>
    link.query.every(index => freeQuery.includes(index)) && link.entry.every(index => freeEntry.includes(index));
  for (const link of possible) {
    if (!isFree(link)) continue;
    for (const index of link.query) freeQuery.splice(freeQuery.indexOf(index), 1);
    for (const index of link.entry) freeEntry.splice(freeEntry.indexOf(index), 1);
    links.push(link);
  }
  return links;
}

// Words that are written together count for as many.
const rankOf = ({ query, entry, similarity, reason }: Link) =>
  similarity + (reason === 'initial' ? -0.3 : 0) + 0.02 * (query.length + entry.length - 2);

function takeEqual(
  query: readonly NameWord[],
  entry: readonly NameWord[],
  freeQuery: number[],
  freeEntry: number[],
  links: Link[],
): void {
  for (let at = 0; at < freeQuery.length;) {
    const index = freeQuery[at] ?? 0;
    const word = query[index];
    const place = freeEntry.findIndex(other => {
      const candidate = entry[other];
      return candidate !== undefined && word !== undefined && isSameWord(word, candidate);
    });
    const found = freeEntry[place];
    if (place < 0 || found === undefined || !word) {
      at += 1;
      continue;
    }
    links.push({
      query: [index],
      entry: [found],
      similarity: 1,
      reason: word.kind === 'legal' && word.text !== entry[found]?.text ? 'legal_form' : 'equal',
    });
    freeQuery.splice(at, 1);
    freeEntry.splice(place, 1);
  }
}

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

function singleLinks(
  query: PreparedName,
  entry: PreparedName,
  freeQuery: readonly number[],
  freeEntry: readonly number[],
  compare: Compare,
): Link[] {
  const links: Link[] = [];
  for (const i of freeQuery) {
    const a = query.words[i];
    if (!a) continue;
    const isCut = query.cut_at !== null && i === query.words.length - 1;
    for (const j of freeEntry) {
      const b = entry.words[j];
      if (!b) continue;
      if (isCut && b.text.length > a.text.length && b.text.startsWith(a.text))
        links.push({ query: [i], entry: [j], similarity: 0.95, reason: 'cut_off' });
      else if (a.kind === 'initial' || b.kind === 'initial') {
        if (entry.is_person && isInitialOf(a, b))
          links.push({ query: [i], entry: [j], similarity: 0.85, reason: 'initial' });
      } else if (!isFixed[a.kind] && !isFixed[b.kind]) {
        const { similarity, reason } = compare(a, b);
        if (similarity >= LEAST) links.push({ query: [i], entry: [j], similarity, reason });
      }
    }
  }
  return links;
}

const isInitialOf = (a: NameWord, b: NameWord) =>
  (a.text.length === 1) !== (b.text.length === 1) &&
  a.kind !== 'legal' &&
  b.kind !== 'legal' &&
  a.kind !== 'number' &&
  b.kind !== 'number' &&
  (a.text[0] === b.text[0] || a.canonical[0] === b.canonical[0]);

/** Two or three neighbours among `parts` that one word among `wholes` writes together. */
function joinedLinks(
  parts: readonly NameWord[],
  wholes: readonly NameWord[],
  freeParts: readonly number[],
  freeWholes: readonly number[],
  swapped: boolean,
): Link[] {
  const links: Link[] = [];
  for (let at = 0; at + 1 < freeParts.length; at += 1) {
    for (let count = 2; count <= 3; count += 1) {
      const first = freeParts[at] ?? 0;
      if (freeParts[at + count - 1] !== first + count - 1) break;
      const run = parts.slice(first, first + count);
      for (const whole of freeWholes) {
        const other = wholes[whole];
        if (!other || isFixed[other.kind] || !mayBeWritten(other, run)) continue;
        const joined = join(run);
        const { similarity } = swapped ? likeness(other, joined) : likeness(joined, other);
        if (similarity < LEAST_JOINED) continue;
        const indexes = run.map((_, offset) => first + offset);
        const [query, entry] = swapped ? [[whole], indexes] : [indexes, [whole]];
        links.push({ query, entry, similarity: Math.min(similarity, 0.99), reason: 'joined' });
      }
    }
  }
  return links;
}

/** A quick look: about as long, and beginning with the same sound. */
function mayBeWritten(whole: NameWord, parts: readonly NameWord[]): boolean {
  const [first] = parts;
  if (whole.canonical[0] !== first?.canonical[0] && whole.skeleton[0] !== first?.skeleton[0]) return false;
  let length = 0;
  for (const part of parts) length += part.written.length;
  return Math.abs(whole.written.length - length) <= 3;
}

const join = (words: readonly NameWord[]): NameWord => {
  const text = words.map((word, at) => (at === 1 && words.length === 3 ? bound(word) : word.written)).join('');
  return restoreWord({
    text: text.replaceAll(' ', ''),
    written: text.replaceAll(' ', ''),
    kind: 'word',
    script: words[0]?.script ?? 'latin',
  });
};

/** Between two words the article's l becomes the sound that follows: `Aziz al-Rahman` is written `Azizurrahman`. */
const bound = ({ kind, written }: NameWord) => (kind === 'particle' && /^[aeu]l$/.test(written) ? 'a' : written);
