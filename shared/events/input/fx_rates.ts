import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Rates } from '#shared/values/price_in_usd.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';

/** The operator's dated rate table, as this process last read it. */
export type RateTable = { current(): Promise<Rates> };

export const FxRate = z.object({ currency: z.string(), date: z.string(), usd_per_unit: z.string() });
export type FxRate = z.infer<typeof FxRate>;

/** Rates older than this do not price a payment: weekends and holidays are bridged, a forgotten table is not. */
const OLDEST_RATE = 10 * DAY;
const TTL = MINUTE;

/**
 * Reads the rate table, again after a minute; as long as it says the same, the answer is the same object. A payment is priced at the
 * latest rate on or before its day.
 */
export function createRateTable(db: Db, now: () => number): RateTable {
  let read: { at: number; rates: Promise<Rates> } | undefined;
  let cached: { text: string; rates: Rates } | undefined;
  const readAgain = async () => {
    const rows = await readRates(db);
    const text = JSON.stringify(rows);
    if (cached?.text !== text) cached = { text, rates: ratesOf(rows) };
    return cached.rates;
  };
  return {
    current() {
      if (read && read.at > now() - TTL) return read.rates;
      const rates = readAgain();
      read = { at: now(), rates };
      rates.catch(() => (read = undefined));
      return rates;
    },
  };
}

const readRates = (db: Db) =>
  db.any(sql.type(FxRate)`
    select currency, date::text, usd_per_unit::text from fx_rates order by currency, date desc`);

function ratesOf(rows: readonly FxRate[]): Rates {
  const byCurrency = Map.groupBy(rows, row => row.currency);
  return {
    rateFor(currency, date) {
      const rate = byCurrency.get(currency)?.find(row => row.date <= date);
      return rate && Date.parse(date) - Date.parse(rate.date) <= OLDEST_RATE ? rate.usd_per_unit : null;
    },
  };
}

/** Puts rates in, replacing those of the same currency and day. */
export const saveRates = (db: Db, rates: FxRate[]) =>
  db.query(sql.unsafe`
    insert into fx_rates (currency, date, usd_per_unit)
    select * from ${sql.unnest(
      rates.map(rate => [rate.currency, rate.date, rate.usd_per_unit]),
      ['text', 'date', 'numeric'],
    )}
    on conflict (currency, date) do update set usd_per_unit = excluded.usd_per_unit`);
