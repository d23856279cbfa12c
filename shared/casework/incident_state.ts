import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * Holds the alerts and incidents of a tenant until the transaction ends; comes before any of them is locked, and before agents and cases
 * are. Alerts are added to incidents, moved between them, and acted on many at a time, by detection and by people at once: taking their
 * rows one after the other, they would wait for each other in a circle. And of two people who close the last two alerts of an
 * incident, the second sees what the first has done.
 */
export const holdIncidents = (tx: Db, { org_id, environment }: Tenant) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended(${`incidents ${org_id} ${environment}`}, 0))`);

/**
 * Brings an incident up to what its alerts are: open while one of them is open, acknowledged or escalated, and acknowledged when none of
 * them is open. The caller holds the incidents.
 */
export const settleIncident = (tx: Db, { org_id, environment }: Tenant, id: string) =>
  tx.query(sql.unsafe`
    update incidents i set
      state = case when exists (
        select from alerts a where ${alertOf} and a.state in ('open', 'acknowledged', 'escalated')) then 'open' else 'closed' end,
      acknowledged = not exists (
        select from alerts a where ${alertOf} and a.state = 'open')
    where i.org_id = ${org_id} and i.environment = ${environment} and i.id = ${id}`);

const alertOf = sql.fragment`a.org_id = i.org_id and a.environment = i.environment and a.incident_id = i.id`;
