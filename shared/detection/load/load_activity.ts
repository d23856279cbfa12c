import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { isOf } from '#shared/platform/spread.ts';
import { numberOf } from '#shared/events/parties/number_of.ts';
import { holding } from '#shared/events/log/holding.ts';
import { type AgentHour, BASELINE_LENGTH } from '#shared/detection/model/baseline.ts';
import { countedMicro, Milliseconds } from '#shared/events/ranges/load.ts';
import { addToMinutes, type Minutes } from '#shared/detection/model/minutes.ts';
import { isWithin, type Span } from '#shared/detection/model/spans.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { DAY, timestamp } from '#shared/values/time.ts';

/** Agents, and the time of the earliest of the events they are to be judged by, in milliseconds. */
export type Wanted = { agent_id: string; earliest: number }[];

/** Reads what agents did hour by hour before `cursor`. */
export type HoursReader = (db: Db, tenant: Tenant, wanted: Wanted, cursor: number) => Promise<Map<string, AgentHour[]>>;

/** A row of an agent's hours, stored or added up. */
export const HourRow = z.object({
  agent_id: z.string(),
  hour: Milliseconds,
  payments: z.number(),
  spend_micro: z.string().transform(BigInt),
  busiest_minute: z.number(),
});

/** Agents' hours are read from so long before their earliest time: those of a baseline, and some more for who is a little later. */
export const HOURS_BEFORE = BASELINE_LENGTH + DAY;
/** What these agents did, hour by hour, since 30 days before their earliest time. */
export async function loadHours(db: Db, tenant: Tenant, wanted: Wanted): Promise<Map<string, AgentHour[]>> {
  const rows = await db.any(sql.type(HourRow)`
    select w.agent_id, h.hour, h.payments, h.spend_usd_micro as spend_micro, h.busiest_minute
    from ${sql.unnest(
      wanted.map(({ agent_id, earliest }) => [agent_id, timestamp(earliest - HOURS_BEFORE)]),
      ['text', 'timestamptz'],
    )} as w (agent_id, since)
    cross join lateral ${numberOf('agents', tenant, sql.fragment`w.agent_id`)} a
    cross join lateral (
      select * from hours_of_agents h where ${isOf('h', tenant.org_id)} and agent = a.number and hour >= w.since order by hour) h
    order by w.agent_id, h.hour`);
  return Map.groupBy(rows, row => row.agent_id);
}

const MinuteRow = z.object({
  agent_id: z.string(),
  minute: Milliseconds,
  payments: z.string().transform(Number),
  spend_micro: z.string().transform(BigInt),
});

/** An agent, and a time of which its minutes are wanted; its end may be infinite. */
export type WantedMinutes = Span & { agent_id: string };

/**
 * What these agents did, minute by minute, within these times, as it was at `cursor`: each payment counts when it started and costs, by its latest
 * event, when it was first paid (as `withEvent` adds it up).
 */
export async function loadMinutes(
  db: Db,
  { org_id, environment }: Tenant,
  wanted: readonly WantedMinutes[],
  cursor: number,
): Promise<Map<string, Minutes>> {
  const rows = await db.any(sql.type(MinuteRow)`
    with given as (
      select distinct w.agent_id, e.payment_id
      from ${sql.unnest(wanted.map(spanRow), ['text', 'timestamptz', 'timestamptz'])} as w (agent_id, since, until)
      join events e on e.org_id = ${org_id} and e.environment = ${environment} and e.agent_id = w.agent_id
        and e.occurred_at >= w.since and e.occurred_at < w.until and e.chain_seq <= ${cursor}
    ), payment as (
      -- All of a payment's events: one that is settled in this time may have begun long before.
      select g.agent_id, ${addedUp}
      from given g
      join events e on ${holding('payment_id', { org_id, environment }, sql.fragment`g.payment_id`)} and e.agent_id = g.agent_id
        and e.chain_seq <= ${cursor}
      group by g.agent_id, g.payment_id
    ), change as (
      select agent_id, started_at as at, 1 as payments, 0 as spend from payment
      union all
      select agent_id, paid_at, 0, spend from payment
      where paid_at is not null and spend > 0 and latest_type not in ('payment.failed', 'payment.canceled')
    )
    select agent_id, date_trunc('minute', at) as minute, sum(payments)::text as payments, sum(spend) as spend_micro
    from change group by 1, 2`);
  const minutes = new Map<string, Minutes>(wanted.map(({ agent_id }) => [agent_id, new Map()]));
  const spans = Map.groupBy(wanted, ({ agent_id }) => agent_id);
  for (const { agent_id, minute, payments, spend_micro } of rows) {
    const own = minutes.get(agent_id);
    // Of what was paid at another time than it was begun, one may lie outside.
    if (own && isWithin(minute, spans.get(agent_id) ?? [])) addToMinutes(own, { at: minute, payments, spend_micro });
  }
  return minutes;
}

const counting = sql.fragment`e.type in ('payment.authorized', 'payment.settled', 'payment.disputed')`;

/** What the events `e` of a payment add up to: when it started and was first paid, of what type its latest is, and what it cost. */
export const addedUp = sql.fragment`
  min(e.occurred_at) as started_at, min(e.occurred_at) filter (where ${counting}) as paid_at,
  (array_agg(e.type order by e.occurred_at desc, e.chain_seq desc))[1] as latest_type,
  coalesce((array_agg(${countedMicro} order by e.occurred_at desc, e.chain_seq desc) filter (where ${counting}))[1], 0)
    - coalesce(sum(${countedMicro}) filter (where e.type = 'payment.refunded'), 0) as spend`;

const spanRow = ({ agent_id, from, to }: WantedMinutes) => [
  agent_id,
  timestamp(from),
  to === Infinity ? 'infinity' : timestamp(to),
];
