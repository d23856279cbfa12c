import type { Rate } from '#shared/values/price_in_usd.ts';

/** A rate that the operator loaded, of dollars to the unit; null for none. */
export const loadedRate = (usd_per_unit: string | null | undefined, date = '2026-11-20'): Rate | null =>
  usd_per_unit ? { usd_per_unit, date, source: 'operator' } : null;
