import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';

/** How long a process may take to fetch rates before another may. */
const LEASE = 15 * MINUTE;
const FIRST_WAIT = MINUTE;
const LONGEST_WAIT = 60 * MINUTE;

/** Claims the rates of this source if they are due to be fetched: one of the processes that ask gets them. */
export const claimRateFetch = (db: Db, id: string, now: number) =>
  db.anyFirst(sql.type(z.object({ id: z.string() }))`
    insert into rate_sources as s (id, next_at)
    select ${id}, ${timestamp(now + LEASE)}::timestamptz
    where not exists (select from rate_sources where id = ${id} and next_at > ${timestamp(now)})
    on conflict (id) do update set next_at = excluded.next_at where s.next_at <= ${timestamp(now)}
    returning id`);

const Validators = z.object({ etag: z.string().nullable(), last_modified: z.string().nullable() });
const Source = z.object({
  validators: Validators.nullable(),
  attempts: z.number(),
  fetched_at: z.string().nullable(),
  error: z.string().nullable(),
});
type RateSource = z.infer<typeof Source>;

/** The record of this source's last fetch. */
export async function readRateSource(db: Db, id: string): Promise<RateSource> {
  const stored_source = await db.maybeOne(sql.type(Source)`
    select nullif(validators, '{}') as validators, attempts, fetched_at, error from rate_sources where id = ${id}`);
  return stored_source ?? { validators: null, attempts: 0, fetched_at: null, error: null };
}

/** Records that rates were fetched, or found unchanged (`validators` null); the next fetch is in `every` milliseconds. */
export const noteRatesFetched = (
  db: Db,
  id: string,
  { validators, every }: { validators: RateSource['validators']; every: number },
  now: number,
) =>
  db.query(sql.unsafe`
    insert into rate_sources as s (id, next_at, fetched_at, validators)
    values (${id}, ${timestamp(now + every)}, ${timestamp(now)}, ${JSON.stringify(validators ?? {})}::jsonb)
    on conflict (id) do update set next_at = excluded.next_at, attempts = 0, fetched_at = excluded.fetched_at, error = null,
      validators = case when ${validators !== null} then excluded.validators else s.validators end`);

/** Records that rates could not be fetched; the next try is after 1 min, 2 min, 4 min … an hour. */
export const noteRatesNotFetched = (db: Db, id: string, attempts: number, error: string, now: number) =>
  db.query(sql.unsafe`
    insert into rate_sources (id, next_at, attempts, error)
    values (${id}, ${timestamp(now + Math.min(FIRST_WAIT * 2 ** attempts, LONGEST_WAIT))}, ${attempts + 1}, ${error.slice(0, 1_000)})
    on conflict (id) do update set next_at = excluded.next_at, attempts = excluded.attempts, error = excluded.error`);
