import { z } from 'zod';
import { tableOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { partitionPoint } from '#shared/values/partition_point.ts';
import type { Rate, Rates } from '#shared/values/price_in_usd.ts';
import { DAY, MINUTE } from '#shared/values/time.ts';
import type { FxRate } from './fx_rate.ts';
import { referenceRates } from './reference_rates.ts';

/** Exchange rates as this process last read them: the operator's, fetched ones, and those shipped with the service. */
export type RateTable = { current(): Promise<KnownRates> };

/** `currencies`: all that have a rate for some day. */
type KnownRates = Rates & { currencies: readonly string[] };

const StoredRate = z.object({
  currency: z.string(),
  date: z.string(),
  usd_per_unit: z.string(),
  source: z.enum(['operator', 'fetched']),
});
type StoredRate = z.infer<typeof StoredRate>;

/** How old a stored rate may be: this covers weekends and holidays. */
export const OLDEST_RATE = 10 * DAY;
const TTL = MINUTE;

const RateVersion = z.object({ version: z.number() });

/** Checks every minute, or every `ttl`, whether rates have changed and then reads them again; otherwise it returns the same object. */
export function createRateTable(db: Db, now: () => number, ttl = TTL): RateTable {
  let latest: { at: number; rates: Promise<KnownRates> } | undefined;
  let cached: { version: number; rates: KnownRates } | undefined;
  const readAgain = async () => {
    const version = await db.oneFirst(sql.type(RateVersion)`select version from rate_changes`);
    if (cached?.version !== version) cached = { version, rates: ratesOf(await listRates(db)) };
    return cached.rates;
  };
  return {
    current() {
      if (latest && latest.at > now() - ttl) return latest.rates;
      const rates = readAgain();
      latest = { at: now(), rates };
      rates.catch(() => (latest = undefined));
      return rates;
    },
  };
}

/** By currency, then latest day first. */
const listRates = (db: Db): Promise<readonly StoredRate[]> =>
  db.any(sql.type(StoredRate)`
    select currency, date::text, trim_scale(usd_per_unit)::text as usd_per_unit, source from fx_rates order by currency, date desc`);

/**
 * A payment is priced at the latest stored rate on or before its day. A rate older than ten days counts only if the service ships none for
 * a later day; a currency without a shipped rate is then not priced, since an abandoned table proves nothing.
 */
function ratesOf(rows: readonly StoredRate[]): KnownRates {
  const byCurrency = Map.groupBy(rows, row => row.currency);
  return {
    currencies: [...new Set([...byCurrency.keys(), ...referenceRates.keys()])],
    rateFor(currency, date) {
      const stored = latestAt(byCurrency.get(currency) ?? [], date);
      if (stored && Date.parse(date) - Date.parse(stored.date) <= OLDEST_RATE) return rateOf(stored);
      const reference = referenceRates.get(currency);
      if (!reference) return null;
      return stored && stored.date >= reference.date ? rateOf(stored) : reference;
    },
  };
}

const rateOf = ({ usd_per_unit, date, source }: StoredRate): Rate => ({ usd_per_unit, date, source });

/** The first of rates, latest first, that is of this day or earlier. */
const latestAt = (rates: readonly StoredRate[], date: string): StoredRate | undefined =>
  rates[partitionPoint(rates.length, index => (rates[index]?.date ?? '') <= date)];

const BATCH = 5_000;

/** Stores rates in place of those for the same currency and day; fetched rates never replace the operator's. */
export async function saveRates(tx: Db, rates: readonly FxRate[], source: StoredRate['source'] = 'operator') {
  for (let at = 0; at < rates.length; at += BATCH)
    await tx.query(sql.unsafe`
      insert into fx_rates as r (currency, date, usd_per_unit, source)
      select g.*, ${source}
      from ${tableOf('g', rates.slice(at, at + BATCH), { currency: 'text', date: 'date', usd_per_unit: 'numeric' })}
      on conflict (currency, date) do update set usd_per_unit = excluded.usd_per_unit, source = excluded.source
      where (excluded.source = 'operator' or r.source = 'fetched')
        and (r.usd_per_unit, r.source) is distinct from (excluded.usd_per_unit, excluded.source)`);
}
