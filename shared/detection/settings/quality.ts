import { encodeTime } from 'ulid';
import { z } from 'zod';
import { Lesson } from '#shared/casework/lesson.ts';
import { listLessons, MOST_LISTED } from '#shared/casework/lessons.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { invalidDetail } from '#shared/interface/errors.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { DAY, HOUR, timestamp } from '#shared/values/time.ts';

/** What became of a detector's findings, in numbers. */
const Counts = z.object({
  detector: z.string(),
  from: Timestamp,
  to: Timestamp,
  alerts: z.int().meta({ description: 'alerts created in that time, by the state they are in now' }),
  open: z.int(),
  acknowledged: z.int(),
  escalated: z.int(),
  resolved: z.int(),
  dismissed: z.int(),
  precision: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'resolved ÷ (resolved + dismissed); null while none is closed' }),
  median_hours_to_close: z
    .number()
    .nullable()
    .meta({ description: 'from an alert to its being closed; null while none is closed' }),
  events: z.int().meta({ description: 'events that occurred in the hours of that time, as far as they were analyzed' }),
  alerts_per_10000_events: z.number().nullable().meta({ description: 'null where there was no event' }),
  shadow_findings: z.int().meta({
    description: 'suppressed findings: in shadow mode, below the minimum severity, or in the cooldown after closing',
  }),
});

/** What became of a detector's findings, and what was learned from them. */
export const DetectorQuality = Counts.extend({
  lessons: z.array(Lesson).meta({
    description: `what was learned from closed behavioral alerts, at any time, newest first, at most ${MOST_LISTED}`,
  }),
}).meta({ id: 'DetectorQuality' });
export type DetectorQuality = z.infer<typeof DetectorQuality>;

/** By default the last 90 days. */
const RANGE = 90 * DAY;

/**
 * The alerts of a detector created from `from` until `to`, how people judged them, and what was learned from that. Throws `invalid_request`
 * for an empty range.
 */
export async function readQuality(
  db: Db,
  { org_id, environment }: Tenant,
  detector: string,
  range: { from?: string | undefined; to?: string | undefined },
  now: number,
): Promise<DetectorQuality> {
  const { from, to } = rangeOf(range, now);
  const lessons = await listLessons(db, { org_id, environment }, detector);
  const ofDetector = (prefix: 'alr' | 'shf') =>
    sql.fragment`org_id = ${org_id} and environment = ${environment} and detector = ${detector}
      and id >= ${`${prefix}_${firstUlid(from)}`} and created_at >= ${from} and created_at < ${to}`;
  const counts = await db.one(sql.type(Counts)`
    with done as (
      select count(*) as alerts, count(*) filter (where state = 'open') as open,
        count(*) filter (where state = 'acknowledged') as acknowledged, count(*) filter (where state = 'escalated') as escalated,
        count(*) filter (where state = 'resolved') as resolved, count(*) filter (where state = 'dismissed') as dismissed,
        percentile_cont(0.5) within group (order by extract(epoch from closed_at - created_at) / 3600)
          filter (where closed_at is not null) as hours_to_close
      from alerts where ${ofDetector('alr')}
    ), hour as (
      select coalesce(sum(events), 0) as events from organization_hours
      where org_id = ${org_id} and environment = ${environment}
        and hour > ${from}::timestamptz - interval '1 hour' and hour < ${to}
    )
    select ${detector} as detector, ${from} as "from", ${to} as "to", alerts, open, acknowledged, escalated, resolved, dismissed,
      round(resolved::numeric / nullif(resolved + dismissed, 0), 3)::float8 as precision,
      round(hours_to_close::numeric, 1)::float8 as median_hours_to_close, events::int8 as events,
      round(alerts * 10000 / nullif(events, 0), 2)::float8 as alerts_per_10000_events,
      (select count(*) from shadow_findings where ${ofDetector('shf')}) as shadow_findings
    from done, hour`);
  return { ...counts, lessons: [...lessons] };
}

/** No id created at this time or later is less. An id may be later than its record, if clocks were set back. */
const firstUlid = (from: string) => `${encodeTime(Math.max(0, Date.parse(from)), 10)}${'0'.repeat(16)}`;

/** Up to the end of this hour, so that a response stays the same for as long as its ETag does. */
function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }, now: number) {
  const end = to ?? timestamp(Math.ceil((now + 1) / HOUR) * HOUR);
  const start = from ?? timestamp(Math.max(Date.parse(end) - RANGE, FIRST));
  if (start < end) return { from: start, to: end };
  throw invalidDetail('query.from', 'invalid_value', 'from must lie before to, and before now when to is left out.');
}

const FIRST = Date.parse('0001-01-02T00:00:00.000Z');
