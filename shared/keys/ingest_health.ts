import { z } from 'zod';
import { columnOf } from '#shared/platform/bulk.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { Id } from '#shared/interface/ids.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { timestamp } from '#shared/values/time.ts';

const counts = {
  requests: z.int().meta({ description: 'requests to send events' }),
  rate_limited: z.int().meta({ description: 'requests that were refused because there were too many' }),
  accepted: z.int(),
  duplicates: z.int(),
  conflicts: z.int(),
  rejected: z.int(),
};

const Rejection = z.object({
  code: z.string().meta({ examples: ['invalid_type'] }),
  path: z.string().meta({ description: 'where in the event, as a JSON pointer', examples: ['/payment/amount/value'] }),
  events: z.int(),
});

export const IngestHealth = z
  .object({
    id: Id('key'),
    name: z.string(),
    ...counts,
    least_left: z
      .int()
      .nullable()
      .meta({ description: 'the fewest requests that the rate limit had left; null when nothing was limited' }),
    rejections: z.array(Rejection).meta({ description: 'why events were rejected, the commonest first, at most 20' }),
    by_hour: z
      .array(z.object({ hour: Timestamp, ...counts }))
      .meta({ description: 'hours with requests, oldest first' }),
  })
  .meta({ id: 'IngestHealth' });
export type IngestHealth = z.infer<typeof IngestHealth>;

const Hour = z.object({ key_id: z.string(), hour: z.string(), ...counts, least_left: z.number().nullable() });
const REASONS_SHOWN = 20;

/** The outcomes of the events that these keys sent since `from`, in milliseconds; one entry per key, in their order. */
export async function readIngestHealth(
  db: Db,
  { org_id, environment }: Tenant,
  keys: readonly { id: string; name: string }[],
  from: number,
): Promise<IngestHealth[]> {
  const ids = columnOf(keys, 'id', 'text');
  const within = sql.fragment`
    org_id = ${org_id} and environment = ${environment} and key_id = any(${ids}) and hour >= ${timestamp(from)}`;
  const hours = await db.any(sql.type(Hour)`
    select key_id, hour, requests, rate_limited, accepted, duplicates, conflicts, rejected, least_left
    from key_hours where ${within} order by hour`);
  const reasons = await db.any(sql.type(Rejection.extend({ key_id: z.string() }))`
    select key_id, code, path, sum(events)::int8 as events from key_rejections where ${within}
    group by key_id, code, path order by sum(events) desc, code, path`);
  return keys.map(({ id, name }) => {
    const own = hours.filter(({ key_id }) => key_id === id);
    const sum = (column: keyof typeof counts) => own.reduce((total, hour) => total + hour[column], 0);
    const minima = own.flatMap(({ least_left }) => least_left ?? []);
    return {
      id,
      name,
      requests: sum('requests'),
      rate_limited: sum('rate_limited'),
      accepted: sum('accepted'),
      duplicates: sum('duplicates'),
      conflicts: sum('conflicts'),
      rejected: sum('rejected'),
      least_left: minima.length > 0 ? Math.min(...minima) : null,
      rejections: reasons
        .filter(({ key_id }) => key_id === id)
        .slice(0, REASONS_SHOWN)
        .map(({ code, path, events }) => ({ code, path, events })),
      by_hour: own.map(({ key_id: _key, least_left: _left, ...hour }) => hour),
    };
  });
}
