import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { smallestUnits } from '#shared/values/money.ts';
import { type EventFilters, positionsOf } from './event_filters.ts';

/** So many events, of those that the other filters leave, are looked at in one query; no index has amounts in order. */
const STEP = 20_000;
const MOST_STEPS = 3;
const MICRO_USD_PLACES = 6;

/** Whether only amounts within bounds are asked for. */
export const hasRange = ({ amount_min, amount_max }: EventFilters): boolean =>
  amount_min !== undefined || amount_max !== undefined;

/** The condition that micro-USD are within the bounds of the filters. */
export function withinRange(usd_micro: FragmentSqlToken, { amount_min, amount_max }: EventFilters): FragmentSqlToken {
  return sql.fragment`${sql.and([
    amount_min !== undefined && sql.fragment`${usd_micro} >= ${String(microUsdOf(amount_min))}::numeric`,
    amount_max !== undefined && sql.fragment`${usd_micro} <= ${String(microUsdOf(amount_max))}::numeric`,
  ])}`;
}

/** The filter has let through no other form. */
const microUsdOf = (text: string): bigint => smallestUnits(text.replaceAll(/[$,]/g, ''), MICRO_USD_PLACES) ?? 0n;

/** No amount is within bounds that have passed each other: there is nothing to look through. */
const isImpossible = ({ amount_min, amount_max }: EventFilters): boolean =>
  amount_min !== undefined && amount_max !== undefined && microUsdOf(amount_min) > microUsdOf(amount_max);

/** These positions with the amount of each, in micro-USD, as `p`. */
export const priced = ({ org_id, environment }: Tenant, positions: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  (select q.chain_seq, e.amount_usd_micro from (${positions}) q cross join lateral (
    select amount_usd_micro from events
    where org_id = ${org_id} and environment = ${environment} and chain_seq = q.chain_seq limit 1) e) p`;

const Looked = z.object({
  count: z.int(),
  first: z.int().nullable(),
  last: z.int().nullable(),
  within: z.array(z.int()),
});

/**
 * As `positionsOf`, among amounts within the bounds: step by step, sixty thousand events at most. `end`: where it stopped
 * looking, which is not the end of the list; null: there is nothing beyond.
 */
export async function positionsWithin(
  db: Db,
  tenant: Tenant,
  filters: EventFilters,
  page_after: string | null,
  limit: number,
  { looked = STEP, steps = MOST_STEPS } = {},
): Promise<{ positions: FragmentSqlToken; order: FragmentSqlToken; end: string | null }> {
  const found: number[] = [];
  const order = filters.after_seq === undefined ? sql.fragment`desc` : sql.fragment`asc`;
  if (isImpossible(filters)) return { positions: inHand([]), order, end: null };
  let end = page_after;
  for (let step = 0; step < steps && found.length < limit; step += 1) {
    const { positions } = await positionsOf(db, tenant, filters, end, looked);
    // Materialized: planned for the few that are found, each position would be sought among all that other filters leave.
    const { count, first, last, within } = await db.one(sql.type(Looked)`
      with looked as materialized (select p.chain_seq, p.amount_usd_micro from ${priced(tenant, positions)})
      select count(*), min(chain_seq) as first, max(chain_seq) as last, coalesce((
        select jsonb_agg(chain_seq) from (
          select p.chain_seq from looked p where ${withinRange(sql.fragment`p.amount_usd_micro`, filters)}
          order by p.chain_seq ${order} limit ${limit - found.length}) f), '[]') as within
      from looked`);
    found.push(...within);
    if (found.length === limit) break;
    if (count < looked) return { positions: inHand(found), order, end: null };
    end = String(filters.after_seq === undefined ? first : last);
  }
  return { positions: inHand(found), order, end: found.length === limit ? null : end };
}

const inHand = (positions: readonly number[]) =>
  sql.fragment`select chain_seq from unnest(${sql.array([...positions], 'int8')}) chain_seq`;
