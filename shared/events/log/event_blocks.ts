import type { FragmentSqlToken } from 'slonik';
import { sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** Events of a log that have one row between them about when they occurred, which the trigger `note_event_blocks` keeps. */
export const BLOCK = 2_048;

/**
 * Conditions on `e.occurred_at`, from `from` on and before `to`, and with them on `chain_seq`: what a list passes over of a long log is not
 * walked, as far as events came in in the order in which they occurred.
 */
export function occurredWithin(
  { org_id, environment }: Tenant,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): FragmentSqlToken[] {
  const blocks = sql.fragment`event_blocks b where b.org_id = ${org_id} and b.environment = ${environment}`;
  const conditions: FragmentSqlToken[] = [];
  if (from !== undefined)
    conditions.push(sql.fragment`e.occurred_at >= ${from} and e.chain_seq >= (
      select b.block * ${BLOCK} from ${blocks} and b.latest >= ${from} order by b.block limit 1)`);
  if (to !== undefined)
    conditions.push(sql.fragment`e.occurred_at < ${to} and e.chain_seq < (
      select (b.block + 1) * ${BLOCK} from ${blocks} and b.earliest < ${to} order by b.block desc limit 1)`);
  return conditions;
}
