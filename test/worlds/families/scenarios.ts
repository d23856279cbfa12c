import type { Random } from '#bin/demo/random.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import type { FamilyAgent, FamilyMarket, FamilyPayee, Spend, StrangerKind } from './conduct.ts';
import { countries } from './market.ts';
import type { Usual } from './usual.ts';

export type Strength = 'strong' | 'weak';

/** An agent that something befalls at a time, what it did before, and chance. */
export type Scene = { agent: FamilyAgent; usual: Usual; at: number; random: Random; market: FamilyMarket };

/**
 * Something that goes wrong, held against what the agent did before. Null: on this agent it would be nothing out of the ordinary, or
 * nothing that matters.
 */
type Scenario = { kind: string; sleeping?: true; plant: (scene: Scene, strength: Strength) => Spend[] | null };

/** How far beyond the ordinary: from, to. */
type Range = readonly [least: number, most: number];
const pick = (strength: Strength, strong: Range, weak: Range) => (strength === 'strong' ? strong : weak);

/** What befalls one agent. Two agents are needed for a fan-in, which is planted by itself. */
export const scenarios: Scenario[] = [
  {
    // Somebody else spends with it: a few payments far above all it ever paid.
    kind: 'takeover',
    plant({ usual, random, ...scene }, strength) {
      const times = pick(strength, [2, 8], [1.2, 2]);
      const payees = random.chance(0.5) ? [strangerTo(scene.agent, scene.market, random)] : usual.payees;
      const count = random.int(...pick(strength, [3, 8], [2, 4]));
      const least = strength === 'strong' ? 60 : 30;
      return over(scene.at, count, random.between(...pick(strength, [0.2, 3], [1, 8])) * HOUR, random).map(at => ({
        at,
        payee: random.pick(payees),
        usd: Math.max(least, usual.most * random.between(...times)),
        rail: scene.agent.rail,
      }));
    },
  },
  {
    // It does what it always does, and does not stop.
    kind: 'runaway_spend',
    plant({ usual, random, at }, strength) {
      const factor = random.between(...pick(strength, [5, 12], [2.2, 3.5]));
      const total = Math.max(strength === 'strong' ? 300 : 220, usual.most_spent_in_a_day * factor);
      const mean = usual.spends.reduce((sum, { usd }) => sum + usd, 0) / usual.spends.length;
      const count = Math.round(total / mean);
      if (count < 6 || count > 800) return null;
      const length = random.between(...pick(strength, [1, 6], [8, 20])) * HOUR;
      return over(at, count, length, random).map(time => ({ ...random.pick(usual.spends), at: time }));
    },
  },
  {
    // Drained by many small payments to one payee.
    kind: 'small_drain',
    plant({ usual, random, agent, at, market }, strength) {
      const isQuick = strength === 'weak' && usual.most_in_a_minute <= 7;
      const factor = random.between(...pick(strength, [5, 9], [3, 4]));
      const count = isQuick ? random.int(24, 40) : Math.round(Math.max(230, usual.most_in_an_hour * factor));
      if (count > 1_500 || usual.most > 20_000) return null;
      const payee = random.chance(0.5) ? random.pick(usual.payees) : strangerTo(agent, market, random);
      const usd = Math.max(strength === 'strong' ? 20 / count : 5 / count, Math.min(usual.median, 2_000 / count));
      const length = isQuick ? 50_000 : random.between(20, 55) * MINUTE;
      return over(at, count, length, random).map(time => ({
        at: time,
        payee,
        usd: usd * random.between(0.6, 1.4),
        rail: agent.rail,
      }));
    },
  },
  {
    // An agent that keeps to its payees pays somebody new, and much.
    kind: 'new_payee',
    plant({ usual, random, agent, at, market }, strength) {
      if (usual.share_new > 0.05) return null;
      if (strength === 'weak' && usual.p95 < 20) return null;
      const usd =
        strength === 'strong'
          ? Math.max(150, usual.most * random.between(3, 10))
          : Math.max(110, usual.p95 * random.between(1.5, 2.5));
      return [{ at, payee: strangerTo(agent, market, random), usd, rail: agent.rail }];
    },
  },
  {
    // Spread over many payees that it never paid.
    kind: 'fan_out',
    plant({ usual, random, agent, at, market }, strength) {
      if (usual.most_new_in_a_day > 3) return null;
      const count = random.int(...pick(strength, [14, 30], [10, 13]));
      const length = random.between(...pick(strength, [0.5, 3], [8, 20])) * HOUR;
      return over(at, count, length, random).map(time => ({
        at: time,
        payee: strangerTo(agent, market, random),
        usd: Math.max(1, random.pick(usual.spends).usd),
        rail: agent.rail,
      }));
    },
  },
  {
    // Nobody uses it any more, and it pays.
    kind: 'dormant',
    sleeping: true,
    plant({ usual, random, agent, at, market }, strength) {
      const payee = strangerTo(agent, market, random);
      const count = random.int(...pick(strength, [3, 6], [1, 2]));
      return over(at, count, 3 * HOUR, random).map(time => ({
        at: time,
        payee,
        usd:
          strength === 'strong'
            ? Math.max(20, usual.most * random.between(1, 4))
            : Math.max(2, random.between(usual.median, usual.p95)),
        rail: agent.rail,
      }));
    },
  },
  {
    // Money goes where it never went.
    kind: 'new_country',
    plant({ usual, random, agent, at, market }, strength) {
      if (usual.countries.size > 2 || usual.spends.length < 25) return null;
      const payee = strangerTo(agent, market, random, elsewhere(usual, random));
      const count = strength === 'strong' ? random.int(2, 4) : 1;
      return over(at, count, 4 * HOUR, random).map(time => ({
        at: time,
        payee,
        usd:
          strength === 'strong'
            ? Math.max(25, usual.p95 * random.between(1.5, 4))
            : Math.max(5, random.between(usual.median, usual.p95)),
        rail: agent.rail,
      }));
    },
  },
  {
    // What it buys again and again costs more.
    kind: 'gouging',
    plant({ usual, random, at }, strength) {
      const factor = random.between(...pick(strength, [3, 8], [1.7, 2.2]));
      const count = random.int(...pick(strength, [5, 15], [4, 8]));
      const least = (strength === 'strong' ? 5 : 2) / count;
      const steady = [...Map.groupBy(usual.spends, ({ payee }) => payee.key).values()].filter(
        list => list.length >= 10 && isSteady(list) && (factor - 1) * (list[0]?.usd ?? 0) >= least,
      );
      if (steady.length === 0) return null;
      const list = random.pick(steady);
      return over(at, count, random.between(2, 14) * HOUR, random).flatMap(time => {
        const spend = list.at(-1);
        return spend ? [{ ...spend, at: time, usd: spend.usd * factor }] : [];
      });
    },
  },
  {
    // Somebody new, in another country, at an odd hour, for rather much: each of it means little.
    kind: 'mixed',
    plant({ usual, random, agent, at, market }, strength) {
      if (usual.share_new > 0.2 || usual.countries.size > 3 || usual.idle_hours.length < 3) return null;
      if (usual.spends.length < 30) return null;
      const payee = strangerTo(agent, market, random, elsewhere(usual, random));
      const odd = at - (at % DAY) + random.pick(usual.idle_hours) * HOUR;
      const start = odd >= at ? odd : odd + DAY;
      return over(start, strength === 'strong' ? random.int(2, 3) : 1, 30 * MINUTE, random).map(time => ({
        at: time,
        payee,
        usd:
          strength === 'strong'
            ? Math.max(40, usual.most * random.between(1.2, 2.5))
            : Math.max(20, usual.p95 * random.between(1, 1.5)),
        rail: agent.rail,
      }));
    },
  },
];

export const FAN_IN = 'fan_in';

/** Somebody of the kind that can be paid over the agent's rail. */
export function strangerTo({ rail }: FamilyAgent, market: FamilyMarket, random: Random, where?: string): FamilyPayee {
  const kinds: StrangerKind[] = rail === 'x402' ? ['api'] : rail === 'card' ? ['shop'] : ['supplier', 'person'];
  return market.stranger(random.pick(kinds), random, where);
}

const elsewhere = ({ countries: known }: Usual, random: Random) =>
  random.pick(countries.filter(country => !known.has(country)));

/** Times in order, the first at once. */
function over(at: number, count: number, length: number, random: Random): number[] {
  const later = Array.from({ length: count - 1 }, () => at + random.next() * length);
  return [at, ...later].map(Math.round).toSorted((a, b) => a - b);
}

/** Prices that hardly differ: by less than a tenth either way. */
function isSteady(spends: readonly Spend[]): boolean {
  const prices = spends.slice(-20).map(({ usd }) => usd);
  return Math.max(...prices) < 1.2 * Math.min(...prices);
}
