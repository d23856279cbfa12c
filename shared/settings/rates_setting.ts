import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { HOUR } from '#shared/values/time.ts';
import { Every, jsonOf } from './every.ts';

/** Where the service fetches exchange rates: an address or the path of a file, `every` so many milliseconds. `id` stands for the place. */
export type ConfiguredRates = { id: string; from: string; every: number; allow_private: boolean };

/** The last 90 days, so that nothing is missed while the service stands still. */
const ECB = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml';

const expected =
  'It must be ecb, an https address, the path of a file that begins with /, or JSON like ' +
  '{"from":"https://example.com/rates.csv","every":"6h"}, with "allow_private":true where that is on a network of your own.';

const isAddress = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

const Rates = z.strictObject({
  from: z.string().refine(text => text === 'ecb' || isAddress(text) || isAbsolute(text)),
  every: Every.default(6 * HOUR),
  allow_private: z.boolean().default(false),
});

/** The setting RATES. Its messages never quote it: an address may hold a key. */
export const RatesSetting = z.string().transform((text, context): ConfiguredRates | undefined => {
  if (text === '') return undefined;
  const parsed = Rates.safeParse(text.startsWith('{') ? jsonOf(text) : { from: text });
  if (parsed.success && (parsed.data.allow_private || !parsed.data.from.startsWith('http:'))) {
    const { every, allow_private } = parsed.data;
    const from = parsed.data.from === 'ecb' ? ECB : parsed.data.from;
    return { id: createHash('sha256').update(from).digest('hex'), from, every, allow_private };
  }
  context.addIssue({ code: 'custom', message: expected });
  return z.NEVER;
});
