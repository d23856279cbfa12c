import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { isOf } from '#shared/platform/spread.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';

/** How an alert budget turned out: alerts on conduct, next to the time for which agents were watched. */
export const BudgetOutcome = z
  .object({
    from: Timestamp.meta({ description: '30 days before `to`' }),
    to: Timestamp.meta({ description: 'the end of this hour' }),
    alerts: z.int().meta({
      description:
        'alerts that behavioral detectors raised because conduct was rare, by when that conduct occurred; findings by a rule, by customized parameters, and in shadow are not among them. Below they are counted by the state they are in now',
    }),
    open: z.int().meta({ description: 'open, acknowledged or escalated' }),
    resolved: z.int(),
    dismissed: z.int(),
    agents: z.int().meta({
      description:
        'agents of which an event was received in these 30 days; of those first seen in them, the ones that paid in them and not only before',
    }),
    agent_months: z.number().meta({
      description:
        'how long these agents were watched, in months of 30 days: each from when it was first seen (or from the hour of its first payment, where that occurred earlier; or from `from`, where that is later) to `to`, whether it paid all that time or not',
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
 * The alerts on conduct of the last 30 days, and for how long agents were watched. When they first paid is looked up only for agents first
 * seen in that time, at 40 µs each.
 */
export function readBudgetOutcome(db: Db, { org_id, environment }: Tenant, now: number): Promise<BudgetOutcome> {
  // Up to the end of this hour, so that a response stays the same for as long as its ETag does.
  const end = Math.ceil((now + 1) / HOUR) * HOUR;
  const [from, to] = [timestamp(end - RANGE), timestamp(end)];
  const ofAgent = sql.fragment`org_id = ${org_id} and environment = ${environment} and agent_id = a.id`;
  const hour = (order: FragmentSqlToken) =>
    sql.fragment`(select hour from hours_of_agents h where ${isOf('h', org_id)} and agent = a.number order by hour ${order} limit 1)`;
  return db.one(sql.type(BudgetOutcome)`
    with raised as (
      select count(*) as alerts, count(*) filter (where state in ('open', 'acknowledged', 'escalated')) as open,
        count(*) filter (where state = 'resolved') as resolved, count(*) filter (where state = 'dismissed') as dismissed
      from alerts
      where org_id = ${org_id} and environment = ${environment} and conduct_at >= ${from} and conduct_at < ${to}
    ), every as (
      select count(*) as agents from agent_totals
      where org_id = ${org_id} and environment = ${environment} and last_seen_at >= ${from}
    ), young as materialized (
      -- A lateral of one row keeps the planner to the primary key.
      select least(a.first_seen_at, ${hour(sql.fragment`asc`)}) as first, coalesce(${hour(sql.fragment`desc`)}, a.first_seen_at) as last
      from agents a cross join lateral (select from agent_totals where ${ofAgent} limit 1) analyzed
      where a.org_id = ${org_id} and a.environment = ${environment} and a.first_seen_at >= ${from}
    ), watched as (
      select (select agents from every) - count(*) as old, count(*) filter (where last >= ${from}) as young,
        coalesce(sum(extract(epoch from ${to} - greatest(first, ${from}))) filter (where last >= ${from}), 0)
          / extract(epoch from ${to}::timestamptz - ${from}) as months_of_young
      from young
    ), sum as (
      select old + young as agents, old + months_of_young as months from watched
    )
    select ${from} as "from", ${to} as "to", alerts, open, resolved, dismissed, agents, round(months, 3)::float8 as agent_months,
      round(case when months >= 1 then alerts / months end, 3)::float8 as alerts_per_agent_month,
      round(case when months >= 1 then dismissed / months end, 3)::float8 as dismissed_per_agent_month
    from raised, sum`);
}
