import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { isOf } from '#shared/platform/spread.ts';
import { Rail } from '#shared/values/event_types.ts';
import { Id } from '#shared/interface/ids.ts';
import { centsOf, summedDays } from './agent_records.ts';
import type { Tenant } from '#shared/interface/schemas.ts';

const activity = {
  payments: z.int().meta({ description: 'payments that started, whatever became of them' }),
  spend_usd_minor: z.string().meta({ description: 'US cents, as far as it could be priced' }),
};
const count = z.int().min(0);

/** What an agent did in the last 30 days (UTC), today included. A payment counts under the rail and the payee of its latest event. */
export const AgentSummary = z
  .object({
    by_day: z
      .array(z.object({ day: z.string().meta({ format: 'date' }), ...activity }))
      .meta({ description: '30 days, oldest first' }),
    by_rail: z.array(z.object({ rail: Rail, ...activity })).meta({ description: 'by spend, the most first' }),
    by_payee: z
      .array(z.object({ payee_id: Id('pye'), key: z.string(), name: z.string().nullable(), ...activity }))
      .meta({ description: 'the 20 with the most spend' }),
    verification: z
      .object({ verified: count, failed: count, inconclusive: count, none: count })
      .meta({ description: 'events by the result of their verification' }),
    mandates: z
      .object({ compliant: count, breach: count, unresolved: count, none: count })
      .meta({ description: 'events by the result of their mandate evaluation' }),
  })
  .meta({ id: 'AgentSummary' });
export type AgentSummary = z.infer<typeof AgentSummary>;

const MOST_PAYEES = 20;

const sums = sql.fragment`sum(d.payments) as payments, sum(d.spend) as spend`;
const activityOf = (row: 'd' | 'r' | 'p') =>
  sql.fragment`'payments', coalesce(${sql.identifier([row, 'payments'])}, 0),
    'spend_usd_minor', ${centsOf(sql.identifier([row, 'spend']))}`;

/** Null when the tenant has no such agent. Reads a row a day, rail and payee of this agent, however many payments they had. */
export function summarizeAgent(db: Db, { org_id, environment }: Tenant, id: string, now: number) {
  const { first, last } = summedDays(now);
  return db.maybeOne(sql.type(AgentSummary)`
    with done as materialized (
      select d.day, d.rail, d.payee, d.events, d.payments, d.spend_usd_micro as spend from days_of_agents d
      where ${isOf('d', org_id)} and d.agent = (select number from agents where org_id = ${org_id} and environment = ${environment} and id = ${id})
        and d.day >= ${first}::date and d.day <= ${last}::date
    ), day as (
      select d.day, ${sums} from done d group by d.day
    ), rail as (
      select d.rail, ${sums} from done d group by d.rail having sum(d.payments) > 0 or sum(d.spend) > 0
    ), payee as (
      select d.payee, ${sums} from done d group by d.payee having sum(d.payments) > 0 or sum(d.spend) > 0
      order by sum(d.spend) desc, sum(d.payments) desc, d.payee limit ${MOST_PAYEES}
    ), counted as (
      select coalesce(sum(d.events), 0) as events from done d
    ), verdict as (
      select coalesce(sum(verified), 0) as verified, coalesce(sum(failed), 0) as failed, coalesce(sum(inconclusive), 0) as inconclusive,
        coalesce(sum(compliant), 0) as compliant, coalesce(sum(breach), 0) as breach, coalesce(sum(unresolved), 0) as unresolved
      from agent_verdict_days
      where org_id = ${org_id} and environment = ${environment} and agent_id = ${id} and day >= ${first}::date and day <= ${last}::date
    )
    select
      (select json_agg(json_build_object('day', s.day, ${activityOf('d')}) order by s.day)
        from (select ${first}::date + n as day from generate_series(0, ${last}::date - ${first}::date) n) s
        left join day d on d.day = s.day) as by_day,
      (select coalesce(json_agg(json_build_object('rail', r.rail, ${activityOf('r')}) order by r.spend desc, r.rail), '[]')
        from rail r) as by_rail,
      (select coalesce(json_agg(json_build_object('payee_id', k.id, 'key', k.key, 'name', k.name, ${activityOf('p')})
          order by p.spend desc, p.payments desc, p.payee), '[]')
        from payee p cross join lateral (
          select y.id, y.key, y.name from payees y
          where y.number = p.payee and y.org_id = ${org_id} and y.environment = ${environment} limit 1) k) as by_payee,
      json_build_object('verified', v.verified, 'failed', v.failed, 'inconclusive', v.inconclusive,
        'none', c.events - v.verified - v.failed - v.inconclusive) as verification,
      json_build_object('compliant', v.compliant, 'breach', v.breach, 'unresolved', v.unresolved,
        'none', c.events - v.compliant - v.breach - v.unresolved) as mandates
    from agents a cross join counted c cross join verdict v
    where a.org_id = ${org_id} and a.environment = ${environment} and a.id = ${id}`);
}
