import { z } from 'zod';
import { DAY, MINUTE } from '#shared/values/time.ts';
import { CountriesPaid, nowherePaid } from './countries_paid.ts';
import { FirstDays, noFirstDays } from './first_days.ts';
import { FirstWeeks, noFirstWeeks } from './first_weeks.ts';
import { LargestPaid, nothingPaid } from './largest_paid.ts';
import { agentsIn, PaidByPeers, withAgent } from './peers.ts';
import { tailOf } from './rarity.ts';
import { SeenOften, stepOf } from './seen_often.ts';

/** What is measured of conduct: amounts of payments, what and how often is paid in a while, new payees, and by how much payments exceed. */
const measures = ['amount', 'spend', 'payments', 'pace', 'payees', 'excess'] as const;
export type Measure = (typeof measures)[number];

const Learned = z.object({ sum: z.number(), count: z.number() });

/** How often something was seen, of late, and which agents did it, as `withAgent` has them. */
const Seen = z.object({ count: z.number(), agents: z.number() });

/**
 * What an organization's log has taught about its agents as a whole, in a size that does not grow: by how much what they do exceeds what
 * is usual for them, and for how many days of agents this was looked at.
 */
export const Spreads = z.object({
  /** Days of agents that were seen, and when the log begins (milliseconds; null: it has nothing yet). */
  agent_days: z.number(),
  since: z.number().nullable(),
  measures: z.partialRecord(z.enum(measures), Learned),
  first_days: FirstDays.default(noFirstDays),
  /** What the organization's agents have paid at most. */
  largest: LargestPaid.default(nothingPaid),
  /** Where they pay to; null: it was not learned from the beginning, and is to be loaded. */
  countries: CountriesPaid.nullable().default(null),
  /** What agents pay, by rail. */
  peers: z.record(z.string(), PaidByPeers).default({}),
  /** How often agents paid the same small price again within minutes, and which agents did, as `withAgent` has them. */
  repeats: Seen.default({ count: 0, agents: 0 }),
  first_weeks: FirstWeeks.default(noFirstWeeks),
  /** What looks like a mistake and may be how things are done here. */
  often: SeenOften.default(() => ({})),
  /** How many names of payees have come to be shared by several accounts, see `areNamesShared`. */
  shared_names: z.number().default(0),
  /** How many of them were those of shops, which a chain has many of, paid by card. */
  chains: z.number().default(0),
  /** How often two people of one name were paid, the first of them once. */
  namesakes: z.number().default(0),
  /** How often agents paid a payee that they knew in another currency than before. */
  new_currencies: z.number().default(0),
  /** How often agents began to pay one young payee within a day, by how many and how quickly, and by size, see `learnFanIn`; and in how many days of agents. */
  fan_ins: z.object({ days: z.number(), counts: z.record(z.string(), z.number()) }),
});
export type Spreads = z.infer<typeof Spreads>;

export const noSpreads = (): Spreads => ({
  agent_days: 0,
  since: null,
  measures: {},
  first_days: noFirstDays(),
  largest: nothingPaid(),
  countries: nowherePaid(),
  peers: {},
  repeats: { count: 0, agents: 0 },
  first_weeks: noFirstWeeks(),
  often: {},
  shared_names: 0,
  chains: 0,
  namesakes: 0,
  new_currencies: 0,
  fan_ins: { days: 0, counts: {} },
});

/** How far conduct differs on the scale of ln as long as nothing is known of an organization's agents. */
const presets: Record<Measure, number> = {
  amount: 0.7,
  spend: 0.35,
  payments: 0.25,
  pace: 0.25,
  payees: 0.25,
  excess: 1,
};
/** So many days of agents weigh as much as the preset. */
const PRESET_DAYS = 20;
/** Of more, the earlier ones count for less. */
const MOST_DAYS = 5_000;

/** By how much the upper tenth of a measure exceeds the rest, as a mean over the organization's agents, drawn toward a preset. */
export function spreadOf({ measures: learned }: Spreads, measure: Measure): number {
  const { sum, count } = learned[measure] ?? { sum: 0, count: 0 };
  return (sum + PRESET_DAYS * presets[measure]) / (count + PRESET_DAYS);
}

/** Notes that the log has an event of this time. Changes `spreads`. */
export function noteBeginning(spreads: Spreads, at: number): void {
  spreads.since = Math.min(at, spreads.since ?? at);
}

/** Notes that another day of an agent has begun. Changes `spreads`. */
export function learnDay(spreads: Spreads, at: number): void {
  spreads.agent_days += 1;
  noteBeginning(spreads, at);
  const { fan_ins, repeats } = spreads;
  fan_ins.days = fan_ins.days * KEPT + 1;
  repeats.count *= KEPT;
  spreads.shared_names *= LONG_KEPT;
  spreads.chains *= LONG_KEPT;
  spreads.namesakes *= LONG_KEPT;
  spreads.new_currencies *= LONG_KEPT;
  spreads.first_weeks = spreads.first_weeks.map(count => count * LONG_KEPT);
  for (const [strength, count] of Object.entries(fan_ins.counts)) fan_ins.counts[strength] = count * KEPT;
}

/** Of what fan-ins and repeats there were, so much is kept from one day of an agent to the next: in a young log every popular payee has one. */
const KEPT = 1 - 1 / 300;

/** How payees are named changes slowly. */
const LONG_KEPT = 1 - 1 / 5_000;

/** How strong it is that so many agents begin to pay one payee within so short a time (milliseconds): one more is like half the time. */
export const strengthOfFanIn = (agents: number, length: number): number =>
  agents + Math.floor(Math.log2(DAY / Math.min(DAY, Math.max(MINUTE, length))));

