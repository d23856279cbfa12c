import { readFileSync } from 'node:fs';
import type { Rate } from '#shared/values/price_in_usd.ts';

/**
 * The rates shipped with the service, one per currency, for the day on which the file was made. The file names their source; they serve
 * until there are better ones.
 */
export const referenceRates: ReadonlyMap<string, Rate> = new Map(
  readFileSync(new URL('./reference_rates.csv', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line): [string, Rate][] => {
      const [date = '', currency = '', usd_per_unit = ''] = line.split(',');
      return /^\d{4}-/.test(date) ? [[currency, { usd_per_unit, date, source: 'reference' }]] : [];
    }),
);
