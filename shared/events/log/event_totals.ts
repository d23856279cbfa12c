import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import type { Tenant } from '#shared/interface/schemas.ts';
import { HOUR } from '#shared/values/time.ts';
import { hasRange, withinRange } from './amount_range.ts';
import { type EventFilters, positionsOf } from './event_filters.ts';

const MOST_EVENTS = 10_000;
/** Where amounts have bounds, so many are looked at to find them. */
const MOST_LOOKED_AT = 50_000;

export const EventTotals = z
  .object({
    events: z.int(),
    payments: z.int().meta({ description: 'payments that these events are of; from counters, payments that started' }),
    spend_usd_minor: z.string().meta({
      description:
        'US cents that those payments cost by these events: the latest that authorizes, settles or disputes one, less refunds, nothing where one failed or was canceled since, as far as they could be priced; from counters, spending as `GET /v1/stats` has it',
    }),
    complete: z.boolean().meta({ description: 'whether all events that match were added up' }),
  })
  .meta({ id: 'EventTotals' });
export type EventTotals = z.infer<typeof EventTotals>;

/** What the events come to that the filters leave: the newest 10,000 of them, or all where counters have it. */
export function totalEvents(db: Db, tenant: Tenant, filters: EventFilters): Promise<EventTotals> {
  const { from, to, ...others } = filters;
  const isPlain = Object.values(others).every(value => value === undefined);
  return isPlain && [from, to].every(isWholeHour) ? totalHours(db, tenant, filters) : totalNewest(db, tenant, filters);
}

const isWholeHour = (time: string | undefined) => time === undefined || Date.parse(time) % HOUR === 0;

const totalHours = (db: Db, { org_id, environment }: Tenant, { from, to }: EventFilters) =>
  db.one(sql.type(EventTotals)`
    select coalesce(sum(events), 0)::int8 as events, coalesce(sum(payments), 0)::int8 as payments,
      div(coalesce(sum(spend_usd_micro), 0) + 5000, 10000)::text as spend_usd_minor, true as complete
    from organization_hours
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment}`,
      from !== undefined && sql.fragment`hour >= ${from}`,
      to !== undefined && sql.fragment`hour < ${to}`,
    ])}`);

async function totalNewest(db: Db, tenant: Tenant, filters: EventFilters): Promise<EventTotals> {
  const { org_id, environment } = tenant;
  const isRanged = hasRange(filters);
  const most = isRanged ? MOST_LOOKED_AT : MOST_EVENTS;
  const { positions } = await positionsOf(db, tenant, filters, null, most + 1);
  const within = isRanged ? withinRange(sql.fragment`p.amount_usd_micro`, filters) : sql.fragment`true`;
  return db.one(sql.type(EventTotals)`
    with looked as materialized (
      select p.chain_seq, p.amount_usd_micro from (${positions}) p
    ), taken as materialized (
      select p.chain_seq from looked p where ${within} order by p.chain_seq desc limit ${MOST_EVENTS + 1}
    ), found as materialized (
      select e.chain_seq, e.occurred_at, e.agent_id, e.payment_id, e.type, e.amount_usd_micro as usd from (
        select chain_seq from taken order by chain_seq desc limit ${MOST_EVENTS}) p
      cross join lateral (
        select * from events where org_id = ${org_id} and environment = ${environment} and chain_seq = p.chain_seq limit 1) e
    ), costs as (
      select (array_agg(type order by occurred_at desc, chain_seq desc))[1] as latest,
        (array_agg(usd order by occurred_at desc, chain_seq desc)
          filter (where type in ('payment.authorized', 'payment.settled', 'payment.disputed')))[1] as paid,
        coalesce(sum(usd) filter (where type = 'payment.refunded'), 0) as refunded
      from found group by agent_id, payment_id
    )
    select (select count(*) from found) as events, count(*) as payments,
      div(coalesce(sum(greatest(paid - refunded, 0)) filter (where latest not in ('payment.failed', 'payment.canceled')), 0) + 5000, 10000)::text
        as spend_usd_minor,
      (select count(*) from taken) <= ${MOST_EVENTS} and (select count(*) from looked) <= ${most} as complete
    from costs`);
}
