import { readFileSync } from 'node:fs';
import type { Rate } from '#shared/values/price_in_usd.ts';

/**
 * The rates that come with the service, by currency: one of each, of the day on which the file was made. It says where they are from, and
 * serves from the first minute until there is a better one.
 */
export const referenceRates: ReadonlyMap<string, Rate> = new Map(
  readFileSync(new URL('./reference_rates.csv', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line): [string, Rate][] => {
      const [date = '', currency = '', usd_per_unit = ''] = line.split(',');
      return /^\d{4}-/.test(date) ? [[currency, { usd_per_unit, date, source: 'reference' }]] : [];
    }),
);
