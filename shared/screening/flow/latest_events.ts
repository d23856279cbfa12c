import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';
import { isPaying } from '#shared/detection/detectors/sanctions_match.ts';
import { EventType } from '#shared/values/event_types.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const LatestEvent = z.object({
  payee_id: z.string(),
  chain_seq: z.number(),
  id: z.string(),
  agent_id: z.string(),
});
/** A payee's event, by its position in the log. */
type LatestEvent = z.infer<typeof LatestEvent>;

/** The latest event of each payee, up to `seq`; null: of the whole log. */
export async function latestEvents(
  tx: Db,
  tenant: Tenant,
  payee_ids: readonly string[],
  seq: number | null,
): Promise<readonly LatestEvent[]> {
  if (payee_ids.length === 0) return [];
  return tx.any(sql.type(LatestEvent)`
    select g.id as payee_id, e.chain_seq, e.id, e.agent_id
    from unnest(${sql.array([...payee_ids], 'text')}) g (id) cross join lateral (
      select e.chain_seq, e.id, e.agent_id from events e
      where ${holding('payee_id', tenant, sql.fragment`g.id`)}
        and ${seq === null ? true : sql.fragment`e.chain_seq <= ${seq}`}
      order by e.chain_seq desc limit 1) e`);
}

/** Agents searched per payee: those that paid it, and those of its latest events, one of which may have failed. */
const MOST_AGENTS = 1_000;
const MOST_EVENTS = 100;
const paying = EventType.options.filter(isPaying);

/** The latest payment of each agent to each payee, up to `seq`, in the order of the log. */
export async function latestPayments(
  tx: Db,
  tenant: Tenant,
  payee_ids: readonly string[],
  seq: number,
): Promise<readonly LatestEvent[]> {
  if (payee_ids.length === 0) return [];
  const { org_id, environment } = tenant;
  return tx.any(sql.type(LatestEvent)`
    select g.id as payee_id, e.chain_seq, e.id, e.agent_id
    from unnest(${sql.array([...payee_ids], 'text')}) g (id) cross join lateral (
      (select agent_id from agent_payees
        where org_id = ${org_id} and environment = ${environment} and payee_id = g.id
        order by first_seen_at desc limit ${MOST_AGENTS})
      union
      (select e.agent_id from events e
        where ${holding('payee_id', tenant, sql.fragment`g.id`)} and e.chain_seq <= ${seq}
        order by e.chain_seq desc limit ${MOST_EVENTS})) a cross join lateral (
      select e.chain_seq, e.id, e.agent_id from events e
      where ${holding('payee_id', tenant, sql.fragment`g.id`)} and e.agent_id = a.agent_id and e.chain_seq <= ${seq}
        and e.type = any(${sql.array(paying, 'text')})
      order by e.chain_seq desc limit 1) e
    order by e.chain_seq`);
}
