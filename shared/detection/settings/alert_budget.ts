import { z } from 'zod';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { timestamp } from '#shared/values/time.ts';
import { BudgetOutcome, readBudgetOutcome } from './budget_outcome.ts';

/** The default budget of an organization: expected false alarms per agent and month, over all behavioral detectors together. */
export const ALERT_BUDGET = 0.1;

const PerAgentMonth = z.number().min(0.01).max(10);

/** How many false alarms an organization accepts. */
export const NewAlertBudget = z
  .strictObject({
    per_agent_month: PerAgentMonth.meta({
      description:
        'expected false alarms an agent and month, over all behavioral detectors together; kept to three decimals',
    }),
  })
  .meta({ id: 'NewAlertBudget', examples: [{ per_agent_month: 0.2 }] });

/** The alert budget of a log, and how it turned out. */
export const AlertBudget = z
  .object({
    per_agent_month: PerAgentMonth.meta({
      description: 'expected false alarms an agent and month, over all behavioral detectors together',
    }),
    updated_at: Timestamp.nullable().meta({ description: 'null: never set, the default applies' }),
    updated_by: z.string().nullable().meta({ description: '`usr_…`; null: never set' }),
    last_30_days: BudgetOutcome,
  })
  .meta({ id: 'AlertBudget' });
export type AlertBudget = z.infer<typeof AlertBudget>;

/** The alert budget of a log: the one set, or the default. */
export const readAlertBudget = async (db: Db, tenant: Tenant): Promise<number> =>
  (await readSet(db, tenant)).per_agent_month;

/** The alert budget, with how it turned out over the last 30 days. */
export const findAlertBudget = async (db: Db, tenant: Tenant, now: number): Promise<AlertBudget> => ({
  ...(await readSet(db, tenant)),
  last_30_days: await readBudgetOutcome(db, tenant, now),
});

/** Sets the alert budget, starting with the next range. Returns the budgets after and before. */
export async function setAlertBudget(
  tx: Db,
  tenant: Tenant,
  { per_agent_month, set_by }: { per_agent_month: number; set_by: string },
  now: number,
): Promise<{ before: number; budget: AlertBudget }> {
  const { org_id, environment } = tenant;
  const before = await readAlertBudget(tx, tenant);
  await tx.query(sql.unsafe`
    insert into alert_budgets (org_id, environment, per_agent_month, updated_at, updated_by)
    values (${org_id}, ${environment}, ${per_agent_month}, ${timestamp(now)}, ${set_by})
    on conflict (org_id, environment) do update set
      per_agent_month = excluded.per_agent_month, updated_at = excluded.updated_at, updated_by = excluded.updated_by`);
  return { before, budget: await findAlertBudget(tx, tenant, now) };
}

const Setting = AlertBudget.omit({ last_30_days: true });

const readSet = async (db: Db, { org_id, environment }: Tenant): Promise<z.infer<typeof Setting>> =>
  (await db.maybeOne(sql.type(Setting)`
    select per_agent_month::float8 as per_agent_month, updated_at, updated_by
    from alert_budgets where org_id = ${org_id} and environment = ${environment}`)) ?? {
    per_agent_month: ALERT_BUDGET,
    updated_at: null,
    updated_by: null,
  };
