import type { FxRate } from '#shared/events/input/fx_rate.ts';
import { DAY, timestamp } from '#shared/values/time.ts';
import { createRandom } from './random.ts';
import { OLDEST } from './rhythm.ts';

/** Exchange rates for the days of a world: around what they were in 2026, a little different every day. */
export function exchangeRates(now: number): FxRate[] {
  const days = Array.from({ length: OLDEST / DAY + 2 }, (_, back) => timestamp(now - back * DAY).slice(0, 10));
  return Object.entries(middles).flatMap(([currency, middle]) =>
    days.map(date => ({
      currency,
      date,
      usd_per_unit: (middle * createRandom(`${currency} ${date}`).between(0.99, 1.01)).toFixed(4),
    })),
  );
}

const middles = { EUR: 1.16, GBP: 1.32 };
