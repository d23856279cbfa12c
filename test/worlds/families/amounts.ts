import type { Drawn, FamilyPayee } from './conduct.ts';

/** What a payment comes to, in dollars. */
export type Amounts = (payee: FamilyPayee, at: number) => number;

/** Ways in which amounts come about. `usd` is the middle of what is drawn. */
export const amounts = {
  /** What the payee charges, the same every time. */
  price: (): Amounts => payee => payee.price,
  /** One of a few prices of the payee. */
  tariff({ random }: Drawn): Amounts {
    const steps = Array.from({ length: random.int(2, 6) }, () => random.logNormal(1, 0.9, 2));
    return payee => Math.max(0.0001, payee.price * random.pick(steps));
  },
  /** One of a few amounts, whoever is paid: top-ups. */
  points({ random }: Drawn, usd: number): Amounts {
    const steps = Array.from({ length: random.int(1, 5) }, () => niceNumber(random.logNormal(usd, 0.9, 2)));
    return () => random.pick(steps);
  },
  /** About so much, by so much: 0.1 is metered use that hardly varies, 1 and more is shopping. */
  spread({ random }: Drawn, usd: number, sigma: number): Amounts {
    const payees = random.between(0, 0.7);
    return payee => random.logNormal(usd * (payee.price / usd) ** payees, sigma, 4);
  },
  /** Most are small and a few are very large (Pareto), up to a thousand times the least. */
  heavyTail({ random }: Drawn, usd: number): Amounts {
    const shape = random.between(1.2, 2.6);
    const least = usd / 2 ** (1 / shape);
    return () => Math.min(1_000 * least, least * (1 - random.next()) ** (-1 / shape));
  },
};

/** As above, and what everything costs creeps, or rises once, or neither. */
export function withDrift({ random, from, to }: Drawn, amountOf: Amounts): Amounts {
  const YEAR = 365 * 86_400_000;
  const creep = random.chance(0.3) ? random.normal() * 0.25 : 0;
  const rises_at = random.chance(0.12) ? random.between(from, to) : Infinity;
  const rise = 1 + random.between(0.02, 0.3);
  return (payee, at) => amountOf(payee, at) * Math.exp((creep * (at - from)) / YEAR) * (at >= rises_at ? rise : 1);
}

function niceNumber(usd: number): number {
  const size = 10 ** Math.floor(Math.log10(usd));
  const step = [1, 2, 2.5, 5, 10].findLast(each => each * size <= usd) ?? 1;
  return step * size;
}
