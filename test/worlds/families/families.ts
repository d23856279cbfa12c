import { fallsOn } from '#bin/demo/rhythm.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import { type Amounts, amounts, withDrift } from './amounts.ts';
import { type Choice, choices } from './choices.ts';
import type { Conduct, Drawn, FamilyPayee, LocalDay, Rail, Spend } from './conduct.ts';
import { many, type Rhythm, rhythms, within } from './rhythms.ts';

/** A kind of conduct, with everything about it but its kind left to chance. `weight`: how common it is, before a world's own taste. */
export type Family = { name: string; weight: number; draw: (drawn: Drawn) => Conduct & { rail: Rail } };

/** What ordinary agents do. None of it is drawn with a detector in mind. */
export const families: Family[] = [
  {
    name: 'poller',
    weight: 3,
    draw(drawn) {
      const { random } = drawn;
      const perDay = logUniform(drawn, 1, 60);
      const rhythm = random.chance(0.7)
        ? rhythms.steady(drawn, perDay)
        : rhythms.scattered(drawn, perDay, random.chance(0.5) ? 'round' : 'office');
      const amountOf = random.chance(0.7) ? amounts.price() : amounts.tariff(drawn);
      return { rail: 'x402', day: flow(drawn, 'x402', rhythm, choices.few(drawn, 'apis', 4), amountOf) };
    },
  },
  {
    name: 'researcher',
    weight: 3,
    draw(drawn) {
      const { random } = drawn;
      const rhythm = rhythms.bursts(drawn, logUniform(drawn, 0.5, 40), random.chance(0.6) ? 'office' : 'waking');
      const known = choices.zipf(drawn, 'apis', 25);
      const choice = choices.withStrangers(drawn, known, 'api', random.chance(0.5) ? 0 : random.between(0.01, 0.3));
      const amountOf = random.chance(0.5)
        ? amounts.tariff(drawn)
        : amounts.spread(drawn, logUniform(drawn, 0.005, 0.5), random.between(0.1, 1));
      return { rail: 'x402', day: flow(drawn, 'x402', rhythm, choice, amountOf) };
    },
  },
  {
    name: 'shopper',
    weight: 3,
    draw(drawn) {
      const { random } = drawn;
      const rhythm = rhythms.scattered(drawn, logUniform(drawn, 0.2, 10), random.chance(0.3) ? 'office' : 'waking');
      const known = choices.zipf(drawn, 'shops', 40);
      const choice = choices.withStrangers(drawn, known, 'shop', random.between(0, 0.6));
      return { rail: 'card', day: flow(drawn, 'card', rhythm, choice, shopping(drawn, logUniform(drawn, 8, 120))) };
    },
  },
  {
    name: 'travel',
    weight: 2,
    draw(drawn) {
      const { random } = drawn;
      const size = random.between(1, 6);
      const rhythm = rhythms.bursts(drawn, logUniform(drawn, 0.15, 6) * size, 'office');
      const known = choices.zipf(drawn, 'places', 30);
      const choice = choices.withStrangers(drawn, known, 'shop', random.between(0.2, 0.95));
      return { rail: 'card', day: flow(drawn, 'card', rhythm, choice, shopping(drawn, logUniform(drawn, 60, 500))) };
    },
  },
  {
    name: 'procurement',
    weight: 2,
    draw(drawn) {
      const { random } = drawn;
      const rail = random.pick(['ach', 'sepa', 'card'] as const);
      const rhythm = rhythms.scattered(drawn, logUniform(drawn, 0.2, 8), 'office');
      const known = choices.zipf(drawn, 'suppliers', 40);
      const choice = choices.withStrangers(drawn, known, 'supplier', random.between(0, 0.4));
      return { rail, day: flow(drawn, rail, rhythm, choice, shopping(drawn, logUniform(drawn, 100, 3_000))) };
    },
  },
  {
    name: 'payouts',
    weight: 2,
    draw(drawn) {
      const { random, market } = drawn;
      const rail = random.pick(['ach', 'sepa', 'wallet', 'x402'] as const);
      const size = logUniform(drawn, 4, 60);
      const [every, first] = [random.pick([1, 1, 2, 7, 7, 14]), random.int(0, 13)];
      const [hour, gap] = [random.between(6, 18), random.logNormal(4_000, 1, 2)];
      const fresh = random.chance(0.2) ? 1 : random.between(0.02, 0.8);
      const amountOf = withDrift(drawn, amounts.spread(drawn, logUniform(drawn, 5, 800), random.between(0.2, 1.3)));
      const met: FamilyPayee[] = Array.from({ length: Math.round(size * 3) }, () => market.stranger('person', random));
      return {
        rail,
        day(day, level) {
          if ((day.index + first) % every !== 0 || (every < 7 && !day.working && random.chance(0.8))) return [];
          const count = 1 + many(size * level, random);
          const again = random.shuffled(met).slice(0, Math.round(count * (1 - fresh)));
          const news = Array.from({ length: count - again.length }, () => market.stranger('person', random));
          met.push(...news.slice(0, 20));
          met.splice(0, Math.max(0, met.length - 400));
          let at = day.midnight + hour * HOUR + random.normal() * 10 * MINUTE;
          const paid = random.shuffled([...again, ...news]);
          const times = within(
            day,
            paid.map(() => (at += random.exponential(gap))),
          );
          return paid.map((payee, index) => spend(times[index] ?? at, payee, rail, amountOf));
        },
      };
    },
  },
  {
    name: 'payroll',
    weight: 1,
    draw(drawn) {
      const { random, market } = drawn;
      const rail = random.pick(['ach', 'sepa'] as const);
      const staff = Array.from({ length: Math.round(logUniform(drawn, 3, 60)) }, () => ({
        payee: market.stranger('person', random, drawn.owner.country),
        usd: random.logNormal(2_600, 0.5, 2.5),
      }));
      const [date, fortnightly] = [random.int(1, 28), random.chance(0.4)];
      const overtime = random.chance(0.5) ? random.between(0, 0.15) : 0;
      const turnover = random.between(0, 0.08);
      return {
        rail,
        day(day) {
          const isDue = fortnightly
            ? day.weekday === 5 && Math.floor(day.index / 7) % 2 === date % 2
            : fallsOn(day, date);
          if (!isDue) return [];
          if (random.chance(turnover * staff.length))
            staff[random.int(0, staff.length - 1)] = {
              payee: market.stranger('person', random, drawn.owner.country),
              usd: random.logNormal(2_600, 0.5, 2.5),
            };
          const start = day.midnight + random.between(7, 10) * HOUR;
          return staff.map(({ payee, usd }, index) => ({
            at: Math.round(start + index * 700),
            payee,
            usd: usd * (1 + overtime * random.next()),
            rail,
          }));
        },
      };
    },
  },
  {
    name: 'subscriptions',
    weight: 2,
    draw(drawn) {
      const { random, market } = drawn;
      const amountOf = withDrift(drawn, amounts.price());
      const plans = random
        .shuffled(market.software)
        .slice(0, random.int(2, 14))
        .map(payee => ({ payee, date: random.int(1, 28), metered: random.chance(0.3) ? random.between(0.1, 0.5) : 0 }));
      const hour = random.between(0, 20);
      return {
        rail: 'card',
        day: day =>
          inOrder(
            plans
              .filter(({ date }) => fallsOn(day, date))
              .map(({ payee, metered }) => ({
                ...spend(day.midnight + hour * HOUR + random.next() * 3 * HOUR, payee, 'card', amountOf),
                usd: amountOf(payee, day.midnight) * Math.exp(metered * random.normal()),
              })),
          ),
      };
    },
  },
  {
    name: 'nightly',
    weight: 2,
    draw(drawn) {
      const { random } = drawn;
      const rhythm = rhythms.nightly(drawn, logUniform(drawn, 1, 60));
      const amountOf = random.chance(0.4)
        ? amounts.price()
        : amounts.spread(drawn, logUniform(drawn, 0.01, 3), random.between(0.05, 0.9));
      return { rail: 'x402', day: flow(drawn, 'x402', rhythm, choices.few(drawn, 'apis', 6), amountOf) };
    },
  },
  {
    name: 'top_ups',
    weight: 2,
    draw(drawn) {
      const { random } = drawn;
      const rail = random.pick(['card', 'card', 'x402', 'wallet'] as const);
      const rhythm = rhythms.scattered(drawn, logUniform(drawn, 0.2, 6), random.chance(0.5) ? 'round' : 'waking');
      const amountOf = amounts.points(drawn, logUniform(drawn, 5, 300));
      return { rail, day: flow(drawn, rail, rhythm, choices.few(drawn, 'software', 4), amountOf) };
    },
  },
  {
    name: 'marketplace',
    weight: 2,
    draw(drawn) {
      const { random } = drawn;
      const rail = random.pick(['x402', 'wallet', 'card'] as const);
      const rhythm = random.chance(0.5)
        ? rhythms.bursts(drawn, logUniform(drawn, 1, 20), 'waking')
        : rhythms.scattered(drawn, logUniform(drawn, 1, 20), 'waking');
      const known = choices.zipf(drawn, 'shops', 20);
      const choice = choices.withStrangers(drawn, known, 'person', random.between(0.3, 1));
      return { rail, day: flow(drawn, rail, rhythm, choice, shopping(drawn, logUniform(drawn, 1, 60))) };
    },
  },
  {
    name: 'now_and_then',
    weight: 2,
    draw(drawn) {
      const { random } = drawn;
      const rail = random.pick(['card', 'ach', 'x402'] as const);
      const rhythm = rhythms.scattered(drawn, logUniform(drawn, 0.04, 0.5), random.chance(0.5) ? 'office' : 'waking');
      const known = choices.zipf(drawn, random.pick(['shops', 'suppliers', 'software'] as const), 12);
      const choice = choices.withStrangers(drawn, known, 'shop', random.between(0, 0.7));
      return { rail, day: flow(drawn, rail, rhythm, choice, shopping(drawn, logUniform(drawn, 5, 400))) };
    },
  },
];

