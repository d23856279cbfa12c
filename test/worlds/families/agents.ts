import { localDays } from '#bin/demo/rhythm.ts';
import type { Random } from '#bin/demo/random.ts';
import { DAY } from '#shared/values/time.ts';
import type { Drawn, FamilyAgent, FamilyMarket, FamilyOwner, FamilyPayee, LocalDay, Spend } from './conduct.ts';
import { drawLevel, families, type Family } from './families.ts';

export type World = { market: FamilyMarket; owners: FamilyOwner[]; fashions: Fashion[]; from: number; to: number };

/** A payee that opens for business, and whom agents take up one after the other. */
type Fashion = { payee: FamilyPayee; opens: number };

/** The families as common as they are in one organization: some make do with two or three of them. */
export const drawTaste = (random: Random): Family[] => {
  const narrow = random.between(0.2, 1.5);
  return families.map(family => ({ ...family, weight: family.weight * random.logNormal(1, narrow, 2.5) }));
};

/** An agent as chance makes it. It may work for longer than the world lasts, join late or retire early; a few do two things. */
export function drawAgent(number: number, taste: readonly Family[], world: World, random: Random): FamilyAgent {
  const { from, to, owners } = world;
  const length = to - from;
  const owner = random.pick(owners);
  const list = [random.weighted(taste), ...(random.chance(0.1) ? [random.weighted(taste)] : [])];
  const joins = random.chance(0.7) ? from : from + random.next() * length * 0.8;
  const stays = random.chance(0.86) ? 1 : random.chance(0.4) ? random.between(0.05, 0.3) : random.between(0.3, 1);
  const leaves = joins + stays * (to - joins);
  const make = () => {
    const drawn: Drawn = { random: random.fork('conduct'), market: world.market, owner, from, to };
    return list.map(family => ({ ...family.draw(drawn), level: drawLevel(drawn) }));
  };
  const rail = make()[0]?.rail ?? 'card';
  const is_european = owner.country !== 'US' && rail !== 'x402' && rail !== 'ach';
  const adopted = world.fashions
    .filter(() => random.chance(0.25))
    .map(({ payee, opens }) => ({ payee, at: opens + random.exponential(6 * DAY), share: random.between(0.02, 0.4) }))
    .filter(({ payee }) => (payee.resource !== undefined) === (rail === 'x402'));
  return {
    external_id: `agent-${number}`,
    family: list.map(({ name }) => name).join('+'),
    owner,
    joins,
    leaves,
    rail,
    currency: is_european ? (owner.country === 'GB' ? 'GBP' : 'EUR') : 'USD',
    failing: random.chance(0.5) ? random.between(0, 0.05) : 0,
    refunded: random.chance(0.3) ? random.between(0, 0.04) : 0,
    reports_both: random.chance(rail === 'card' ? 0.7 : 0.25),
    *spends() {
      const conducts = make();
      const source = random.fork('fashion');
      for (const day of localDays({ from, day: to, to }, owner)) {
        const spends = conducts.flatMap(({ day: plan, level }) => levelled(plan, level(day), day));
        for (const spend of inOrder(spends)) {
          if (spend.at < joins || spend.at >= leaves) continue;
          const fashion = adopted.findLast(({ at, share }) => spend.at >= at && source.chance(share));
          yield fashion ? { ...spend, payee: fashion.payee, usd: priceAt(fashion.payee, spend) } : spend;
        }
      }
    },
  };
}

const levelled = (plan: (day: LocalDay, level: number) => Spend[], level: number, day: LocalDay) => {
  const spends = plan(day, Math.max(level, 1e-6));
  return level === 0 ? [] : spends;
};

/** An API charges its price, whoever buys; elsewhere it is as dear as what would have been bought. */
const priceAt = (payee: FamilyPayee, { usd }: Spend) => (payee.resource === undefined ? usd : payee.price);

const inOrder = (spends: Spend[]) => spends.toSorted((a, b) => a.at - b.at);

export function drawOwners(random: Random): FamilyOwner[] {
  const [country, utc_offset] = random.pick(homes);
  return Array.from({ length: random.int(1, 8) }, (_, index) => {
    const [elsewhere, offset] = random.pick(homes);
    const abroad = random.chance(0.15);
    return {
      external_id: `owner-${index + 1}`,
      country: abroad ? elsewhere : country,
      utc_offset: abroad ? offset : utc_offset,
    };
  });
}

const homes = [
  ['US', -5],
  ['US', -8],
  ['DE', 1],
  ['GB', 0],
  ['FR', 1],
  ['NL', 1],
] as const;

export const drawFashions = (random: Random, market: FamilyMarket, from: number, to: number): Fashion[] =>
  Array.from({ length: random.int(0, 3) }, () => ({
    payee: market.stranger(random.chance(0.5) ? 'api' : 'shop', random),
    opens: random.between(from, to),
  }));
