import { type Db, sql } from '#shared/platform/db.ts';
import { holding } from '#shared/events/log/holding.ts';
import { type AgentHour, BASELINE_LENGTH } from '#shared/detection/model/baseline.ts';
import { addedUp, HourRow, type Wanted } from '#shared/detection/load/load_activity.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** Agents loaded at once: each may have a month of many events. */
const AGENTS_AT_ONCE = 25;
/** A payment counts when it began: the first days' events may belong to one that began earlier. */
const LONGEST_PAYMENT = 8 * DAY;

/** The hours of these agents when the log was at `cursor`, summed from their events: the stored hours include later events. */
export async function loadHoursAsOf(
  db: Db,
  { org_id, environment }: Tenant,
  wanted: Wanted,
  cursor: number,
): Promise<Map<string, AgentHour[]>> {
  const hours = new Map<string, AgentHour[]>();
  for (let start = 0; start < wanted.length; start += AGENTS_AT_ONCE) {
    const rows = await db.any(sql.type(HourRow)`
      with payment as (
        select w.agent_id, w.since, w.read_from, e.payment_id, ${addedUp},
          (array_agg(e.type order by e.occurred_at, e.chain_seq))[1] as first_type
        from ${sql.unnest(wanted.slice(start, start + AGENTS_AT_ONCE).map(sinceOf), ['text', 'timestamptz', 'timestamptz'])}
          as w (agent_id, since, read_from)
        join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.agent_id = w.agent_id
          and e.occurred_at >= w.read_from and e.chain_seq <= ${cursor}
        group by w.agent_id, w.since, w.read_from, e.payment_id
      ), begun as (
        -- Refunds and disputes come months later: they do not begin a payment, unless nothing else is known of it.
        select * from payment p
        where first_type not in ('payment.refunded', 'payment.disputed') or not exists (
          select from events e
          where ${holding('payment_id', { org_id, environment }, sql.fragment`p.payment_id`)} and e.agent_id = p.agent_id
            and e.occurred_at < p.read_from and e.chain_seq <= ${cursor})
      ), change as (
        select agent_id, since, started_at as at, 1 as payments, 0 as spend from begun
        union all
        select agent_id, since, paid_at, 0, spend from begun
        where paid_at is not null and spend > 0 and latest_type not in ('payment.failed', 'payment.canceled')
      ), minute as (
        select agent_id, date_trunc('minute', at) as at, sum(payments) as payments, sum(spend) as spend
        from change where at >= since group by 1, 2
      )
      select agent_id, date_trunc('hour', at) as hour, sum(payments)::int8 as payments, sum(spend) as spend_micro,
        max(payments)::int8 as busiest_minute
      from minute group by 1, 2 order by 1, 2`);
    for (const { agent_id, ...hour } of rows) {
      const list = hours.get(agent_id);
      if (list) list.push(hour);
      else hours.set(agent_id, [hour]);
    }
  }
  return hours;
}

const sinceOf = ({ agent_id, earliest }: Wanted[number]) => {
  const since = earliest - BASELINE_LENGTH - DAY;
  return [agent_id, timestamp(since), timestamp(since - LONGEST_PAYMENT)];
};
