import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * Locks the alerts and incidents of a tenant until the transaction ends; must come before any of them, and before agents and cases, are
 * locked. Detection and people add alerts to incidents, move them and act on many at once: locking row by row, they would deadlock. And
 * when two people close the last two alerts of an incident, the second sees the first's change.
 */
export const holdIncidents = (tx: Db, { org_id, environment }: Tenant) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended(${`incidents ${org_id} ${environment}`}, 0))`);

/**
 * Updates an incident's state from its alerts: open while one is open, acknowledged or escalated, and acknowledged when none of them is
 * open. One that is closed is not snoozed any more: when it is reopened, it is in the queue. The caller holds the incidents.
 */
export const settleIncident = (tx: Db, { org_id, environment }: Tenant, id: string) =>
  tx.query(sql.unsafe`
    update incidents i set
      state = case when ${isLive} then 'open' else 'closed' end,
      snoozed_until = case when ${isLive} then i.snoozed_until end,
      acknowledged = not exists (
        select from alerts a where ${alertOf} and a.state = 'open')
    where i.org_id = ${org_id} and i.environment = ${environment} and i.id = ${id}`);

const alertOf = sql.fragment`a.org_id = i.org_id and a.environment = i.environment and a.incident_id = i.id`;
const isLive = sql.fragment`exists (
  select from alerts a where ${alertOf} and a.state in ('open', 'acknowledged', 'escalated'))`;
