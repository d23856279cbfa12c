import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Rate, UsdValue } from '#shared/values/price_in_usd.ts';
import { Milliseconds } from './load.ts';

/** The currency of an event `e` as the index `events_unpriced` has it: null where it was paid in a token. */
const currency = sql.fragment`(e.input::jsonb #>> '{payment,amount,currency}')`;

const UnpricedRow = z.object({
  chain_seq: z.number(),
  payment_id: z.string(),
  occurred_at: Milliseconds,
  currency: z.string(),
  value: z.string().transform(value => BigInt(value)),
});
/** An event that was stored without a price: `value` minor units of a currency. */
export type UnpricedEvent = z.infer<typeof UnpricedRow>;

/** The next events of a log without a price, currency by currency, after a place in that order; as many as `limit`. */
export const readUnpriced = (
  db: Db,
  { org_id, environment }: Tenant,
  after: { after_currency: string; after_seq: number },
  limit: number,
) =>
  db.any(sql.type(UnpricedRow)`
    select e.chain_seq, e.payment_id, e.occurred_at, ${currency} as currency, e.input::jsonb #>> '{payment,amount,value}' as value
    from events e
    where e.org_id = ${org_id} and e.environment = ${environment} and e.amount_usd_micro is null
      and (${currency}, e.chain_seq) > (${after.after_currency}, ${after.after_seq})
    order by ${currency}, e.chain_seq limit ${limit}`);

/** Whether an event after `seq` has no price and is in one of these currencies. */
export const hasUnpricedAfter = (db: Db, { org_id, environment }: Tenant, seq: number, currencies: readonly string[]) =>
  db.oneFirst(sql.type(z.object({ there: z.boolean() }))`
    select exists (
      select from events e
      where e.org_id = ${org_id} and e.environment = ${environment} and e.amount_usd_micro is null
        and ${currency} = any(${sql.array([...currencies], 'text')}) and e.chain_seq > ${seq}) as there`);

/**
 * A query for the logs (org_id, environment) that have an event without a price in one of these currencies, or in one that rates are stored
 * of. It goes from one log and currency to the next along the index, however many events each has.
 */
export const unpricedLogs = (currencies: readonly string[]) => {
  const place = sql.fragment`e.org_id, e.environment, ${currency}`;
  const unpriced = sql.fragment`select e.org_id, e.environment, ${currency} as currency from events e where e.amount_usd_micro is null`;
  return sql.fragment`
    with recursive places as (
      (${unpriced} and ${currency} is not null order by ${place} limit 1)
      union all
      select n.org_id, n.environment, n.currency from places p cross join lateral (
        ${unpriced} and ${currency} is not null and (${place}) > (p.org_id, p.environment, p.currency) order by ${place} limit 1) n
    )
    select distinct org_id, environment from places p
    where p.currency = any(${sql.array([...currencies], 'text')}) or exists (select from fx_rates r where r.currency = p.currency)`;
};

/** What an event is worth, and by which rate. */
export type Price = { usd: UsdValue; rate: Rate };

/** Gives events, by their places in the log, the prices that they have not; one that is priced keeps its price. */
export async function savePrices(tx: Db, { org_id, environment }: Tenant, prices: ReadonlyMap<number, Price>) {
  const all = [...prices];
  await tx.query(sql.unsafe`
    select price_events(${org_id}, ${environment}, ${sql.array(
      all.map(([chain_seq]) => chain_seq),
      'int8',
    )}, ${sql.array(
      all.map(([, { usd }]) => String(usd.usd_micro)),
      'numeric',
    )}, ${sql.array(
      all.map(([, { usd }]) => String(usd.usd_minor)),
      'numeric',
    )}, ${sql.array(
      all.map(([, { rate }]) => JSON.stringify(rate)),
      'jsonb',
    )})`);
}
