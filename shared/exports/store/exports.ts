import { z } from 'zod';
import { Id, newId } from '#shared/interface/ids.ts';
import { unprocessable } from '#shared/interface/errors.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { type Tenant, Timestamp } from '#shared/interface/schemas.ts';
import type { exportAccess } from '#shared/keys/export_access.ts';
import { here, QUEUE_GRACE } from '#shared/packs/store/builds.ts';
import { type Db, sql } from '#shared/platform/db.ts';
import { TimeInput } from '#shared/values/parsed_text.ts';
import { timestamp } from '#shared/values/time.ts';

export const exportKindNames = [
  'events',
  'alerts',
  'cases',
  'screenings',
  'audit',
] as const satisfies (keyof typeof exportAccess)[];
export const ExportKind = z.enum(exportKindNames).meta({ id: 'ExportKind' });
export type ExportKind = z.infer<typeof ExportKind>;

export const ExportFormat = z.enum(['ndjson', 'csv', 'parquet']).meta({
  id: 'ExportFormat',
  description:
    '`ndjson`: a line of JSON a record, as the API answers it. `csv`: a row a record, its members as columns such as `payment.status`, lists as JSON. `parquet`: the same columns in Apache Parquet, whole numbers as INT64, times as timestamps in microseconds UTC, all else as text, amounts exactly too.',
});
export type ExportFormat = z.infer<typeof ExportFormat>;

const ExportState = z
  .enum(['queued', 'building', 'ready', 'failed', 'expired'])
  .meta({ id: 'ExportState', description: '`expired`: its time was over, and its file is gone.' });

const Filters = z.record(z.string(), z.string());
/** The longest value, which is that of a list of ids. */
const LONGEST_FILTER = 8_000;

export const Export = z
  .object({
    id: Id('exp'),
    kind: ExportKind,
    format: ExportFormat,
    from: Timestamp.nullable(),
    to: Timestamp.nullable(),
    filters: Filters.meta({ description: 'the filters of the list that it is narrowed by' }),
    state: ExportState,
    progress: z.number().min(0).max(1),
    row_count: z.int().nullable().meta({ description: 'records in it; null until it is ready' }),
    created_at: Timestamp,
    created_by: z.string().nullable().meta({ description: '`usr_…`, `key_…`, or null: the operator' }),
    ready_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable().meta({ description: 'until when it is kept; null while it is not ready' }),
    size_bytes: z.int().nullable().meta({ description: 'of the ZIP' }),
    sha256: z.string().nullable().meta({ description: 'of the ZIP, in hex' }),
    error: z.string().nullable().meta({ description: 'why it could not be built' }),
  })
  .meta({ id: 'Export' });
export type Export = z.infer<typeof Export>;

export const NewExport = z
  .strictObject({
    kind: ExportKind,
    format: ExportFormat,
    from: TimeInput.optional().meta({
      description: 'events that occurred, or records that were made, at this time or later; all when left out',
    }),
    to: TimeInput.optional().meta({ description: 'and before this time' }),
    filters: z
      .record(z.string(), z.string().max(LONGEST_FILTER))
      .optional()
      .meta({
        description:
          'only what these filters of the list leave, as its query has them, besides those of time and order',
        examples: [{ rail: 'card', mandate_result: 'breach' }],
      }),
  })
  .meta({ id: 'NewExport', examples: [{ kind: 'events', format: 'ndjson', from: '2026-10-01T00:00:00.000Z' }] });
export type NewExport = z.output<typeof NewExport>;

export const ExportFilters = z.strictObject({ kind: ExportKind.optional(), state: ExportState.optional() });
export type ExportFilters = z.infer<typeof ExportFilters>;

const columns = sql.fragment`id, kind, format, from_at as "from", to_at as "to", filters, state, round(progress::numeric, 3)::float8 as progress,
  row_count, created_at, created_by, ready_at, expires_at, size_bytes, sha256, error`;

const among = (kinds: readonly ExportKind[]) => sql.fragment`kind = any(${sql.array(kinds, 'text')})`;

/** Exports of a tenant of these kinds, newest first, filtered. */
export async function listExports(
  db: Db,
  { org_id, environment }: Tenant,
  kinds: readonly ExportKind[],
  { kind, state }: ExportFilters,
  page: PageRequest,
): Promise<Page<Export>> {
  const rows = await db.any(sql.type(Export)`
    select ${columns} from exports
    where ${sql.and([
      sql.fragment`org_id = ${org_id} and environment = ${environment} and ${among(kinds)}`,
      kind !== undefined && sql.fragment`kind = ${kind}`,
      state !== undefined && sql.fragment`state = ${state}`,
      page.after !== null && sql.fragment`id < ${page.after}`,
    ])}
    order by id desc limit ${page.limit + 1}`);
  return pageOf(rows, page, ({ id }) => id);
}

/** One export. Null when the tenant has none of these kinds with this id. */
export const findExport = (db: Db, tenant: Tenant, id: string, kinds: readonly ExportKind[]) =>
  db.maybeOne(sql.type(Export)`select ${columns} from exports where ${here(tenant, id)} and ${among(kinds)}`);

const Built = Export.pick({ state: true, sha256: true, size_bytes: true }).extend({ built_in: z.int().nullable() });

/** What a download needs to know of an export; `built_in` is the attempt that built its file. Null as for `findExport`. */
export const findBuiltExport = (db: Db, tenant: Tenant, id: string, kinds: readonly ExportKind[]) =>
  db.maybeOne(sql.type(Built)`
    select state, sha256, size_bytes, built_in from exports where ${here(tenant, id)} and ${among(kinds)}`);

/** Requests an export. Throws `unprocessable` for an invalid time. */
export function createExport(
  tx: Db,
  { org_id, environment }: Tenant,
  { kind, format, from, to, filters = {} }: NewExport,
  created_by: string,
  now: number,
): Promise<Export> {
  if (from !== undefined && to !== undefined && from >= to)
    throw unprocessable('/to', 'invalid_value', 'to must be later than from.');
  return tx.one(sql.type(Export)`
    insert into exports (org_id, environment, id, kind, format, from_at, to_at, filters, created_at, created_by, next_at)
    values (${org_id}, ${environment}, ${newId('exp', now)}, ${kind}, ${format}, ${from ?? null}, ${to ?? null}, ${JSON.stringify(filters)}, ${timestamp(now)},
      ${created_by}, ${timestamp(now + QUEUE_GRACE)})
    returning ${columns}`);
}

/** The name of an export's file in the storage; every attempt has its own. */
export const exportFile = ({ org_id, environment }: Tenant, id: string, attempt: number): string =>
  `exports/${org_id}/${environment}/${id}-${attempt}.zip`;
