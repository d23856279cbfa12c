import type { Link } from '#shared/screening/matcher/names/align.ts';
import type { NameMatch } from './screen_names.ts';
import type { NameWord } from '#shared/screening/matcher/names/prepare_name.ts';

/** How words of the query's name correspond to words of the entry's name. */
export type TokenMatch = {
  query: string;
  entry: string;
  /**
   * `equal` as written, `abbreviation` or number written out, `same_sound` in another romanization, `spelling` with letters otherwise, `consonants` between a script that leaves out
   * vowels and one that has them, `nickname` short for the other, `joined` written together in one name and apart in the other, `initial`, `legal_form` of the same group,
   * `cut_off` at the length of a bank's field.
   */
  reason: Link['reason'];
  /** 0 to 1. */
  similarity: number;
  /** The share of these words in the query's name: 0 to 1. */
  weight: number;
};

/** Which words of two names match, why, and which do not; in the order of the query. */
export function explain({ query, entry_name, links }: NameMatch): {
  tokens: TokenMatch[];
  unmatched_query: string[];
  unmatched_entry: string[];
} {
  const total = query.weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const ordered = links.toSorted((a, b) => (a.query[0] ?? 0) - (b.query[0] ?? 0));
  return {
    tokens: ordered.map(link => ({
      query: wordsAt(query.words, link.query),
      entry: wordsAt(entry_name.words, link.entry),
      reason: link.reason,
      similarity: rounded(link.similarity),
      weight: rounded(link.query.reduce((sum, at) => sum + (query.weights[at] ?? 0), 0) / total),
    })),
    unmatched_query: query.words
      .filter((_, at) => !links.some(link => link.query.includes(at)))
      .map(word => word.written),
    unmatched_entry: entry_name.words
      .filter((_, at) => !links.some(link => link.entry.includes(at)))
      .map(word => word.written),
  };
}

const wordsAt = (words: readonly NameWord[], places: readonly number[]) =>
  places.map(at => words[at]?.written ?? '').join(' ');

const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
