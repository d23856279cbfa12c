import type { MandateTerms } from '#bin/demo/mandates.ts';
import type { Market } from '#bin/demo/market.ts';
import type { Keyring } from '#bin/demo/proofs/keyring.ts';
import type { Purchase } from '#bin/demo/purchase.ts';
import type { Random } from '#bin/demo/random.ts';
import type { WorldSpan } from '#bin/demo/rhythm.ts';
import type { DemoAgent, RoleName, Supplier } from '#bin/demo/agent.ts';

/** Something that goes wrong, and what should notice it. */
export type Scenario = {
  name: string;
  /** In what way and how strongly: a few words for a person. */
  variant: string;
  /** Weak: the rule only just fires, or the agent's own habits may hide it. */
  strength: Strength;
  /** The kind of agent it happens to. */
  befalls: RoleName;
  /** The kinds of the further agents that take part. */
  others?: RoleName[];
  /** The detectors that may answer it; the first is the one it is planted for, and one of them must. */
  detectors: string[];
  /** How long it takes at the most, in milliseconds. */
  lasts: number;
  /** Until when the agent must do nothing else, where that is later. */
  rests_until?: (at: number, agent: DemoAgent) => number;
  /** Whether it can begin then; at any time when left out. */
  suits?: (at: number, agent: DemoAgent, span: WorldSpan) => boolean;
  /** The mandate that the agent has; what it pays besides complies with it. */
  mandate?: (stage: Pick<Scene, 'agent' | 'usual' | 'span'>) => MandateTerms;
  /** What the agent paid before, beside its usual work, when nothing was wrong yet. */
  before?: (scene: Scene) => Purchase[];
  plant: (scene: Scene) => Purchase[];
};

export type Strength = 'strong' | 'weak';

/** Where a scenario takes place: `at` is when it begins, in milliseconds since 1970. */
export type Scene = {
  agent: DemoAgent;
  others: readonly DemoAgent[];
  at: number;
  market: Market;
  random: Random;
  span: WorldSpan;
  /** What the agent pays besides. */
  usual: readonly Purchase[];
  keyring: Keyring;
  /** The agent's AP2 open mandate. */
  open_mandate: () => string;
  /** What events name the scenario's own mandate by. */
  mandate_id: string;
};

/** What the agent usually pays in one go: the middle of its suppliers' usual prices, in their unit. */
export function usualOf({ suppliers }: DemoAgent): number {
  const prices = suppliers.map(({ usual }) => usual).toSorted((a, b) => a - b);
  return prices[prices.length >> 1] ?? 0;
}

/** Somebody the agent has paid before the day. */
export const knownSupplier = ({ suppliers }: DemoAgent, random: Random): Supplier =>
  random.pick(suppliers.filter(({ newcomer }) => !newcomer));

/** So many times, one after the other; `gap` gives the milliseconds before each but the first. */
export function timesFrom(at: number, count: number, gap: (index: number) => number): number[] {
  let time = at;
  return Array.from({ length: count }, (_, index) => (time += index === 0 ? 0 : Math.round(gap(index))));
}

/** So many times spread over a length of time, at uneven distances; the last comes no later than its end. */
export const timesWithin = (at: number, count: number, within: number, random: Random): number[] =>
  timesFrom(at, count, () => (within / count) * random.between(0.6, 1));
