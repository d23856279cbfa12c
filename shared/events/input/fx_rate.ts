import { z } from 'zod';
import { minorUnitExponent } from '#shared/values/currencies.ts';

/** The value of one whole unit of a currency in US dollars on a day, as a decimal number. */
export const FxRate = z.object({
  date: z.iso.date('must be a day such as 2026-11-20'),
  currency: z.string().refine(code => minorUnitExponent(code) !== null, 'must be an ISO 4217 code such as EUR'),
  usd_per_unit: z
    .string()
    .regex(/^(?!0+(\.0+)?$)\d{1,12}(\.\d{1,15})?$/, 'must be a decimal number above zero such as 1.0865'),
});
export type FxRate = z.infer<typeof FxRate>;
