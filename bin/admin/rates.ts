import { readFile } from 'node:fs/promises';
import { fetchRates, whyNoRates } from '#shared/events/input/fetch_rates.ts';
import { createRateTable, saveRates } from '#shared/events/input/fx_rates.ts';
import { readRateFile } from '#shared/events/input/rate_file.ts';
import { readRateSource } from '#shared/events/input/rate_sources.ts';
import { invalidRequest, Problem } from '#shared/interface/errors.ts';
import { currencyCodes } from '#shared/values/currencies.ts';
import { timestamp } from '#shared/values/time.ts';
import { type AdminCommand, need } from './command.ts';

export const rates: AdminCommand[] = [
  {
    name: 'rates load',
    summary:
      'Load exchange rates from a CSV file (date,currency,usd_per_unit), or from one of the European Central Bank; all of it or nothing',
    options: [],
    argument: { name: '<file>', about: 'the file' },
    async run(options, { db }) {
      const path = need(options, 'argument');
      const file = await readFile(path).catch((error: Error) => {
        throw invalidRequest(`The file ${path} cannot be read: ${error.message}.`);
      });
      const rows = await readRateFile(file);
      await db.transaction(tx => saveRates(tx, rows));
      return { loaded: rows.length };
    },
  },
  {
    name: 'rates fetch',
    summary: 'Fetch now the exchange rates that RATES names',
    options: [],
    async run(_given, services) {
      const { rates: configured } = services.config;
      if (!configured) throw invalidRequest('RATES names no place to fetch from.');
      try {
        const fetched = await fetchRates(services, configured);
        return fetched ? { state: 'loaded', ...fetched } : { state: 'unchanged' };
      } catch (error) {
        const reason = whyNoRates(error).replace(/\.?$/, '.');
        throw new Problem('unprocessable', `${reason} The rates that were there stay in use.`);
      }
    },
  },
  {
    name: 'rates show',
    summary: 'Show what a payment of today is priced at: each currency, its rate, the day and the source of that',
    options: [],
    async run(_given, { db, config, now }, shell) {
      const current = await createRateTable(db, now).current();
      const today = timestamp(now()).slice(0, 'YYYY-MM-DD'.length);
      const data = currencyCodes.flatMap(currency => {
        const rate = current.rateFor(currency, today);
        return rate ? [{ currency, ...rate }] : [];
      });
      const error = config.rates && (await readRateSource(db, config.rates.id)).error;
      if (error) shell.stderr.write(`Rates were not fetched when that was last tried: ${error}\n`);
      return { data };
    },
  },
];
