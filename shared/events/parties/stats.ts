import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { invalidDetail } from '#shared/interface/errors.ts';
import { centsOf } from './agent_records.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { DAY, FIRST_TIME, HOUR, timestamp } from '#shared/values/time.ts';

export const Bucket = z.enum(['hour', 'day']);
export type Bucket = z.infer<typeof Bucket>;

const StatsBucket = z
  .object({
    at: Timestamp.meta({ description: 'when the hour or day begins (UTC)' }),
    events: z.int().meta({ description: 'events that occurred, as far as they were analyzed' }),
    payments: z.int().meta({ description: 'payments that started, whatever became of them' }),
    spend_usd_minor: z.string().meta({ description: 'US cents, in the bucket in which each payment was first paid' }),
    spend_usd_micro: z.string().meta({ description: 'the same in millionths of a US dollar: what to add up' }),
    alerts: z.int().meta({ description: 'alerts that were created' }),
    breaches: z.int().meta({ description: 'those of them that tell of a mandate breach' }),
  })
  .meta({ id: 'StatsBucket' });

export const Stats = z
  .object({
    bucket: Bucket,
    from: Timestamp.meta({ description: 'where the first bucket begins' }),
    to: Timestamp.meta({ description: 'where the last bucket ends' }),
    data: z.array(StatsBucket).meta({ description: 'oldest first, those in which nothing happened too' }),
  })
  .meta({ id: 'Stats' });
export type Stats = z.infer<typeof Stats>;

const lengths: Record<Bucket, { bucket: number; range: number }> = {
  hour: { bucket: HOUR, range: 48 * HOUR },
  day: { bucket: DAY, range: 30 * DAY },
};

const MOST_BUCKETS = 1_000;

/** The last day of the years of four digits, as in PostgreSQL and RFC 3339. */
const LAST = Date.parse('9999-12-31T00:00:00.000Z');

/**
 * What happened from `from` until `to`, in whole hours or days (UTC): the last 48 hours or 30 days when they are left out. Throws
 * `invalid_request` where they are more than 1,000, or none.
 */
export async function readStats(db: Db, { org_id, environment }: Tenant, range: Range, now: number): Promise<Stats> {
  const { bucket } = range;
  const { from, to, step } = rangeOf(range, now);
  const data = await db.any(sql.type(StatsBucket)`
    with done as (
      select date_trunc(${bucket}, h.hour, 'UTC') as at, h.events, h.payments, h.spend_usd_micro as spend, 0 as alerts, 0 as breaches
      from organization_hours h
      where h.org_id = ${org_id} and h.environment = ${environment} and h.hour >= ${from} and h.hour < ${to}
      union all
      select date_trunc(${bucket}, a.created_at, 'UTC'), 0, 0, 0, count(*), count(*) filter (where a.detector = 'mandate_breach')
      from alerts a
      where a.org_id = ${org_id} and a.environment = ${environment} and a.created_at >= ${from} and a.created_at < ${to}
      group by 1
    ), total as (
      select at, sum(events) as events, sum(payments) as payments, sum(spend) as spend, sum(alerts) as alerts, sum(breaches) as breaches
      from done group by at
    )
    select s.at, coalesce(t.events, 0)::int8 as events, coalesce(t.payments, 0)::int8 as payments,
      ${centsOf(sql.fragment`t.spend`)} as spend_usd_minor, coalesce(t.spend, 0)::text as spend_usd_micro,
      coalesce(t.alerts, 0)::int8 as alerts, coalesce(t.breaches, 0)::int8 as breaches
    from generate_series(${from}::timestamptz, ${timestamp(Date.parse(to) - step)}::timestamptz, ${`${step} milliseconds`}::interval) s (at)
    left join total t on t.at = s.at
    order by s.at`);
  return { bucket, from, to, data: [...data] };
}

type Range = { from?: string | undefined; to?: string | undefined; bucket: Bucket };

function rangeOf({ from, to, bucket }: Range, now: number) {
  const { bucket: step, range } = lengths[bucket];
  const end = to === undefined ? now + 1 : Date.parse(to);
  const until = Math.min(Math.ceil(end / step) * step, LAST);
  const start = from === undefined ? until - range : Date.parse(from);
  const since = Math.max(Math.floor(start / step) * step, FIRST_TIME);
  if (start >= end || since >= until)
    throw invalidDetail('query.from', 'invalid_value', 'from must lie before to, and before now when to is left out.');
  const buckets = (until - since) / step;
  if (buckets > MOST_BUCKETS)
    throw invalidDetail(
      'query.from',
      'too_long',
      `From ${timestamp(since)} to ${timestamp(until)} there are ${buckets} buckets; at most ${MOST_BUCKETS} are answered. Ask for a shorter time, or for days.`,
    );
  return { from: timestamp(since), to: timestamp(until), step };
}
