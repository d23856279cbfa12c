import { z } from 'zod';
import { tailOf } from './rarity.ts';

/** What is measured of conduct: amounts of payments, what and how often is paid in a while, new payees, and by how much payments exceed. */
export const measures = ['amount', 'spend', 'pace', 'payees', 'excess'] as const;
export type Measure = (typeof measures)[number];

const Learnt = z.object({ sum: z.number(), count: z.number() });

/**
 * What an organization's log has taught about its agents as a whole, in a size that does not grow: by how much what they do exceeds what
 * is usual for them, and for how many days of agents this was looked at.
 */
export const Spreads = z.object({
  agent_days: z.number(),
  measures: z.partialRecord(z.enum(measures), Learnt),
  /** How often so many agents began to pay one young payee within a day, by how many they were; the earlier the less it counts. */
  fan_ins: z.record(z.string(), z.number()),
});
export type Spreads = z.infer<typeof Spreads>;

export const noSpreads = (): Spreads => ({ agent_days: 0, measures: {}, fan_ins: {} });

/** How far conduct differs on the scale of ln as long as nothing is known of an organization's agents. */
const presets: Record<Measure, number> = { amount: 0.7, spend: 0.35, pace: 0.25, payees: 0.25, excess: 1 };
/** So many days of agents weigh as much as the preset. */
const PRESET_DAYS = 20;
/** Of more, the earlier ones count for less. */
const MOST_DAYS = 5_000;

/** By how much the upper tenth of a measure exceeds the rest, as a mean over the organization's agents, drawn towards a preset. */
export function spreadOf({ measures: learnt }: Spreads, measure: Measure): number {
  const { sum, count } = learnt[measure] ?? { sum: 0, count: 0 };
  return (sum + PRESET_DAYS * presets[measure]) / (count + PRESET_DAYS);
}

/** Notes that another day of an agent has begun. Changes `spreads`. */
export function learnDay(spreads: Spreads): void {
  spreads.agent_days = spreads.agent_days * (1 - 1 / MOST_DAYS) + 1;
}

/** How often so many agents or more begin to pay one young payee within a day, for each month of an agent; and notes one more. Changes `spreads`. */
export function learnFanIn(spreads: Spreads, agents: number): number {
  const counts = spreads.fan_ins;
  const known = counts[agents] ?? 0;
  counts[agents] = known + 1;
  return (known + 0.5) / Math.max(1, spreads.agent_days / 30);
}

/** Below so many values nothing is learnt from them. */
const LEAST_VALUES = 3;

/** Learns from an agent's values of a measure, once a day of the agent. Changes `spreads`. */
export function learnSpread(spreads: Spreads, measure: Measure, values: readonly number[]): void {
  if (values.length < LEAST_VALUES) return;
  const { total, size } = tailOf(values);
  const learnt = spreads.measures[measure] ?? { sum: 0, count: 0 };
  const kept = learnt.count < MOST_DAYS ? 1 : 1 - 1 / MOST_DAYS;
  spreads.measures[measure] = { sum: learnt.sum * kept + total / size, count: learnt.count * kept + 1 };
}
