import type { ListEntry } from './entry.ts';
import { hashOf, type HashTable, packHashTable } from '#shared/screening/matcher/index/hash_table.ts';
import { jointsOf, turnedJointsOf, unsearchedWhole } from '#shared/screening/matcher/index/joints.ts';
import { packPostings, type Postings } from '#shared/screening/matcher/index/postings.ts';
import { packBytes, packNumbers, packTexts, type TextTable } from '#shared/screening/matcher/index/text_table.ts';
import { keptOf, packSpellings } from '#shared/screening/matcher/index/vocabulary.ts';
import { formsToStore } from '#shared/screening/matcher/keys/key_forms.ts';
import { type NameWord, prepareName } from '#shared/screening/matcher/names/prepare_name.ts';
import { weightOf } from '#shared/screening/matcher/names/weights.ts';

/** A list ready for searching: only shared memory and plain values, so that threads get it without a copy. */
export type ListIndex = {
  entry_count: number;
  name_count: number;
  /** The JSON of each entry. */
  entries: TextTable;
  entry_persons: Uint8Array;
  /** The entry of each name, and which of its names it is: 0 the primary one, n the n-th alias. */
  name_entries: Uint32Array;
  name_positions: Uint32Array;
  /** Whether each name has an initial; whether it is a weak alias. */
  name_initials: Uint8Array;
  name_weak: Uint8Array;
  /** The words of each name, in order, and the names of each word. */
  name_words: Postings;
  word_names: Postings;
  words: TextTable;
  /** The words in the order of their text, so that words with the same beginning are neighbors. */
  words_in_order: Uint32Array;
  /** How many names hold a word's text. */
  word_frequencies: Uint32Array;
  /** The total weight of each name's words, in thousandths. */
  name_weights: Uint32Array;
  /** Words by their text, their sound, their sound without one letter, and their consonants. */
  words_by_spelling: HashTable;
  /** Names by the sound of two or three neighboring words written together. */
  names_by_joint: HashTable;
  /** Entries by the forms of their identifiers. */
  entries_by_key: HashTable;
};

type IndexBuilder = { add(entry: ListEntry, text: string): void; finish(): ListIndex };

/**
 * An index that is built entry by entry, so that the whole list need not be in memory. `text` is the entry as JSON. A large list takes a
 * second of CPU or more: see `buildListIndex`.
 */
export function createIndexBuilder(): IndexBuilder {
  const vocabulary = createVocabulary();
  const texts: string[] = [];
  const persons: number[] = [];
  const keys = { hashes: [] as number[], entries: [] as number[] };
  const names = {
    entries: [] as number[],
    positions: [] as number[],
    initials: [] as number[],
    weak: [] as number[],
    words: [] as number[][],
  };
  const joints = { hashes: [] as number[], names: [] as number[] };

  function addName(name: string, { type, aliases }: ListEntry, position: number): void {
    const { words } = prepareName(name, type);
    if (words.length === 0) return;
    for (const joint of new Set(jointsOf(words).map(({ sound }) => sound))) {
      joints.hashes.push(hashOf('j', joint));
      joints.names.push(names.entries.length);
    }
    if (type === 'person')
      for (const joint of turnedJointsOf(words)) {
        joints.hashes.push(hashOf('j', joint));
        joints.names.push(names.entries.length);
      }
    const whole = unsearchedWhole(words);
    if (whole !== null) {
      joints.hashes.push(hashOf('w', whole));
      joints.names.push(names.entries.length);
    }
    names.entries.push(texts.length);
    names.positions.push(position);
    names.initials.push(words.some(word => word.kind === 'initial') ? 1 : 0);
    names.weak.push(aliases[position - 1]?.weak ? 1 : 0);
    names.words.push(words.map(vocabulary.idOf));
  }

  return {
    add(entry, text) {
      addName(entry.name, entry, 0);
      entry.aliases.forEach((alias, at) => addName(alias.name, entry, at + 1));
      for (const { type, value } of entry.keys)
        for (const form of formsToStore(type, value)) {
          keys.hashes.push(hashOf('k', form));
          keys.entries.push(texts.length);
        }
      persons.push(entry.type === 'person' ? 1 : 0);
      texts.push(text);
    },
    finish() {
      const words = vocabulary.words();
      const word_names: number[][] = words.map(() => []);
      names.words.forEach((ids, name) => {
        for (const id of new Set(ids)) word_names[id]?.push(name);
      });
      const frequencies = frequenciesOf(words, word_names);
      const weights = words.map((word, id) => weightOf(word.kind, frequencies[id] ?? 0, names.words.length));
      const weightOfName = (ids: readonly number[]) =>
        Math.round(1_000 * ids.reduce((sum, id) => sum + (weights[id] ?? 0), 0));
      return {
        entry_count: texts.length,
        name_count: names.words.length,
        entries: packTexts(texts),
        entry_persons: packBytes(persons),
        name_entries: packNumbers(names.entries),
        name_positions: packNumbers(names.positions),
        name_initials: packBytes(names.initials),
        name_weak: packBytes(names.weak),
        name_words: packPostings(names.words),
        word_names: packPostings(word_names),
        words: packTexts(words.map(keptOf)),
        words_in_order: packNumbers(inOrder(words)),
        word_frequencies: packNumbers(frequencies),
        name_weights: packNumbers(names.words.map(weightOfName)),
        words_by_spelling: packSpellings(words),
        names_by_joint: packHashTable(joints.hashes, joints.names),
        entries_by_key: packHashTable(keys.hashes, keys.entries),
      };
    },
  };
}

function createVocabulary() {
  const ids = new Map<string, number>();
  const words: NameWord[] = [];
  return {
    words: () => words,
    idOf(word: NameWord): number {
      const key = keptOf(word);
      const word_id = ids.get(key);
      if (word_id !== undefined) return word_id;
      ids.set(key, words.length);
      words.push(word);
      return words.length - 1;
    },
  };
}

const inOrder = (words: readonly NameWord[]): number[] =>
  words.map((_, id) => id).sort((a, b) => compareText(words[a]?.text ?? '', words[b]?.text ?? ''));

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The frequency of a word is that of its text, whatever its kind in a name. */
function frequenciesOf(words: readonly NameWord[], word_names: readonly number[][]): number[] {
  const byText = new Map<string, number>();
  words.forEach(({ text }, id) => byText.set(text, (byText.get(text) ?? 0) + (word_names[id]?.length ?? 0)));
  return words.map(({ text }) => byText.get(text) ?? 0);
}
