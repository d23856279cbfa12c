import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { isSpread } from '#shared/platform/spread.ts';
import type { Rate, UsdValue } from '#shared/values/price_in_usd.ts';
import { Milliseconds } from './load.ts';

const currency = sql.fragment`(e.input::jsonb #>> '{payment,amount,currency}')`;

/** What the index `events_unpriced` holds: events `e` that were paid in money, not in a token, and have no price. */
const unpriced = sql.fragment`e.amount_usd_micro is null and ${currency} is not null`;

const UnpricedRow = z.object({
  chain_seq: z.number(),
  payment_id: z.string(),
  occurred_at: Milliseconds,
  currency: z.string(),
  value: z.string().transform(value => BigInt(value)),
});
/** An event that was stored without a price: `value` minor units of a currency. */
export type UnpricedEvent = z.infer<typeof UnpricedRow>;

/** The next events of a log without a price after `after_seq` and up to `seq`; as many as `limit`. */
export const readUnpriced = (
  db: Db,
  { org_id, environment }: Tenant,
  { after_seq, seq }: { after_seq: number; seq: number },
  limit: number,
) =>
  db.any(sql.type(UnpricedRow)`
    select e.chain_seq, e.payment_id, e.occurred_at, ${currency} as currency, e.input::jsonb #>> '{payment,amount,value}' as value
    from events e
    where e.org_id = ${org_id} and e.environment = ${environment} and ${unpriced} and e.chain_seq > ${after_seq} and e.chain_seq <= ${seq}
    order by e.chain_seq limit ${limit}`);

/** Whether a log (org_id and environment of `log`) has an event after `seq` without a price. */
export const hasUnpriced = (log: FragmentSqlToken, seq: FragmentSqlToken) => sql.fragment`
  exists (select from events e
    where e.org_id = ${log}.org_id and e.environment = ${log}.environment and ${unpriced} and e.chain_seq > ${seq})`;

/** The same of events in these currencies; it looks at each after `seq`. */
export const hasRated = (log: FragmentSqlToken, seq: FragmentSqlToken, currencies: readonly string[]) => sql.fragment`
  exists (select from events e
    where e.org_id = ${log}.org_id and e.environment = ${log}.environment and ${unpriced} and e.chain_seq > ${seq}
      and ${currency} = any(${sql.array([...currencies], 'text')}))`;

/**
 * A query for the logs (org_id, environment) that have an event without a price. It goes from one log to the next along the index, however
 * many events each has; where logs are spread, each is looked into on its node.
 */
export const unpricedLogs = () => (isSpread() ? logsOneByOne : logsInTurn);

const logsInTurn = sql.fragment`
  with recursive logs as (
    (select e.org_id, e.environment from events e where ${unpriced} order by e.org_id, e.environment limit 1)
    union all
    select n.org_id, n.environment from logs l cross join lateral (
      select e.org_id, e.environment from events e
      where ${unpriced} and (e.org_id, e.environment) > (l.org_id, l.environment) order by e.org_id, e.environment limit 1) n
  )
  select org_id, environment from logs`;

const logsOneByOne = sql.fragment`
  select l.org_id, l.environment from event_logs l where ${hasUnpriced(sql.fragment`l`, sql.fragment`0`)}`;

/** What an event is worth, and by which rate. */
export type Price = { usd: UsdValue; rate: Rate };

/** Gives events, by their places in the log, the prices that they have not; one that is priced keeps its price. */
export async function savePrices(tx: Db, { org_id, environment }: Tenant, prices: ReadonlyMap<number, Price>) {
  const all = [...prices.values()];
  const micro = all.map(({ usd }) => String(usd.usd_micro));
  const minor = all.map(({ usd }) => String(usd.usd_minor));
  const rates = all.map(({ rate }) => JSON.stringify(rate));
  await tx.query(sql.unsafe`
    select price_events(${org_id}, ${environment}, ${sql.array([...prices.keys()], 'int8')}, ${sql.array(micro, 'numeric')},
      ${sql.array(minor, 'numeric')}, ${sql.array(rates, 'jsonb')})`);
}
