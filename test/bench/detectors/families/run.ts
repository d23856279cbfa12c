import { detectors } from '#shared/detection/detectors/index.ts';
import type { Purpose } from '#shared/detection/model/purpose.ts';
import type { DetectionEvent } from '#shared/events/log/payment.ts';
import { judgeLog } from '#test/worlds/families/judge.ts';
import { type FamilyWorld, familyWorld, type Phase } from '#test/worlds/families/world.ts';
import { logOfArrivals, notePayee, notePurpose, type SaidOfPayees } from '#test/worlds/log.ts';
import type { GivenWorld } from './read.ts';
import { type RivalTally, rivalsOf } from './rivals.ts';
import { type Tally, tally, type Watched } from './tally.ts';

/** The detectors whose question is how rare something is; the others say what is wrong whoever does it. */
const behavioral = new Set(detectors.filter(detector => detector.behavioral).map(({ name }) => name));

/** When the worlds end: they differ in the day of the week and the month, not in the clock of whoever measures. */
const ends = ['2026-11-20T15:00:00Z', '2026-11-22T12:00:00Z', '2027-01-01T03:00:00Z', '2026-11-24T09:00:00Z'];

const endOf = (seed: number) => Date.parse(ends[seed % ends.length] ?? '');

/** The world of a seed: the same on every machine and every day. */
export const drawWorld = (seed: number, phase: Phase): FamilyWorld => familyWorld(seed, phase, endOf(seed));

type Measured = { budgets: Map<number, Tally>; rivals: RivalTally[] };

/** Takes a world through the detectors with each budget and, if asked, past the rivals. */
export function measureFamily(world: GivenWorld, budgets: readonly number[], rivals: boolean): Measured {
  const payees: SaidOfPayees = new Map();
  const purposes = new Map<number, Purpose>();
  const categories = new Map<number, string>();
  const sent = world.events().map((each, index) => {
    notePayee(payees, each.input);
    notePurpose(purposes, index + 1, each.input);
    if (each.input.category) categories.set(index + 1, each.input.category);
    return each;
  });
  const events = logOfArrivals(sent, world.to);
  const said = { payees, purposes, categoryOf: ({ chain_seq }: DetectionEvent) => categories.get(chain_seq) ?? null };
  const watched = watchedOf(world, events);
  return {
    budgets: new Map(budgets.map(budget => [budget, tally(watched, judgeLog({ events, ...said }, detectors, budget))])),
    rivals: rivals ? rivalsOf(watched, events) : [],
  };
}

/** An agent is known from its first event on, and is no longer counted once it is given up. */
function watchedOf({ agents, labels, counted_from, to, phase, order }: GivenWorld, events: DetectionEvent[]): Watched {
  const firsts = new Map<string, number>();
  for (const { agent_id, occurred_at } of events)
    firsts.set(agent_id, Math.min(occurred_at, firsts.get(agent_id) ?? Infinity));
  const known = new Map(agents?.map(({ external_id, family, leaves }) => [external_id, { family, leaves }]));
  return {
    labels,
    agents: [...firsts].map(([id, first]) => {
      const { family, leaves } = known.get(id) ?? { family: 'given', leaves: to };
      return { id, family, from: Math.max(first, counted_from), to: Math.min(leaves, to) };
    }),
    events: events.filter(({ occurred_at }) => occurred_at >= counted_from).length,
    counted_from,
    disordered: phase === 'backfill',
    order,
    is_behavioral: detector => behavioral.has(detector),
  };
}
