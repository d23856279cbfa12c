import { z } from 'zod';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';

/** What became of an alert budget: alerts on conduct, beside the time for which agents were watched. */
export const BudgetOutcome = z
  .object({
    from: Timestamp.meta({ description: '30 days before `to`' }),
    to: Timestamp.meta({ description: 'the end of this hour' }),
    alerts: z.int().meta({
      description:
        'alerts that behavioral detectors raised because conduct was rare, by when that conduct occurred; findings by a rule, by parameters that somebody set, and in shadow are not among them. Below they are counted by the state they are in now',
    }),
    open: z.int().meta({ description: 'open, acknowledged or escalated' }),
    resolved: z.int(),
    dismissed: z.int(),
    agents: z.int().meta({ description: 'agents that began a payment in these 30 days' }),
    agent_months: z.number().meta({
      description:
        'how long these agents were watched, in months of 30 days: each from the hour of its first payment, or from `from` where that is later, to `to`, whether it paid all that time or not',
    }),
    alerts_per_agent_month: z
      .number()
      .nullable()
      .meta({ description: 'alerts ÷ agent_months; null below one agent-month, which is too little to tell' }),
    dismissed_per_agent_month: z
      .number()
      .nullable()
      .meta({ description: 'dismissed ÷ agent_months: the false alarms that people named; null likewise' }),
  })
  .meta({ id: 'AlertBudgetOutcome' });
export type BudgetOutcome = z.infer<typeof BudgetOutcome>;

const RANGE = 30 * DAY;

/**
 * The alerts on conduct of the last 30 days, and for how long agents were watched: of each agent that an event came of, two looks by primary
 * key at the hours in which it paid.
 */
export function readBudgetOutcome(db: Db, { org_id, environment }: Tenant, now: number): Promise<BudgetOutcome> {
  // Up to the end of this hour, so that an answer stays the same for as long as its ETag does.
  const end = Math.ceil((now + 1) / HOUR) * HOUR;
  const [from, to] = [timestamp(end - RANGE), timestamp(end)];
  const hourOf = (which: 'first' | 'last') => sql.fragment`(
    select h.hour from agent_hours h
    where h.org_id = ${org_id} and h.environment = ${environment} and h.agent_id = t.agent_id
    order by h.hour ${which === 'first' ? sql.fragment`asc` : sql.fragment`desc`} limit 1)`;
  return db.one(sql.type(BudgetOutcome)`
    with raised as (
      select count(*) as alerts, count(*) filter (where state in ('open', 'acknowledged', 'escalated')) as open,
        count(*) filter (where state = 'resolved') as resolved, count(*) filter (where state = 'dismissed') as dismissed
      from alerts
      where org_id = ${org_id} and environment = ${environment} and conduct_at >= ${from} and conduct_at < ${to}
    ), agent as (
      select ${hourOf('first')} as first, ${hourOf('last')} as last from agent_totals t
      where t.org_id = ${org_id} and t.environment = ${environment} and t.last_seen_at >= ${from}
    ), watched as (
      select count(*) as agents,
        coalesce(sum(extract(epoch from ${to} - greatest(first, ${from}))), 0) / extract(epoch from ${to}::timestamptz - ${from}) as months
      from agent where last >= ${from} and first < ${to}
    )
    select ${from} as "from", ${to} as "to", alerts, open, resolved, dismissed, agents, round(months, 3)::float8 as agent_months,
      round(case when months >= 1 then alerts / months end, 3)::float8 as alerts_per_agent_month,
      round(case when months >= 1 then dismissed / months end, 3)::float8 as dismissed_per_agent_month
    from raised, watched`);
}
