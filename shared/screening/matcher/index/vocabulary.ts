import { hashOf, type HashTable, packHashTable } from './hash_table.ts';
import { textAt, type TextTable } from './text_table.ts';
import type { Script } from '#shared/screening/matcher/names/fold_name.ts';
import { type NameWord, restoreWord, type WordKind } from '#shared/screening/matcher/names/prepare_name.ts';

/** The stored parts of a word; the others are derived. */
export const keptOf = ({ kind, script, text, written }: NameWord): string =>
  [kind, script, text, written === text ? '' : written].join('\t');

export function wordAt(words: TextTable, id: number): NameWord {
  const [kind = 'word', script = 'latin', text = '', written] = textAt(words, id).split('\t');
  return restoreWord({ kind: kind as WordKind, script: script as Script, text, written: written || text });
}

/** Builds the table that finds words by their spelling. A word's number is its index in `words`. */
export function packSpellings(words: readonly NameWord[]): HashTable {
  const hashes: number[] = [];
  const ids: number[] = [];
  words.forEach((word, id) => {
    for (const hash of new Set(spellingsOf(word, 'to store'))) {
      hashes.push(hash);
      ids.push(id);
    }
  });
  return packHashTable(hashes, ids);
}

/** Words shorter than this are not searched for with a letter missing. */
const SHORTEST_ERRONEOUS = 4;
const LONGEST_ERRONEOUS = 20;
/** With vowels to compare, fewer consonants find too much. */
const SHORTEST_SKELETON = 2;
const SHORTEST_FOUND = 3;

/**
 * The hashes under which a word stands, and under which words like it are looked for: as written; by its sound; by that without any one
 * letter, so that one error on either side is found (symmetric deletion, as in SymSpell); by its consonants.
 */
export function spellingsOf(word: NameWord, use: 'to store' | 'to find'): number[] {
  const { text, written, canonical, skeleton, kind, script } = word;
  const hashes = [exactSpelling(word)];
  if (isFixed(word)) return hashes;
  hashes.push(hashOf('c', canonical));
  if (use === 'to find') for (const formal of word.formal) hashes.push(hashOf('c', formal));
  if (written !== text) hashes.push(hashOf('t', written));
  if (kind === 'particle' || kind === 'title') return hashes;
  if (skeleton.length >= (use === 'to store' || script === 'abjad' ? SHORTEST_SKELETON : SHORTEST_FOUND))
    hashes.push(hashOf('s', skeleton));
  if (canonical.length < SHORTEST_ERRONEOUS || canonical.length > LONGEST_ERRONEOUS) return hashes;
  for (let at = 0; at < canonical.length; at += 1)
    hashes.push(hashOf('c', canonical.slice(0, at) + canonical.slice(at + 1)));
  return hashes;
}

/** The hash of a word as it is written; of a number by its value, of a legal form by its group. */
export const exactSpelling = (word: NameWord): number =>
  hashOf('t', isFixed(word) ? `${word.kind} ${word.canonical}` : word.text);

const isFixed = ({ kind }: NameWord) => kind === 'legal' || kind === 'initial' || kind === 'number';
