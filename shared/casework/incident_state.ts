import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

/**
 * Holds incidents until the transaction ends, before one of their alerts is moved: of two people who close the last two alerts at once,
 * the second sees what the first has done. Comes after the alerts' own locks, and before those of agents and cases.
 */
export const lockIncidents = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[]) =>
  tx.query(sql.unsafe`
    select from incidents
    where org_id = ${org_id} and environment = ${environment} and id = any(${sql.array([...ids], 'text')})
    order by id for update`);

/**
 * Brings incidents, which are locked, up to what their alerts are: open while one of them is open, acknowledged or escalated, and
 * acknowledged when none of them is open.
 */
export const settleIncidents = (tx: Db, { org_id, environment }: Tenant, ids: readonly string[]) =>
  tx.query(sql.unsafe`
    update incidents i set
      state = case when exists (
        select from alerts a where ${alertOf} and a.state in ('open', 'acknowledged', 'escalated')) then 'open' else 'closed' end,
      acknowledged = not exists (
        select from alerts a where ${alertOf} and a.state = 'open')
    where i.org_id = ${org_id} and i.environment = ${environment} and i.id = any(${sql.array([...ids], 'text')})`);

const alertOf = sql.fragment`a.org_id = i.org_id and a.environment = i.environment and a.incident_id = i.id`;
