import { z } from 'zod';
import type { Tenant } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';

/** What an organization asks for by default: expected false alarms an agent and month, over all behavioral detectors together. */
export const ALERT_BUDGET = 0.1;

/** The alert budget of a log: what was set, or else the default. */
export async function readAlertBudget(db: Db, { org_id, environment }: Tenant): Promise<number> {
  const budget = await db.maybeOneFirst(sql.type(z.object({ budget: z.number() }))`
    select per_agent_month::float8 as budget from alert_budgets where org_id = ${org_id} and environment = ${environment}`);
  return budget ?? ALERT_BUDGET;
}
