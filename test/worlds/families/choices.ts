import type { Random } from '#bin/demo/random.ts';
import type { Drawn, FamilyPayee, StrangerKind } from './conduct.ts';

/** Whom a payment goes to. */
export type Choice = (at: number) => FamilyPayee;

type Kind = Exclude<keyof Drawn['market'], 'stranger' | 'country'>;

/** Ways in which payees are chosen. */
export const choices = {
  /** One and the same, or a few of them, one more often than the next. */
  few(drawn: Drawn, kind: Kind, most: number): Choice {
    const own = sample(drawn, kind, drawn.random.int(1, most));
    return among(own, drawn.random.between(0, 2), drawn.random);
  },
  /** Many, a few of them nearly always and most of them now and then (Zipf); those that others pay too. */
  zipf(drawn: Drawn, kind: Kind, most: number): Choice {
    const own = sample(drawn, kind, drawn.random.int(Math.min(5, most), most));
    return among(own, drawn.random.between(0.5, 1.6), drawn.random);
  },
  /** As `known`, but a share of the payments goes to somebody new, some of whom are paid again. */
  withStrangers({ random, market }: Drawn, known: Choice, kind: StrangerKind, share: number): Choice {
    const met: FamilyPayee[] = [];
    const again = random.between(0, 0.5);
    return at => {
      if (!random.chance(share)) return known(at);
      if (met.length > 0 && random.chance(again)) return random.pick(met);
      const stranger = market.stranger(kind, random);
      met.push(stranger);
      if (met.length > 50) met.shift();
      return stranger;
    };
  },
};

/** Payees of a kind, the popular ones more likely, so that agents have some in common. */
function sample({ random, market }: Drawn, kind: Kind, count: number): FamilyPayee[] {
  const all = market[kind].map((payee, rank) => ({ payee, key: random.exponential(1) * (rank + 3) }));
  return all
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ payee }) => payee);
}

function among(payees: readonly FamilyPayee[], slope: number, random: Random): Choice {
  const weighted = random.shuffled(payees).map((payee, rank) => ({ payee, weight: (rank + 1) ** -slope }));
  return () => random.weighted(weighted).payee;
}
