import { createRandom, type Random } from '#bin/demo/random.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { DAY } from '#shared/values/time.ts';
import { drawAgent, drawFashions, drawOwners, drawTaste } from './agents.ts';
import type { FamilyAgent, FamilyOwner } from './conduct.ts';
import { drawMarket } from './market.ts';
import { inOrder, merged } from './merge.ts';
import { type FamilyLabel, plantScenarios } from './plant.ts';
import { reportsOf } from './reports.ts';

/** How an organization comes to be watched. */
export const phases = ['live', 'backfill', 'steady'] as const;
export type Phase = (typeof phases)[number];

/** An event as it is sent, and when it arrives. */
export type Sent = { input: EventInput; received_at: number };

/** An organization drawn at random. Times are milliseconds since 1970. */
export type FamilyWorld = {
  seed: number;
  phase: Phase;
  /** In which order what is sent at once is sent. */
  order: Order;
  agents: FamilyAgent[];
  labels: FamilyLabel[];
  /** What is counted begins here: with the first event, or after the month that a steady state takes. */
  counted_from: number;
  to: number;
  /** The events in the order in which they arrive; the same every time. Only a back-fill in another order is held in memory. */
  events: () => Generator<Sent>;
};

/**
 * A world of a seed, which ends `now`. `live`: 3 to 14 days of a new organization, watched from the first event on. `backfill`: the month
 * before `now`, all of it sent now, in order, agent by agent, or the newest pages first. `steady`: three weeks after a month.
 */
export function familyWorld(seed: number, phase: Phase, now: number): FamilyWorld {
  const random = createRandom(`families ${phase} ${seed}`);
  const days = phase === 'live' ? random.between(3, 14) : phase === 'backfill' ? 31 : 51;
  const from = Math.round(now - days * DAY);
  const counted_from = phase === 'steady' ? from + 30 * DAY : from;
  const owners = drawOwners(random.fork('owners'));
  const market = drawMarket(random.fork('market'), owners[0] ?? nobody);
  const fashions = drawFashions(random.fork('fashions'), market, from, now);
  const taste = drawTaste(random.fork('taste'));
  const world = { market, owners, fashions, from, to: now };
  const agents = Array.from({ length: random.int(24, 72) }, (_, index) =>
    drawAgent(index + 1, taste, world, random.fork(`agent ${index + 1}`)),
  );
  const first = counted_from + (phase === 'steady' ? 0 : 0.25 * (now - from));
  const planted = plantScenarios({ agents, market, from: first, to: now - 1.2 * DAY, random: random.fork('plant') });
  const streams = () => [
    ...agents.map(agent => streamOf(agent, random.fork(`reports ${agent.external_id}`))),
    inOrder(planted.flatMap(({ reports }) => reports)).values(),
  ];
  const order = phase === 'backfill' ? random.weighted(orders).name : 'as_it_happens';
  return {
    seed,
    phase,
    order,
    agents,
    labels: planted.map(({ label }) => label),
    counted_from,
    to: now,
    events: () => arriving(streams(), order, now),
  };
}

const nobody: FamilyOwner = { external_id: 'owner-1', country: 'US', utc_offset: 0 };

/** In which order an export is sent. */
const orders = [
  { name: 'in_order' as const, weight: 6 },
  { name: 'agent_by_agent' as const, weight: 2 },
  { name: 'newest_first' as const, weight: 2 },
];
type Order = (typeof orders)[number]['name'] | 'as_it_happens';

type Reported = { at: number; input: EventInput };

/** All that is reported of an agent's payments, in order: a settlement waits until it has happened. */
function* streamOf(agent: FamilyAgent, random: Random): Generator<Reported> {
  let waiting: Reported[] = [];
  for (const spend of agent.spends()) {
    const due = waiting.filter(({ at }) => at <= spend.at);
    if (due.length > 0) yield* inOrder(due);
    waiting = [...waiting.filter(({ at }) => at > spend.at), ...reportsOf(agent, spend, random)];
  }
  yield* inOrder(waiting);
}

/** So many milliseconds after the last an event of a back-fill arrives. */
const BACKFILL_PACE = 2;
const PAGE = 500;

function* arriving(streams: Iterator<Reported>[], order: Order, now: number): Generator<Sent> {
  const reported = order === 'agent_by_agent' ? inTurn(streams) : merged(streams, ({ at }) => at);
  const happened = reported.filter(({ at }) => at <= now);
  if (order === 'as_it_happens') {
    for (const { at, input } of happened) yield { input, received_at: at };
    return;
  }
  let received_at = now;
  for (const { input } of order === 'newest_first' ? newestPagesFirst([...happened]) : happened)
    yield { input, received_at: (received_at += BACKFILL_PACE) };
}

function* inTurn(streams: Iterator<Reported>[]): Generator<Reported> {
  for (const stream of streams) for (let next = stream.next(); !next.done; next = stream.next()) yield next.value;
}

function* newestPagesFirst(reported: Reported[]): Generator<Reported> {
  for (let end = reported.length; end > 0; end -= PAGE) yield* reported.slice(Math.max(0, end - PAGE), end);
}
