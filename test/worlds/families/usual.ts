import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import type { FamilyPayee, Spend } from './conduct.ts';

/** What an agent did before a time, in figures: what a scenario is held against. Money is dollars. */
export type Usual = {
  /** In order. */
  spends: Spend[];
  median: number;
  p95: number;
  most: number;
  most_in_a_minute: number;
  most_in_an_hour: number;
  most_spent_in_a_day: number;
  /** Over the later half of its payments, when it knows its way around: the most new payees in 24 hours, and their share. */
  most_new_in_a_day: number;
  share_new: number;
  payees: FamilyPayee[];
  countries: Set<string>;
  /** Hours of the day (UTC) at which it never paid. */
  idle_hours: number[];
};

export function usualOf(spends: Spend[]): Usual {
  const sorted = spends.map(({ usd }) => usd).toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const payees = new Map<string, FamilyPayee>();
  const firsts: Spend[] = [];
  for (const spend of spends) {
    if (!payees.has(spend.payee.key)) firsts.push(spend);
    payees.set(spend.payee.key, spend.payee);
  }
  const half = spends[spends.length >> 1]?.at ?? 0;
  const later = firsts.filter(({ at }) => at >= half);
  const hours = new Set(spends.map(({ at }) => new Date(at).getUTCHours()));
  return {
    spends,
    median: quantile(0.5),
    p95: quantile(0.95),
    most: sorted.at(-1) ?? 0,
    most_in_a_minute: mostWithin(spends, MINUTE, () => 1),
    most_in_an_hour: mostWithin(spends, HOUR, () => 1),
    most_spent_in_a_day: mostWithin(spends, DAY, ({ usd }) => usd),
    most_new_in_a_day: mostWithin(later, DAY, () => 1),
    share_new: later.length / Math.max(1, spends.length - (spends.length >> 1)),
    payees: [...payees.values()],
    countries: new Set(spends.flatMap(({ payee }) => payee.country ?? [])),
    idle_hours: Array.from({ length: 24 }, (_, hour) => hour).filter(hour => !hours.has(hour)),
  };
}

/** The most that came together in any window of this length. */
function mostWithin(spends: readonly Spend[], length: number, valueOf: (spend: Spend) => number): number {
  let [first, sum, most] = [0, 0, 0];
  for (const spend of spends) {
    sum += valueOf(spend);
    for (let old = spends[first]; old && old.at <= spend.at - length; old = spends[first]) {
      sum -= valueOf(old);
      first += 1;
    }
    most = Math.max(most, sum);
  }
  return most;
}
