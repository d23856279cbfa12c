import type { Measures } from '#shared/screening/matcher/names/compare_names.ts';

export type Weights = Record<keyof Measures | 'constant', number>;
export type Example = { measures: Measures; is_right: boolean; weight: number };

// Sharing more never scores less, differing more never scores more.
const signs: Record<keyof Measures, 1 | -1> = {
  covered_query: 1,
  covered_entry: 1,
  evidence: 1,
  joined: 1,
  initials: 1,
  cut_off: 1,
  misspelled: -1,
  edits: -1,
  conflict: -1,
  numbers_differ: -1,
  number_missing: -1,
  single: -1,
  single_entry: -1,
  small_words: -1,
};
const names = Object.keys(signs) as (keyof Measures)[];

/** Few cases say little of a rare measure: its weight is then held back (a prior of the normal distribution around 0). */
const RIDGE = 2;
const STEPS = 1_500;
const RATE = 0.05;

/** Logistic regression in which each weight keeps its sign: gradient descent (Adam), each step brought back to the allowed side. */
export function fitWeights(examples: readonly Example[], start: Weights): Weights {
  const keys = ['constant', ...names] as const;
  const rows = examples.map(({ measures }) => Float64Array.from([1, ...names.map(name => measures[name])]));
  const weights = Float64Array.from(keys, key => start[key]);
  const [mean, square] = [new Float64Array(keys.length), new Float64Array(keys.length)];
  const total = examples.reduce((sum, { weight }) => sum + weight, 0) || 1;
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : (RIDGE * weight) / total));
    rows.forEach((row, at) => {
      const example = examples[at];
      if (!example) return;
      let sum = 0;
      for (let place = 0; place < row.length; place += 1) sum += (row[place] ?? 0) * (weights[place] ?? 0);
      const miss = ((1 / (1 + Math.exp(-sum)) - Number(example.is_right)) * example.weight) / total;
      for (let place = 0; place < row.length; place += 1)
        gradient[place] = (gradient[place] ?? 0) + miss * (row[place] ?? 0);
    });
    gradient.forEach((slope, at) => {
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope;
      const moved =
        (weights[at] ?? 0) -
        (RATE * ((mean[at] ?? 0) / (1 - 0.9 ** step))) / (Math.sqrt((square[at] ?? 0) / (1 - 0.999 ** step)) + 1e-9);
      const name = keys[at];
      const sign = name === undefined || name === 'constant' ? 0 : signs[name];
      weights[at] = sign === 0 ? moved : sign * Math.max(0, sign * moved);
    });
  }
  return Object.fromEntries(keys.map((key, at) => [key, weights[at] ?? 0])) as Weights;
}

/** The likeness that weights make of what was measured, 0 to 1. */
export function likenessBy(weights: Weights, measures: Measures): number {
  let sum = weights.constant;
  for (const name of names) sum += weights[name] * measures[name];
  return 1 / (1 + Math.exp(-sum));
}
