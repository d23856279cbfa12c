import { createRandom } from '#bin/demo/random.ts';

/** An estimate with what it lies between in 95 of 100 cases. */
export type Estimate = { value: number; low: number; high: number };

const DRAWS = 400;

/**
 * Events per unit of exposure. Agents are drawn again and again, with replacement: those that alarm do so more than once, and an interval of
 * Poisson would be too narrow. Where nothing happened it is that of Poisson, which ends at 3 (the rule of three).
 */
export function rateOf(units: readonly { count: number; exposure: number }[]): Estimate {
  const exposure = units.reduce((sum, unit) => sum + unit.exposure, 0);
  const count = units.reduce((sum, unit) => sum + unit.count, 0);
  if (exposure === 0) return { value: 0, low: 0, high: Infinity };
  if (count === 0) return { value: 0, low: 0, high: 3 / exposure };
  const random = createRandom('bootstrap');
  const rates = Array.from({ length: DRAWS }, () => {
    let [events, watched] = [0, 0];
    for (let index = 0; index < units.length; index += 1) {
      const unit = units[random.int(0, units.length - 1)];
      events += unit?.count ?? 0;
      watched += unit?.exposure ?? 0;
    }
    return watched === 0 ? 0 : events / watched;
  }).toSorted((a, b) => a - b);
  return {
    value: count / exposure,
    low: rates[Math.floor(0.025 * DRAWS)] ?? 0,
    high: Math.max(rates[Math.floor(0.975 * DRAWS)] ?? 0, poissonHigh(count) / exposure),
  };
}

/** The share of `found` of `all` (Wilson). */
export function shareOf(found: number, all: number): Estimate {
  if (all === 0) return { value: 0, low: 0, high: 1 };
  const share = found / all;
  const middle = (share + Z ** 2 / (2 * all)) / (1 + Z ** 2 / all);
  const width = (Z / (1 + Z ** 2 / all)) * Math.sqrt((share * (1 - share)) / all + Z ** 2 / (4 * all ** 2));
  return { value: share, low: Math.max(0, middle - width), high: Math.min(1, middle + width) };
}

const Z = 1.96;

/** The upper end for a count, by Wilson and Hilferty; few agents that never alarmed say less than they seem to. */
const poissonHigh = (count: number) => (count + 1) * (1 - 1 / (9 * (count + 1)) + Z / (3 * Math.sqrt(count + 1))) ** 3;
