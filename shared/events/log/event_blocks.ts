import type { FragmentSqlToken } from 'slonik';
import { sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** Events of a log that share one row about when they occurred, maintained by the trigger `note_event_blocks`. */
export const BLOCK = 2_048;

/**
 * Conditions on `e.chain_seq` for events received from `received_from` on and before `received_to`: events are received in the order of the
 * log, so the position at which a time begins is found by bisection.
 */
export function receivedWithin(
  tenant: Tenant,
  { received_from, received_to }: { received_from?: string | undefined; received_to?: string | undefined },
): FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (received_from !== undefined)
    conditions.push(sql.fragment`e.chain_seq >= ${firstReceived(tenant, received_from)}`);
  if (received_to !== undefined) conditions.push(sql.fragment`e.chain_seq < ${firstReceived(tenant, received_to)}`);
  return conditions;
}

/**
 * The position of the first event received at this time or later; one past the end if there is none. Archived events are unknown here: it
 * is the first after them.
 */
export const firstReceived = ({ org_id, environment }: Tenant, time: string) => sql.fragment`(
  with recursive bounds (low, high) as (
    select l.archived_seq, l.size + 1 from event_logs l where l.org_id = ${org_id} and l.environment = ${environment}
    union all
    select case when m.received_at < ${time} then m.chain_seq else b.low end,
      case when m.received_at < ${time} then b.high else m.chain_seq end
    from bounds b
    join events m on m.org_id = ${org_id} and m.environment = ${environment} and m.chain_seq = (b.low + b.high) / 2
    where b.high - b.low > 1)
  select min(high) from bounds)`;

/**
 * Conditions on `e.occurred_at`, from `from` on and before `to`, with matching ones on `chain_seq`, so that a list need not walk the rest
 * of a long log, as far as events arrived in the order in which they occurred.
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
