import { z } from 'zod';
import { unprocessable } from '#shared/interface/errors.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { HOUR, timestamp } from '#shared/values/time.ts';
import { ExportFormat, ExportKind } from './exports.ts';
import { folder, writtenFrom } from './schedule_claims.ts';

const ScheduleState = z.enum(['active', 'paused']).meta({
  id: 'ExportScheduleState',
  description: '`paused`: no hour is written; made active again, it goes on where it was.',
});

export const ExportSchedule = z
  .object({
    kind: ExportKind,
    format: ExportFormat,
    state: ScheduleState,
    from: Timestamp.meta({ description: 'the beginning of the first hour' }),
    next_hour: Timestamp.meta({
      description: 'the beginning of the hour that is written next; all before it, from `from` on, are',
    }),
    written_at: Timestamp.nullable().meta({ description: 'when the last hour was written; null before the first' }),
    folder: z.string().meta({ description: 'where its files are, in the storage of the deployment (`STORAGE_URL`)' }),
    error: z.string().nullable().meta({ description: 'why the next hour could not be written; it is tried again' }),
    created_at: Timestamp,
    created_by: z.string().nullable().meta({ description: '`usr_…` or `key_…`' }),
  })
  .meta({ id: 'ExportSchedule' });
export type ExportSchedule = z.infer<typeof ExportSchedule>;

export const NewExportSchedule = z
  .strictObject({
    format: ExportFormat,
    state: ScheduleState,
    from: TimeInput.optional().meta({
      description:
        'when it is first made: the time from whose hour on records are written; when left out, that of now. No earlier than the organization was made. It does not change afterwards.',
    }),
  })
  .meta({ id: 'NewExportSchedule', examples: [{ format: 'ndjson', state: 'active' }] });
export type NewExportSchedule = z.output<typeof NewExportSchedule>;

const columns = sql.fragment`kind, format, state, from_at as "from", hour_at as next_hour, written_at, ${folder} as folder, error, created_at, created_by`;

/** Schedules of a tenant for these kinds, by kind. */
export async function listSchedules(
  db: Db,
  { org_id, environment }: Tenant,
  kinds: readonly ExportKind[],
  page: PageRequest,
): Promise<Page<ExportSchedule>> {
  const rows = await db.any(sql.type(ExportSchedule)`
    select ${columns} from export_schedules
    where org_id = ${org_id} and environment = ${environment} and kind = any(${sql.array([...kinds], 'text')})
      and kind > ${page.after ?? ''}
    order by kind limit ${page.limit + 1}`);
  return pageOf(rows, page, ({ kind }) => kind);
}

/**
 * Makes the schedule of a kind, or changes it; `before` is null when it was made. Throws `unprocessable` when it would begin in time to come,
 * or at another time than it did.
 */
export async function setSchedule(
  tx: Db,
  tenant: Tenant,
  kind: ExportKind,
  { format, state, from }: NewExportSchedule,
  actor_id: string,
  now: number,
): Promise<{ before: ExportSchedule | null; schedule: ExportSchedule }> {
  if (from !== undefined && Date.parse(from) > now)
    throw unprocessable('/from', 'invalid_value', 'from must not be later than now.');
  const { org_id, environment } = tenant;
  const stored = await tx.maybeOne(sql.type(StoredSchedule)`
    select ${columns}, held_until from export_schedules
    where org_id = ${org_id} and environment = ${environment} and kind = ${kind} for update`);
  const asked = from === undefined && stored ? stored.from : await firstHour(tx, tenant, from ?? timestamp(now));
  if (stored && asked !== stored.from)
    throw unprocessable('/from', 'invalid_value', `It began at ${stored.from}, and cannot begin at another time.`);
  const due = Math.max(writtenFrom(stored?.next_hour ?? asked), Date.parse(stored?.held_until ?? asked));
  const next_at = state === 'active' ? timestamp(due) : null;
  const schedule = await tx.one(sql.type(ExportSchedule)`
    insert into export_schedules (org_id, environment, kind, format, state, from_at, hour_at, created_at, created_by, next_at)
    values (${org_id}, ${environment}, ${kind}, ${format}, ${state}, ${asked}, ${asked}, ${timestamp(now)}, ${actor_id}, ${next_at})
    on conflict (org_id, environment, kind) do update
    set format = excluded.format, state = excluded.state, next_at = excluded.next_at
    returning ${columns}`);
  return { before: stored, schedule };
}

const StoredSchedule = ExportSchedule.extend({ held_until: z.string().nullable() });

/** The beginning of the hour of a time, or of that in which the organization was made, if that is later. */
async function firstHour(tx: Db, { org_id }: Tenant, from: string): Promise<string> {
  const { created_at } = await tx.one(sql.type(z.object({ created_at: z.string() }))`
    select created_at from organizations where id = ${org_id}`);
  return timestamp(Math.floor(Math.max(Date.parse(from), Date.parse(created_at)) / HOUR) * HOUR);
}
