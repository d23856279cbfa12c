import type { FragmentSqlToken } from 'slonik';
import { sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/** Events of a log that share one row about when they occurred and between which amounts they are, maintained by the trigger `note_event_blocks`. */
export const BLOCK = 2_048;

/**
 * Conditions on a position in the log for events received from `received_from` on and before `received_to`: events are received in the order of the
 * log, so the position at which a time begins is found by bisection.
 */
export function receivedWithin(
  tenant: Tenant,
  { received_from, received_to }: { received_from?: string | undefined; received_to?: string | undefined },
  position = sql.fragment`e.chain_seq`,
): FragmentSqlToken[] {
  const conditions: FragmentSqlToken[] = [];
  if (received_from !== undefined)
    conditions.push(sql.fragment`${position} >= ${firstReceived(tenant, received_from)}`);
  if (received_to !== undefined) conditions.push(sql.fragment`${position} < ${firstReceived(tenant, received_to)}`);
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

/** Bounds of what events of a block may be: when they occurred (`from`, before `to`), and micro-USD. */
export type BlockBounds = {
  from?: string | undefined;
  to?: string | undefined;
  least?: bigint | undefined;
  most?: bigint | undefined;
};

/** Beyond `after`, where it is given, and in which direction. */
type Way = { after: string | null | undefined; follows: boolean };

/**
 * Conditions on a position in the log, so that a list need not walk a long log to the first block that may have events within the bounds, nor
 * on from where none occurred that late or early: as far as events arrived in the order in which they occurred, that is where the list ends.
 */
export function blocksWithin(
  position: FragmentSqlToken,
  { org_id, environment }: Tenant,
  { from, to, least, most }: BlockBounds,
  { after, follows }: Way,
): FragmentSqlToken[] {
  const isLate = from !== undefined && sql.fragment`b.latest >= ${from}`;
  const isEarly = to !== undefined && sql.fragment`b.earliest < ${to}`;
  const others = [
    // Of a block from before amounts were noted, none is known.
    least !== undefined && sql.fragment`coalesce(b.largest >= ${String(least)}::numeric, true)`,
    most !== undefined && sql.fragment`coalesce(b.smallest <= ${String(most)}::numeric, true)`,
  ];
  const blocks = sql.fragment`event_blocks b where b.org_id = ${org_id} and b.environment = ${environment}`;
  const seek = (sought: (FragmentSqlToken | false)[]) => sql.fragment`${sql.and(sought)}`;
  const firstUp = (...sought: (FragmentSqlToken | false)[]) => sql.fragment`${position} >= (
    select b.block * ${BLOCK} from ${blocks} and ${seek(sought)} order by b.block limit 1)`;
  const firstDown = (...sought: (FragmentSqlToken | false)[]) => sql.fragment`${position} < (
    select (b.block + 1) * ${BLOCK} from ${blocks} and ${seek(sought)} order by b.block desc limit 1)`;
  if ([from, to, least, most].every(bound => bound === undefined)) return [];
  const beyond =
    typeof after === 'string' &&
    (follows
      ? sql.fragment`b.block >= (${after}::bigint + 1) / ${BLOCK}`
      : sql.fragment`b.block <= (${after}::bigint - 1) / ${BLOCK}`);
  return follows
    ? [firstUp(isLate, isEarly, ...others, beyond), ...(isEarly ? [firstDown(isEarly)] : [])]
    : [firstDown(isLate, isEarly, ...others, beyond), ...(isLate ? [firstUp(isLate)] : [])];
}
