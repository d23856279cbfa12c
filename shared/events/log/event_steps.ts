import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { isImpossible, withinRange } from './amount_range.ts';
import { BLOCK } from './event_blocks.ts';
import { type EventFilters, positionsOf } from './event_filters.ts';

/**
 * So many events, of those that the other filters leave, are looked at in one query after the other; no index has amounts in order. Each begins
 * at a block that may have some within the bounds, so a page costs the same in a log of any length. The first step fills most pages.
 */
const STEPS = [260, ...Array.from({ length: 5 }, () => BLOCK)];

const Looked = z.object({
  count: z.int(),
  first: z.int().nullable(),
  last: z.int().nullable(),
  within: z.array(z.int()),
});

/**
 * As `positionsOf`, among amounts within the bounds: looks at 10,500 events at most. `end`: where it stopped looking, which is not the end of the list; null: there
 * is nothing beyond.
 */
export async function positionsWithin(
  db: Db,
  tenant: Tenant,
  filters: EventFilters,
  page_after: string | null,
  limit: number,
  steps: readonly number[] = STEPS,
): Promise<{ positions: FragmentSqlToken; order: FragmentSqlToken; end: string | null }> {
  const { from, to, after_seq } = filters;
  const found: number[] = [];
  const order = after_seq === undefined ? sql.fragment`desc` : sql.fragment`asc`;
  if (isImpossible(filters)) return { positions: inHand([]), order, end: null };
  const within = sql.and([
    withinRange(sql.fragment`l.amount_usd_micro`, filters),
    from !== undefined && sql.fragment`l.occurred_at >= ${from}`,
    to !== undefined && sql.fragment`l.occurred_at < ${to}`,
  ]);
  let end = page_after;
  for (const step of steps) {
    const { positions } = await positionsOf(db, tenant, filters, end, step, { only_blocks: true });
    // Materialized: planned for the few that are found, each position would be sought among all that other filters leave.
    const looked = await db.one(sql.type(Looked)`
      with looked as materialized (select chain_seq, amount_usd_micro, occurred_at from (${positions}) p)
      select count(*), min(chain_seq) as first, max(chain_seq) as last, coalesce((
        select jsonb_agg(chain_seq) from (
          select l.chain_seq from looked l where ${within} order by l.chain_seq ${order} limit ${limit - found.length}) f), '[]') as within
      from looked`);
    found.push(...looked.within);
    if (found.length === limit || looked.count < step) return { positions: inHand(found), order, end: null };
    end = String(after_seq === undefined ? looked.first : looked.last);
  }
  return { positions: inHand(found), order, end };
}

const inHand = (positions: readonly number[]) =>
  sql.fragment`select chain_seq from unnest(${sql.array([...positions], 'int8')}) chain_seq`;
