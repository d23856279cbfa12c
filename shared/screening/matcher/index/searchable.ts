import { eachOf } from './hash_table.ts';
import { postingsAt } from './postings.ts';
import { exactSpelling, wordAt } from './vocabulary.ts';
import type { ListIndex } from '#shared/screening/matcher/list_index.ts';
import type { WeighedName } from '#shared/screening/matcher/names/compare_names.ts';
import type { NameWord, PreparedName } from '#shared/screening/matcher/names/prepare_name.ts';
import { weightOf } from '#shared/screening/matcher/names/weights.ts';

/** An index as one thread searches it, with the words parsed so far and counters that searches reuse. */
export type Searchable = {
  index: ListIndex;
  wordOf(id: number): NameWord;
  /** Weights the words of a query's name by their frequency in this list. */
  weigh(name: PreparedName): WeighedName;
  /** A name of the list. */
  nameOf(name: number): WeighedName;
  /** Its first letter. */
  initialOf(name: number): string | undefined;
  sums: Float64Array;
  best: Float64Array;
  bestOf: Uint16Array;
  /** How else a name was found: the bits `JOINED` and `CUT_OFF`. */
  found: Uint8Array;
};

/** `JOINED`: words are joined in one name and split in the other. `CUT_OFF`: the query's last word begins a word of the name. */
export const JOINED = 1;
export const CUT_OFF = 2;

const cached_indexes = new WeakMap<ListIndex, Searchable>();

/** Makes an index searchable; cached. */
export function searchableOf(index: ListIndex): Searchable {
  const before = cached_indexes.get(index);
  if (before) return before;
  const words: (NameWord | undefined)[] = [];
  const wordOf = (id: number) => (words[id] ??= wordAt(index.words, id));
  const frequencyOf = (word: NameWord) => {
    let frequency = 0;
    eachOf(index.words_by_spelling, exactSpelling(word), id => {
      if (wordOf(id).text === word.text) frequency = index.word_frequencies[id] ?? 0;
    });
    return frequency;
  };
  const weights = new Float64Array(index.word_frequencies.length);
  const weightAt = (id: number) =>
    (weights[id] ||= weightOf(wordOf(id).kind, index.word_frequencies[id] ?? 0, index.name_count));
  const searchable: Searchable = {
    index,
    wordOf,
    weigh(name) {
      const frequencies = name.words.map(frequencyOf);
      return {
        ...name,
        // A word that the list knows is whole, unless it is short: `Leo` may be all that is left of `Leonidovich`.
        cut_at: frequencies.at(-1) === 0 || (name.words.at(-1)?.text.length ?? 0) < 5 ? name.cut_at : null,
        weights: name.words.map((word, at) => weightOf(word.kind, frequencies[at] ?? 0, index.name_count)),
      };
    },
    nameOf(name) {
      const ids = postingsAt(index.name_words, name);
      const own: NameWord[] = [];
      const own_weights: number[] = [];
      for (let at = 0; at < ids.length; at += 1) {
        const id = ids[at] ?? 0;
        own.push(wordOf(id));
        own_weights.push(weightAt(id));
      }
      const is_person = index.entry_persons[index.name_entries[name] ?? 0] === 1;
      return { words: own, is_person, cut_at: null, is_long: false, weights: own_weights };
    },
    initialOf: name => wordOf(postingsAt(index.name_words, name)[0] ?? 0).written[0],
    sums: new Float64Array(index.name_count),
    best: new Float64Array(index.name_count),
    bestOf: new Uint16Array(index.name_count),
    found: new Uint8Array(index.name_count),
  };
  cached_indexes.set(index, searchable);
  return searchable;
}
