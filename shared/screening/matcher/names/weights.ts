import type { WordKind } from './prepare_name.ts';

/** A short list cannot show which words are common: it is treated as a part of a list of this many names. */
const FEWEST_NAMES = 20_000;
const LEAST = 0.2;
const MOST_OF_GENERIC = 0.45;

/**
 * How much a word counts in a name, 0 to 1: the rarer it is among the names of the list, the more (inverse document frequency, as a share
 * of the highest). `frequency` is how many of the list's `names` hold it; 0 of none.
 */
export function weightOf(kind: WordKind, frequency: number, names: number): number {
  const fixed = fixedWeights[kind];
  if (fixed !== undefined) return fixed;
  const all = Math.log(Math.max(names, FEWEST_NAMES));
  const rarity = Math.min(1, Math.max(LEAST, (all - Math.log(Math.max(frequency, 1))) / all));
  return kind === 'generic' ? Math.min(rarity, MOST_OF_GENERIC) : rarity;
}

const fixedWeights: Partial<Record<WordKind, number>> = {
  legal: 0.1,
  particle: 0.1,
  title: 0.12,
  initial: 0.3,
  number: 0.7,
};
