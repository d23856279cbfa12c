import { searchableOf } from '#shared/screening/matcher/index/searchable.ts';
import { prepareName } from '#shared/screening/matcher/names/prepare_name.ts';
import type { LoadedList } from '#shared/screening/matcher/screen.ts';
import { scoreNames } from '#shared/screening/matcher/screen_names.ts';
import type { PairCase } from './cases.ts';
import { jaroWinkler, sortedWords } from './jaro_winkler.ts';
import type { Scored } from './rates.ts';

/** Pairs as the product scores them, with the words' rarity in a list, and as the rival does. */
export function scorePairs(pairs: readonly PairCase[], { index }: LoadedList): { ours: Scored[]; rival: Scored[] } {
  const { weigh } = searchableOf(index);
  const scored = (score: (pair: PairCase, target: string) => number) =>
    pairs.map(pair => ({
      category: pair.category,
      weak: pair.weak ?? false,
      positive: pair.match,
      score: Math.max(...[pair.target.name, ...(pair.target.aliases ?? [])].map(target => score(pair, target))),
    }));
  return {
    ours: scored(({ query, target: { type } }, target) => {
      const asked = query.type ?? type ?? null;
      const ours = weigh(prepareName(query.name, asked));
      return scoreNames(ours, weigh(prepareName(target, type ?? asked)), asked === 'person').score;
    }),
    rival: scored(({ query }, target) => jaroWinkler(sortedWords(query.name), sortedWords(target))),
  };
}
