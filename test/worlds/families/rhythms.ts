import { howMany } from '#bin/demo/rhythm.ts';
import type { Random } from '#bin/demo/random.ts';
import { DAY, HOUR, MINUTE } from '#shared/values/time.ts';
import type { Drawn, LocalDay } from './conduct.ts';

/** When an agent pays on a day, in order. */
export type Rhythm = (day: LocalDay, level: number) => number[];

/** Ways in which payments are spread over time. `per_day` is how many there are on a usual day. */
export const rhythms = {
  /** Like a clock, with some jitter, around the clock or within some hours. */
  steady({ random }: Drawn, per_day: number): Rhythm {
    const [first, hours] = random.chance(0.6) ? [0, 24] : [random.int(0, 14), random.int(6, 10)];
    const jitter = random.between(0.01, 0.5);
    return (day, level) => {
      const gap = (hours * HOUR) / (per_day * level);
      const times: number[] = [];
      // Less than one a day: on some days only.
      for (let at = gap * random.next(); at < hours * HOUR; at += gap)
        times.push(day.midnight + first * HOUR + at + jitter * gap * random.next());
      return within(day, times);
    };
  },
  /** By themselves, as often by day and at night as the profile says. */
  scattered({ random }: Drawn, per_day: number, profile: Profile): Rhythm {
    const weights = profiles[profile](random);
    const weekend = profile === 'office' ? random.between(0, 0.15) : random.between(0.3, 1.6);
    return (day, level) =>
      within(day, placed(day, weights, many(per_day * level * (day.working ? 1 : weekend), random), random));
  },
  /** Nothing for hours or days, then many within minutes: an errand. */
  bursts({ random }: Drawn, per_day: number, profile: Profile): Rhythm {
    const weights = profiles[profile](random);
    const size = random.logNormal(8, 0.7, 2);
    const gap = random.logNormal(20_000, 1, 2);
    return (day, level) => {
      const starts = placed(day, weights, many((per_day * level) / size, random), random);
      const times = starts.flatMap(start => {
        let at = start;
        return Array.from({ length: 1 + many(size - 1, random) }, () => (at += random.exponential(gap)));
      });
      return within(day, times);
    };
  },
  /** All within an hour or two of the night. */
  nightly({ random }: Drawn, per_day: number): Rhythm {
    const [hour, minutes] = [random.between(0, 6), random.between(5, 120)];
    const skips = random.chance(0.3) ? random.between(0, 0.2) : 0;
    return (day, level) => {
      if (random.chance(skips)) return [];
      const count = many(per_day * level, random);
      const start = day.midnight + hour * HOUR + random.normal() * 3 * MINUTE;
      return within(
        day,
        Array.from({ length: count }, () => start + random.next() * minutes * MINUTE),
      );
    };
  },
};

export type Profile = 'office' | 'waking' | 'round';

// One weight an hour, from midnight on; no two agents keep the same hours.
const profiles: Record<Profile, (random: Random) => number[]> = {
  office: random => hoursAround(random, random.between(11.5, 14), random.between(2.2, 3.4), 0),
  waking: random => hoursAround(random, random.between(13, 17), random.between(4, 6), 0.02),
  round: random => hoursAround(random, 12, 40, 0.2),
};

const hoursAround = (random: Random, middle: number, width: number, least: number) =>
  Array.from(
    { length: 24 },
    (_, hour) =>
      Math.max(least, Math.exp(-(((hour + 0.5 - middle) / width) ** 2) / 2) - 0.02) * random.between(0.7, 1.3),
  );

function placed({ midnight }: LocalDay, weights: readonly number[], count: number, random: Random): number[] {
  const hours = weights.map((weight, hour) => ({ weight, hour }));
  return Array.from({ length: count }, () => midnight + (random.weighted(hours).hour + random.next()) * HOUR);
}

/** Poisson; where there are very many the normal distribution is near enough. */
export const many = (mean: number, random: Random): number =>
  mean < 200 ? howMany(Math.max(0, mean), random) : Math.max(0, Math.round(mean + Math.sqrt(mean) * random.normal()));

/** In order, and none of another day. */
export const within = ({ midnight }: LocalDay, times: readonly number[]): number[] =>
  times.map(at => Math.round(Math.min(Math.max(at, midnight), midnight + DAY - 1))).toSorted((a, b) => a - b);
