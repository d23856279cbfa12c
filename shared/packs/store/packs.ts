import { z } from 'zod';
import { type Db, sql } from '#shared/platform/db.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { packKinds } from '#shared/packs/pack_files.ts';
import { direction, ordered } from '#shared/interface/changes.ts';
import { type Page, type PageRequest, pageOf } from '#shared/interface/page.ts';
import { PackScope } from './pack_input.ts';
import { PackShare, sharesColumn } from './pack_shares.ts';
import { type Tenant, Timestamp, TimeFilter } from '#shared/interface/schemas.ts';

const PackState = z.enum(['queued', 'building', 'ready', 'failed', 'expired']).meta({
  id: 'PackState',
  description: '`expired`: it expired or was deleted; its files are gone and its links no longer work.',
});

export const Pack = z
  .object({
    id: Id('pck'),
    kind: z.enum(packKinds).meta({ description: 'the type of report; the files are the same' }),
    title: z.string().nullable(),
    state: PackState,
    scope: PackScope,
    redact: z.array(z.string()).meta({ description: 'kinds of evidence whose values are left out' }),
    progress: z.number().min(0).max(1),
    created_at: Timestamp,
    created_by: z.string().nullable().meta({ description: '`usr_…`, `key_…`, or null: the operator' }),
    ready_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable().meta({ description: 'until when it is kept; null while it is not ready' }),
    size_bytes: z.int().nullable().meta({ description: 'of the ZIP' }),
    sha256: z.string().nullable().meta({ description: 'of the ZIP, in hex' }),
    event_count: z.int(),
    error: z.string().nullable().meta({ description: 'why it could not be built' }),
  })
  .meta({ id: 'Pack' });
export type Pack = z.infer<typeof Pack>;

export const PackDetail = Pack.extend({
  shares: z.array(PackShare).meta({ description: 'links to it, newest first, at most 100' }),
}).meta({ id: 'PackDetail' });
export type PackDetail = z.infer<typeof PackDetail>;

export const PackFilters = z.strictObject({
  ids: IdList('pck').optional().meta({ description: 'these packs alone: up to 200 ids, separated by commas' }),
  state: PackState.optional(),
  kind: z.enum(packKinds).optional(),
  from: TimeFilter.optional().meta({ description: 'requested at this time or later' }),
  to: TimeFilter.optional().meta({ description: 'requested before this time' }),
  direction,
});
export type PackFilters = z.infer<typeof PackFilters>;

/** The columns of a pack, of a table or alias `p`. */
export const packColumns = sql.fragment`p.id, p.kind, p.title, p.state, p.scope, p.redact, round(p.progress::numeric, 3)::float8 as progress,
  p.created_at, p.created_by, p.ready_at, p.expires_at, p.size_bytes, p.sha256, p.event_count, p.error`;

/** Packs of a tenant, newest or oldest first, filtered. */
export async function listPacks(
  db: Db,
  { org_id, environment }: Tenant,
  { ids, state, kind, from, to, direction }: PackFilters,
  page: PageRequest,
): Promise<Page<Pack>> {
  const order = ordered<Pack>(null, sql.fragment`p.id`, page, direction);
  const rows = await db.any(sql.type(Pack)`
    select ${packColumns} from packs p
    where ${sql.and([
      sql.fragment`p.org_id = ${org_id} and p.environment = ${environment}`,
      ids !== undefined && sql.fragment`p.id = any(${sql.array(ids, 'text')})`,
      state !== undefined && sql.fragment`p.state = ${state}`,
      kind !== undefined && sql.fragment`p.kind = ${kind}`,
      from !== undefined && sql.fragment`p.created_at >= ${from}`,
      to !== undefined && sql.fragment`p.created_at < ${to}`,
      order.after,
    ])}
    order by ${order.by} limit ${page.limit + 1}`);
  return pageOf(rows, page, order.keyOf);
}

/** One pack with its links. Null when the tenant has no such pack. */
export const findPack = (db: Db, { org_id, environment }: Tenant, id: string) =>
  db.maybeOne(sql.type(PackDetail)`
    select ${packColumns}, ${sharesColumn} as shares from packs p
    where p.org_id = ${org_id} and p.environment = ${environment} and p.id = ${id}`);

const Built = z.object({
  state: PackState,
  sha256: z.string().nullable(),
  size_bytes: z.int().nullable(),
  built_in: z.int().nullable(),
});

/** What a download needs to know of a pack; `built_in` is the attempt that built its files. Null when the tenant has no such pack. */
export const findBuilt = (db: Db, { org_id, environment }: Tenant, id: string) =>
  db.maybeOne(sql.type(Built)`
    select state, sha256, size_bytes, built_in from packs where org_id = ${org_id} and environment = ${environment} and id = ${id}`);
