import { z } from 'zod';
import { line } from '#shared/values/text.ts';
import { HOUR } from '#shared/values/time.ts';
import { Every, jsonOf } from './every.ts';

/** The formats that lists can be loaded from, under the names that operators type. `shared/screening/lists` reads them. */
export const listFormatNames = ['ofac-sdn', 'ofac-xml', 'un-xml', 'eu-csv', 'uk-csv', 'opensanctions', 'csv'] as const;
export type ListFormatName = (typeof listFormatNames)[number];

/** A list that the deployment fetches by itself; `every` in milliseconds. */
export type ConfiguredList = { format: ListFormatName; urls: string[]; every: number; allow_private: boolean };

const expected =
  'It must be JSON like {"ofac":{"format":"ofac-sdn","urls":["https://example.com/sdn.csv"],"every":"12h"}}: by name the format ' +
  `(${listFormatNames.join(', ')}), where its files are, how often to look (min, h, d; by default 12h), and ` +
  '"allow_private":true where they are on a network of your own.';

const List = z.strictObject({
  format: z.enum(listFormatNames),
  urls: z
    .array(z.url({ protocol: /^https?$/ }))
    .min(1)
    .max(10),
  every: Every.default(12 * HOUR),
  allow_private: z.boolean().default(false),
});

/** The setting SCREENING_LISTS. Its messages never quote it: an address may hold a key. */
export const ScreeningListsSetting = z.string().transform((text, context): Record<string, ConfiguredList> => {
  const parsed = z.record(line(64), List).safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  context.addIssue({ code: 'custom', message: expected });
  return z.NEVER;
});
