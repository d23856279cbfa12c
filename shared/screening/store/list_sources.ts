import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { EVERYBODY } from './screening_lists.ts';
import { MINUTE, timestamp } from '#shared/values/time.ts';

/** How long a process may take to fetch a list before another may. */
const LEASE = 15 * MINUTE;
const FIRST_WAIT = MINUTE;
const LONGEST_WAIT = 60 * MINUTE;

const Name = z.object({ name: z.string() });

/** Claims those of these lists that are due to be fetched: each goes to one of the processes that ask. */
export async function claimListFetches(db: Db, names: readonly string[], now: number): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const due = await db.anyFirst(sql.type(Name)`
    select g.name from unnest(${sql.array([...names], 'text')}) g (name)
    left join screening_list_sources s on s.name = g.name
    where s.name is null or s.next_at <= ${timestamp(now)}`);
  if (due.length === 0) return [];
  return db.anyFirst(sql.type(Name)`
    insert into screening_list_sources as s (name, next_at)
    select name, ${timestamp(now + LEASE)}::timestamptz from unnest(${sql.array([...due].toSorted(), 'text')}) g (name)
    on conflict (name) do update set next_at = excluded.next_at where s.next_at <= ${timestamp(now)}
    returning name`);
}

const Validator = z.object({ etag: z.string().nullable(), last_modified: z.string().nullable() });
const Source = z.object({ validators: z.record(z.string(), Validator), attempts: z.number() });
/** The validators of a list's files, by address: a file is fetched again only if they have changed. */
type Validators = z.infer<typeof Source>['validators'];

/** The record of a list's last fetch. If another list was loaded in its place, the files count as unknown. */
export async function readSource(db: Db, name: string): Promise<z.infer<typeof Source>> {
  const stored_source = await db.maybeOne(sql.type(Source)`
    select case when l.name is null then '{}' else s.validators end as validators, s.attempts from screening_list_sources s
    left join screening_lists l on l.org_id = ${EVERYBODY} and l.name = s.name and l.sha256 = s.sha256
    where s.name = ${name}`);
  return stored_source ?? { validators: {}, attempts: 0 };
}

/** Records that a list was fetched and loaded; the next fetch is in `every` milliseconds. */
export const noteFetched = (
  db: Db,
  name: string,
  { validators, sha256, every }: { validators: Validators; sha256: string; every: number },
  now: number,
) =>
  db.query(sql.unsafe`
    insert into screening_list_sources (name, next_at, attempts, fetched_at, validators, sha256, error)
    values (${name}, ${timestamp(now + every)}, 0, ${timestamp(now)}, ${JSON.stringify(validators)}::jsonb, ${sha256}, null)
    on conflict (name) do update set next_at = excluded.next_at, attempts = 0, fetched_at = excluded.fetched_at,
      validators = excluded.validators, sha256 = excluded.sha256, error = null`);

/** Records that a list is unchanged. */
export const noteNotChanged = (db: Db, name: string, every: number, now: number) =>
  db.query(sql.unsafe`
    update screening_list_sources set next_at = ${timestamp(now + every)}, attempts = 0, fetched_at = ${timestamp(now)}, error = null
    where name = ${name}`);

/** Records that a list could not be fetched; the next try is after 1 min, 2 min, 4 min … an hour. */
export const noteNotFetched = (db: Db, name: string, attempts: number, error: string, now: number) =>
  db.query(sql.unsafe`
    insert into screening_list_sources (name, next_at, attempts, error)
    values (${name}, ${timestamp(now + Math.min(FIRST_WAIT * 2 ** attempts, LONGEST_WAIT))}, ${attempts + 1}, ${error.slice(0, 1_000)})
    on conflict (name) do update set next_at = excluded.next_at, attempts = excluded.attempts, error = excluded.error`);

const Problem = z.object({ name: z.string(), error: z.string() });

/** Why the last fetches of lists failed, by name. */
export async function fetchProblems(db: Db): Promise<Map<string, string>> {
  const rows = await db.any(sql.type(Problem)`select name, error from screening_list_sources where error is not null`);
  return new Map(rows.map(({ name, error }) => [name, error]));
}

const Fetched = z.object({ name: z.string(), fetched_at: z.string().nullable(), attempts: z.number() });

/** The last fetch of each of these lists, and the failures since. */
export const fetchStates = (db: Db, names: readonly string[]) =>
  db.any(sql.type(Fetched)`
    select name, fetched_at, attempts from screening_list_sources
    where name = any(${sql.array([...names], 'text')}) order by name`);
