import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { minorUnitExponent } from '#shared/values/currencies.ts';
import { invalidRequest } from '#shared/interface/errors.ts';
import { type FxRate, saveRates } from '#shared/events/input/fx_rates.ts';
import { type AdminCommand, need } from './command.ts';

const Row = z.object({
  date: z.iso.date('must be a day such as 2026-11-20'),
  currency: z.string().refine(code => minorUnitExponent(code) !== null, 'must be an ISO 4217 code such as EUR'),
  usd_per_unit: z
    .string()
    .regex(/^(?!0+(\.0+)?$)\d{1,12}(\.\d{1,12})?$/, 'must be a decimal number above zero such as 1.0865'),
});

const BATCH = 5_000;

export const rates: AdminCommand[] = [
  {
    name: 'rates load',
    summary: 'Load exchange rates from a CSV file (date,currency,usd_per_unit); all of it or nothing',
    options: [],
    argument: { name: '<file>', about: 'the CSV file' },
    async run(given, { db }) {
      const path = need(given, 'argument');
      const text = await readFile(path, 'utf8').catch((error: Error) => {
        throw invalidRequest(`The file ${path} cannot be read: ${error.message}.`);
      });
      const rows = readRates(text);
      await db.transaction(async tx => {
        for (let at = 0; at < rows.length; at += BATCH) await saveRates(tx, rows.slice(at, at + BATCH));
      });
      return { loaded: rows.length };
    },
  },
];

/** Reads the file; a row that does not fit refuses all, with its line. A currency and day given twice: the later one counts. */
function readRates(text: string): FxRate[] {
  let rows: { record: unknown; info: { lines: number } }[];
  try {
    rows = parse(text, { columns: true, bom: true, trim: true, skip_empty_lines: true, info: true });
  } catch (error) {
    throw invalidRequest(`The file is not CSV: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (rows.length === 0)
    throw invalidRequest('The file holds no rates. It needs the columns date,currency,usd_per_unit.');
  const rates = new Map<string, FxRate>();
  for (const { record, info } of rows) {
    const row = Row.safeParse(record);
    if (!row.success) {
      const issue = row.error.issues[0];
      throw invalidRequest(`Line ${info.lines}: ${issue?.path.join('.')} ${issue?.message}. Nothing was loaded.`);
    }
    rates.set(`${row.data.currency} ${row.data.date}`, row.data);
  }
  return [...rates.values()];
}