/**
 * What was not seen is the less to be expected the stronger it is; in a young log nothing has been seen yet, and of the strongest there may be so many, by
 * size.
 */
const [WEAKEST, LEAST_UNSEEN] = [5, [0.25, 0.25, 0.2, 0.15]];

/** A fan-in: how strong it is (see `strengthOfFanIn`), what an agent pays there, in dollars, and whether that goes to an account of somebody. */
type FanIn = { strength: number; usd: number; is_account?: boolean };

/**
 * How often agents begin to pay one young payee as strongly as this, and as much, for each month of an agent; and notes one more. That all take up a
 * service for cents says nothing of what costs a hundred dollars. `noted`: the strengths that were noted of the same payee, which make it no more
 * common. Changes `spreads`.
 */
export function learnFanIn(
  { fan_ins: { days, counts } }: Spreads,
  { strength, usd, is_account }: FanIn,
  noted: readonly number[] = [],
): number {
  const [size, least] = [stepOf(SIZES, usd), Math.min(strength, STRONGEST)];
  const as_strong = Object.entries(counts).reduce((sum, [key, count]) => {
    // What was noted before sizes were is of any size.
    const [of_strength, of_size = SIZES.length] = key.split(':').map(Number);
    return Number(of_strength) >= least && of_size >= size ? sum + count : sum;
  }, 0);
  const own = noted.filter(each => each >= least).length;
  const key = `${least}:${size}`;
  counts[key] = (counts[key] ?? 0) + 1;
  const unseen =
    (is_account ? OF_ACCOUNTS : 1) * Math.max(LEAST_UNSEEN[size] ?? 0, 0.5 * 0.6 ** Math.max(0, strength - WEAKEST));
  return (Math.max(0, as_strong - own) + unseen) / Math.max(1, days / 30);
}

/** Accounts, of a bank or the like, become popular so much more seldom than shops and services. */
const OF_ACCOUNTS = 0.3;

/** What is stronger is noted as this. */
const STRONGEST = 40;
/** From how many dollars on what agents pay to one payee is of another size. */
const SIZES = [1, 10, 100];

/**
 * Whether agents pay small prices again so often, so many of them, that it is how calls are metered here: three agents or more have done so four
 * times of late. What was seen fades over ten months of agents. Notes one more. Changes `spreads`.
 */
export function areRepeatsUsual({ repeats: seen }: Spreads, agent_id: string): boolean {
  const { count, agents } = seen;
  seen.count += 1;
  // What is long forgotten says nothing of who does it now.
  seen.agents = withAgent(count < 1 ? 0 : agents, agent_id);
  return count >= 4 && agentsIn(agents) >= 3;
}

/** Notes that a name or web address of payees is shared by several accounts, or by several shops. Changes `spreads`. */
export function learnSharedName(spreads: Spreads, are_shops: boolean): void {
  spreads.shared_names += 1;
  if (are_shops) spreads.chains += 1;
}

/** Whether agents here pay at chains, each shop of which has an account of its own. */
export const areChainsUsual = ({ chains }: Spreads): boolean => chains > 1.5;

/** Whether payees here have so often had several accounts under one name, such as an address for each payment, that it is how they are paid. */
export const areNamesShared = ({ shared_names }: Spreads): boolean => shared_names > 2.5;

/** Notes that a person has a namesake who was paid once. Changes `spreads`. */
export function learnNamesakes(spreads: Spreads): void {
  spreads.namesakes += 1;
}

/** Whether so many people here have namesakes that a name says little of who is paid. */
export const areNamesakesUsual = ({ namesakes }: Spreads): boolean => namesakes > 2.5;

/** Notes that an agent pays a payee in a new currency. Changes `spreads`. */
export function learnNewCurrency(spreads: Spreads): void {
  spreads.new_currencies += 1;
}

/** How often that is to be expected in a month of an agent: among people's own records hardly ever, unless an organization does it often. */
export const expectedOfNewCurrency = ({ new_currencies, agent_days }: Spreads): number =>
  (new_currencies + 1) / (Math.min(agent_days, 1 / (1 - LONG_KEPT)) / 30 + CURRENCY_MONTHS);

/** Until more is known, one in so many months of agents. */
const CURRENCY_MONTHS = 40;

/** Below so many values nothing is learned from them. */
const LEAST_VALUES = 3;

/** Where as much is known as counts, one day of an agent in so many teaches, for all of them. */
const DAYS_A_LESSON = 8;

const isFull = ({ measures: { amount } }: Spreads) => (amount?.count ?? 0) >= MOST_DAYS;

/** Whether the day that has begun with a payment of an agent is one to learn from: of all agents, each in its turn. */
export function teaches(spreads: Spreads, agent_id: string, at: number): boolean {
  if (!isFull(spreads)) return true;
  let turn = Math.floor(at / DAY);
  for (let index = 0; index < agent_id.length; index += 1) turn = (turn * 31 + agent_id.charCodeAt(index)) % 4_093;
  return turn % DAYS_A_LESSON === 0;
}

/** Learns from an agent's values of a measure, once on a day of the agent that `teaches`. Changes `spreads`. */
export function learnSpread(spreads: Spreads, measure: Measure, values: readonly number[]): void {
  if (values.length < LEAST_VALUES) return;
  const { total, size } = tailOf(values);
  const { sum, count } = spreads.measures[measure] ?? { sum: 0, count: 0 };
  const days = isFull(spreads) ? DAYS_A_LESSON : 1;
  const decay = count < MOST_DAYS ? 1 : 1 - days / MOST_DAYS;
  spreads.measures[measure] = { sum: sum * decay + (days * total) / size, count: count * decay + days };
}
