import { z } from 'zod';
import { findAlertBudget } from '#shared/detection/settings/alert_budget.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Services } from '#shared/platform/services.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/**
 * Sets the gauges of alert budgets, summed over all logs that were analyzed within the last 30 days. While the database is unreachable they
 * keep their last values.
 */
export async function measureBudgets({ db, metrics, log, now }: Services): Promise<void> {
  try {
    const sum = { open: 0, resolved: 0, dismissed: 0, agent_months: 0, budgeted: 0 };
    for (const tenant of await watchedLogs(db, now())) {
      const { per_agent_month, last_30_days } = await findAlertBudget(db, tenant, now());
      for (const state of states) sum[state] += last_30_days[state];
      sum.agent_months += last_30_days.agent_months;
      sum.budgeted += last_30_days.agent_months * per_agent_month;
    }
    for (const state of states) metrics.behavioralAlerts.set({ state }, sum[state]);
    metrics.agentMonths.set(sum.agent_months);
    metrics.budgetedAlerts.set(sum.budgeted);
  } catch (error) {
    log.debug({ error }, 'alert budgets not measured');
  }
}

const states = ['open', 'resolved', 'dismissed'] as const;

const watchedLogs = (db: Db, now: number) =>
  db.any(sql.type(z.object({ org_id: z.string(), environment: z.string() }))`
    select org_id, environment from detection_cursors where moved_at >= ${timestamp(now - 30 * DAY)}`);
