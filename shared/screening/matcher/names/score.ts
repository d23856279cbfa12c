import type { Measures } from './compare_names.ts';

/**
 * How likely it is, from 0 to 1, that two names are one: a logistic function of what they have in common and in what they differ. The
 * weights were fitted (logistic regression with the sign of each weight fixed, so that sharing more never scores less) to labeled pairs of
 * names (`npm run bench:screening:fit` fits them again, and tells what they find of names held apart), and set so that 0.85 is where a list of sanctions is best searched; `npm run bench:screening` prints what stands behind each
 * threshold. Names of people may leave out words; names of everything else have to agree on both sides.
 */
export function scoreOf(measures: Measures, isPerson: boolean): number {
  const weights = isPerson ? ofPeople : ofOthers;
  let sum = weights.constant;
  for (const name of measureNames) sum += weights[name] * measures[name];
  return logistic(sum);
}

/** What is known of a name before it is compared: what the index tells of the words it shares with the query. */
type Hope = Pick<Measures, 'covered_query' | 'covered_entry' | 'evidence'> & {
  /** Its words may be joined or stand for initials; the query may be cut off. */
  may_join: boolean;
  may_abbreviate: boolean;
  may_be_cut: boolean;
};

/**
 * What such a name may reach, where the rest fits: the sum before it is made a score. An estimate: comparing may find words that the index did
 * not, which is why names are compared that seem to stay somewhat below what is asked for.
 */
export function mostOf(hope: Hope, isPerson: boolean): number {
  const weights = isPerson ? ofPeople : ofOthers;
  let sum = weights.constant + weights.covered_query * hope.covered_query + weights.covered_entry * hope.covered_entry;
  sum += weights.evidence * hope.evidence;
  if (hope.may_join) sum += weights.joined;
  if (hope.may_abbreviate) sum += weights.initials;
  if (hope.may_be_cut) sum += weights.cut_off;
  return sum;
}

/** The sum that gives a score below 1, to be compared with `mostOf`. Any sum gives at least 0. */
export const sumFor = (score: number): number => (score <= 0 ? -Infinity : Math.log(score / (1 - score)));

type Weights = Record<keyof Measures | 'constant', number>;

/** The weights of names of people, or of everything else. */
export const weightsOf = (isPerson: boolean): Readonly<Weights> => (isPerson ? ofPeople : ofOthers);

const ofPeople: Weights = {
  constant: -2.44,
  covered_query: 4.7,
  covered_entry: 1.69,
  evidence: 0.19,
  joined: 0.52,
  initials: 0.56,
  cut_off: 1.55,
  misspelled: -1.75,
  edits: -0.65,
  conflict: -2.28,
  numbers_differ: -1,
  number_missing: 0,
  single: -1.33,
  single_entry: -0.2,
  small_words: -2.78,
};

const ofOthers: Weights = {
  constant: -1.07,
  covered_query: 1.8,
  covered_entry: 1.85,
  evidence: 0.82,
  joined: 0.63,
  initials: 0,
  cut_off: 3.31,
  misspelled: 0,
  edits: -0.73,
  conflict: -2.05,
  numbers_differ: -3.93,
  number_missing: -1.2,
  single: -0.88,
  single_entry: -0.6,
  small_words: -0.85,
};

const measureNames = Object.keys(ofPeople).filter(name => name !== 'constant') as (keyof Measures)[];

const logistic = (sum: number): number => 1 / (1 + Math.exp(-sum));
