import { z } from 'zod';

/**
 * What the agents of an organization that pay over one rail were seen to pay, each day of an agent counting once, as logarithms of dollars: the
 * mean of what three in four of an agent's payments stay within (`upper`) and its square, how far that lies above the agent's median as a
 * standard deviation (`scale`), what nine in ten of them stay within (`high`), and how well `upper` is known of one agent (`noise`, a variance).
 * `agents` has a bit set for each agent, one of 32 by its id.
 */
export const PaidByPeers = z.object({
  count: z.number(),
  agents: z.number(),
  upper: z.number(),
  squares: z.number(),
  scale: z.number(),
  high: z.number(),
  noise: z.number(),
});
export type PaidByPeers = z.infer<typeof PaidByPeers>;

/** What nine in ten payments of such an agent stay within (ln of dollars), how far agents differ in it, and for how many payments it stands. */
export type Peers = { high: number; between: number; weight: number };

/** Below so many payments an agent teaches nothing about its peers. */
const LEAST_VALUES = 5;
/** Of more days of agents, the earlier ones count for less. */
const MOST_DAYS = 2_000;
/** An agent further away than so many standard deviations counts as if it were there. */
const MOST_DEVIATIONS = 3;
/** Quantiles of the normal distribution: three in four and nine in ten stay within these. */
const [UPPER_QUARTER, UPPER_TENTH] = [0.67, 1.28];
/** Variance of an upper quartile of n values, times n and in units of their own variance. */
const OF_QUARTILE = 1.86;
/** The same of the value that nine in ten stay within. */
const OF_TENTH = 2.9;

/**
 * Learns from what an agent paid, as logarithms of dollars. The upper quartile is told in the same way however much of the rest is extreme, as
 * it is after a misuse. Changes `peers`.
 */
export function learnPeers(
  peers: Partial<Record<string, PaidByPeers>>,
  rail: string,
  agent_id: string,
  values: readonly number[],
): void {
  if (values.length < LEAST_VALUES) return;
  const sorted = new Float64Array(values).sort();
  const paid = (peers[rail] ??= { count: 0, agents: 0, high: 0, upper: 0, squares: 0, scale: 0, noise: 0 });
  const told = quantile(sorted, 0.75);
  const upper = withinReach(paid, told);
  const scale = (told - quantile(sorted, 0.5)) / UPPER_QUARTER;
  paid.count = Math.min(paid.count + 1, MOST_DAYS);
  const learn = (mean: number, value: number) => mean + (value - mean) / paid.count;
  paid.agents = withAgent(paid.agents, agent_id);
  paid.upper = learn(paid.upper, upper);
  paid.high = learn(paid.high, quantile(sorted, 0.9) + upper - told);
  paid.squares = learn(paid.squares, upper * upper);
  paid.scale = learn(paid.scale, scale);
  paid.noise = learn(paid.noise, (OF_QUARTILE * scale * scale) / values.length);
}

/**
 * One agent among twenty that pays a hundred times as much says nothing of the nineteen, and would make them strangers to one another: it counts as far as
 * the edge of what they do (Huber, 1964). Where it is one in nine or more, the edge moves on until it is within.
 */
function withinReach({ count, upper, squares }: PaidByPeers, value: number): number {
  if (count < LEAST_DAYS) return value;
  const reach = MOST_DEVIATIONS * Math.sqrt(Math.max(LEAST_BETWEEN, squares - upper * upper));
  return Math.min(Math.max(value, upper - reach), upper + reach);
}

function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return low + (place - Math.floor(place)) * (high - low);
}

/** A set of agents of 32 bits, one for each by its id, with one more; and how many it holds at least. */
export const withAgent = (agents: number, agent_id: string): number => (agents | (1 << placeOf(agent_id))) >>> 0;

function placeOf(agent_id: string): number {
  let place = 0;
  for (let index = 0; index < agent_id.length; index += 1) place = (place * 31 + agent_id.charCodeAt(index)) % 4_093;
  return place % 32;
}

export function agentsIn(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}

/** Fewer agents are no peers. */
const LEAST_AGENTS = 8;
/** Fewer days of agents say nothing; so many weigh half. */
const LEAST_DAYS = 20;
/** Payments always differ by a quarter or so, agents by a seventh, and peers are never worth more payments than these. */
const [LEAST_SCALE, LEAST_BETWEEN, MOST_WEIGHT] = [0.25, 0.02, 30];
/** Peers who are worth fewer payments are no peers: each agent does something else. */
const LEAST_WEIGHT = 6;

/**
 * The peers of an agent that pays over a rail; null where too little is known of them, or where they are not alike. How many payments of its
 * own they are worth follows from how far agents differ from one another, against how far an agent's payments do: empirical Bayes.
 * Source: Efron and Morris, "Data analysis using Stein's estimator and its generalizations" (JASA, 1975).
 */
export function peersOf(peers: Partial<Record<string, PaidByPeers>>, rail: string): Peers | null {
  const paid = peers[rail];
  if (!paid || paid.count < LEAST_DAYS || agentsIn(paid.agents) < LEAST_AGENTS) return null;
  const { count, upper, squares, scale, high, noise } = paid;
  const variance = Math.max(LEAST_BETWEEN, squares - upper * upper - noise);
  const worth = Math.min(MOST_WEIGHT, (OF_TENTH * Math.max(LEAST_SCALE, scale) ** 2) / variance);
  const weight = Math.round((worth * count) / (count + LEAST_DAYS));
  if (weight < LEAST_WEIGHT) return null;
  return { high: Math.max(high, upper + (UPPER_TENTH - UPPER_QUARTER) * scale), between: Math.sqrt(variance), weight };
}

/** On one day in so many an agent's payments exceed the usual. */
const DAYS_AN_EXCESS = 5;

/**
 * By how much payments exceed the usual on as many days as peers are worth, on the scale of ln: not at all on most, on the rest by quantiles of
 * an exponential distribution with the mean `spread`.
 */
export const excessOfPeers = ({ weight }: Peers, spread: number): number[] =>
  Array.from({ length: weight }, (_, index) => {
    const above = (weight - index - 0.5) / weight;
    return Math.max(0, -spread * Math.log(above * DAYS_AN_EXCESS));
  });
