import type { Random } from '#bin/demo/random.ts';
import type { EventInput } from '#shared/events/input/event_input.ts';
import { DAY, HOUR } from '#shared/values/time.ts';
import type { FamilyAgent, FamilyMarket, Spend } from './conduct.ts';
import { reportsOf } from './reports.ts';
import { FAN_IN, scenarios, type Strength } from './scenarios.ts';
import { type Usual, usualOf } from './usual.ts';

/** What was planted: on whom, when (milliseconds since 1970), and which payments it is. */
export type FamilyLabel = {
  kind: string;
  strength: Strength;
  agents: string[];
  from: number;
  to: number;
  payments: string[];
  event_ids: string[];
};

export type Planted = { label: FamilyLabel; reports: { at: number; input: EventInput }[] };

type Ground = { agents: readonly FamilyAgent[]; market: FamilyMarket; from: number; to: number; random: Random };

/** Below so many payments an agent has no conduct that anything could be held against. */
const LEAST_PAYMENTS = 15;
const TRIES = 25;
/** After so long without a payment an agent is asleep. */
const ASLEEP = 32 * DAY;
/** A part of the agents is left alone, whatever happens. */
const MOST_BEFALLEN = 0.5;

/** Plants some of the scenarios between two times, each on agents of its own. */
export function plantScenarios(ground: Ground): Planted[] {
  const { random, agents } = ground;
  const free = random.shuffled(agents);
  const least = Math.floor(agents.length * (1 - MOST_BEFALLEN));
  const planned = [...scenarios.map(({ kind }) => kind), FAN_IN].flatMap(kind =>
    (['strong', 'weak'] as const).map(strength => ({ kind, strength })),
  );
  return random.shuffled(planned).flatMap(({ kind, strength }, index) => {
    const source = random.fork(`scenario ${kind} ${strength} ${index}`);
    // Not everything happens everywhere.
    if (!source.chance(0.6) || free.length <= least) return [];
    const planted = kind === FAN_IN ? fanIn(ground, strength, free, source) : one(ground, kind, strength, free, source);
    return planted ?? [];
  });
}

function one(ground: Ground, kind: string, strength: Strength, free: FamilyAgent[], random: Random): Planted | null {
  const scenario = scenarios.find(each => each.kind === kind);
  for (let attempt = 0; scenario && attempt < TRIES; attempt += 1) {
    const at = Math.round(random.between(ground.from, ground.to));
    const able = free.filter(agent => isAble(agent, at, scenario.sleeping ?? false));
    if (able.length === 0) continue;
    const agent = random.pick(able);
    const usual = usualBefore(agent, at);
    const spends = usual && scenario.plant({ agent, usual, at, random, market: ground.market }, strength);
    if (!spends) continue;
    free.splice(free.indexOf(agent), 1);
    return labeled(
      kind,
      strength,
      spends.map(spend => ({ agent, spend })),
      random,
    );
  }
  return null;
}

/** Many agents begin to pay one that nobody knows. */
function fanIn({ from, to, market }: Ground, strength: Strength, free: FamilyAgent[], random: Random): Planted | null {
  const at = Math.round(random.between(from, to));
  const rail = random.pick(['x402', 'card'] as const);
  const count = strength === 'strong' ? random.int(8, 12) : random.int(5, 6);
  const length = random.between(...((strength === 'strong' ? [1, 5] : [8, 18]) as [number, number])) * HOUR;
  const able = free.flatMap(agent => {
    const usual = agent.rail === rail && isAble(agent, at, false) ? usualBefore(agent, at) : null;
    return usual ? [{ agent, usual }] : [];
  });
  // Not all of them: some are to go on as usual.
  if (able.length < count + 2) return null;
  const payee = market.stranger(rail === 'x402' ? 'api' : 'shop', random);
  const chosen = able.slice(0, count);
  for (const { agent } of chosen) free.splice(free.indexOf(agent), 1);
  return labeled(
    FAN_IN,
    strength,
    chosen.map(({ agent, usual }) => ({
      agent,
      spend: {
        at: Math.round(at + random.next() * length),
        payee,
        usd: Math.max(1, random.pick(usual.spends).usd),
        rail,
      },
    })),
    random,
  );
}

/** At work at that time, or given up long before. */
const isAble = ({ joins, leaves }: FamilyAgent, at: number, sleeping: boolean) =>
  sleeping ? leaves < at - ASLEEP : joins <= at && at <= leaves;

function usualBefore(agent: FamilyAgent, at: number): Usual | null {
  const spends: Spend[] = [];
  for (const spend of agent.spends()) {
    if (spend.at >= at) break;
    spends.push(spend);
  }
  return spends.length < LEAST_PAYMENTS ? null : usualOf(spends);
}

function labeled(
  kind: string,
  strength: Strength,
  payments: { agent: FamilyAgent; spend: Spend }[],
  random: Random,
): Planted {
  const reports = payments
    .flatMap(({ agent, spend }) => reportsOf({ ...agent, failing: 0, refunded: 0 }, spend, random))
    .toSorted((a, b) => a.at - b.at);
  const times = payments.map(({ spend }) => spend.at);
  return {
    label: {
      kind,
      strength,
      agents: [...new Set(payments.map(({ agent }) => agent.external_id))],
      from: Math.min(...times),
      to: Math.max(...times),
      payments: [...new Set(reports.map(({ input }) => input.payment.payment_id))],
      event_ids: reports.map(({ input }) => input.id),
    },
    reports,
  };
}