/** A payment at each time of the rhythm, to whom the choice says. */
function flow(drawn: Drawn, rail: Rail, rhythm: Rhythm, choice: Choice, amountOf: Amounts): Conduct['day'] {
  const drifting = withDrift(drawn, amountOf);
  return (day, level) => rhythm(day, level).map(at => spend(at, choice(at), rail, drifting));
}

const spend = (at: number, payee: FamilyPayee, rail: Rail, amountOf: Amounts): Spend => ({
  at: Math.round(at),
  payee,
  usd: amountOf(payee, at),
  rail,
});

const inOrder = (spends: Spend[]) => spends.toSorted((a, b) => a.at - b.at);

/** What people and businesses buy: narrow, wide or with a heavy tail. */
function shopping(drawn: Drawn, usd: number): Amounts {
  const { random } = drawn;
  if (random.chance(0.25)) return amounts.heavyTail(drawn, usd);
  return amounts.spread(drawn, usd, random.chance(0.3) ? random.between(0.1, 0.4) : random.between(0.4, 1.2));
}

const logUniform = ({ random }: Drawn, least: number, most: number) =>
  least * Math.exp(random.next() * Math.log(most / least));

/** How busy an agent is from day to day: it grows or shrinks, has seasons, is away, is given more or less to do. */
export function drawLevel({ random, from, to }: Drawn): (day: LocalDay) => number {
  const growth = random.chance(0.5) ? random.normal() * 0.35 : 0;
  const [season, phase] = [random.chance(0.4) ? random.between(0.1, 0.5) : 0, random.next()];
  const changes_at = random.chance(0.15) ? random.between(from, to) : Infinity;
  const change = random.logNormal(1, 0.6, 2);
  const away_from = random.chance(0.15) ? random.between(from, to) : Infinity;
  const away_until = away_from + random.between(2, 12) * DAY;
  const unrest = random.between(0, 0.5);
  return ({ midnight }) => {
    if (midnight >= away_from && midnight < away_until) return 0;
    const months = (midnight - from) / (30 * DAY);
    const tide = 1 + season * Math.sin(2 * Math.PI * (months + phase));
    return Math.exp(growth * months + unrest * random.normal()) * tide * (midnight >= changes_at ? change : 1);
  };
}
