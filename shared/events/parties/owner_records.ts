import { z } from 'zod';
import { type Db, holdsText, sql } from '#shared/platform/db.ts';
import { Id, IdList } from '#shared/interface/ids.ts';
import { direction, ordered } from '#shared/interface/changes.ts';
import type { Page, PageRequest } from '#shared/interface/page.ts';
import { byArrival, byName, keyedPage, sortKey } from './party_order.ts';
import { type Tenant, Timestamp, SearchText } from '#shared/interface/schemas.ts';

export const Owner = z
  .object({
    id: Id('own'),
    external_id: z.string().nullable(),
    name: z.string().nullable(),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2' }),
    agent_count: z.int().meta({ description: 'agents first seen with this owner of which an event was analyzed' }),
    first_seen_at: Timestamp,
    last_seen_at: Timestamp.meta({ description: 'when the latest analyzed event that names it was received' }),
  })
  .meta({ id: 'Owner' });
export type Owner = z.infer<typeof Owner>;

const ownersWithTotals = ({ org_id, environment }: Tenant, also = sql.fragment``) => sql.fragment`
  select o.id, o.external_id, o.name, o.country, coalesce(t.agent_count, 0) as agent_count, o.first_seen_at,
    greatest(t.last_seen_at, o.first_seen_at) as last_seen_at ${also}
  from owners o left join lateral (
    select t.agent_count, t.last_seen_at from owner_totals t
    where t.org_id = o.org_id and t.environment = o.environment and t.owner_id = o.id limit 1) t on true
  where o.org_id = ${org_id} and o.environment = ${environment}`;

/** The filters of the list. */
export const OwnerFilters = z.strictObject({
  q: SearchText.optional().meta({
    description: 'part of the name or the external id, whatever its case; or the exact id',
  }),
  ids: IdList('own').optional().meta({ description: 'these owners alone: up to 200 ids, separated by commas' }),
  sort: z
    .enum(['first_seen_at', 'name'])
    .optional()
    .meta({ description: 'the newest first, as without it; or by name' }),
  direction,
});
export type OwnerFilters = z.infer<typeof OwnerFilters>;

const OwnerRow = Owner.extend(sortKey);

/** Owners of a tenant, newest first or by name, filtered. */
export async function listOwners(
  db: Db,
  tenant: Tenant,
  { q, ids, sort, direction }: OwnerFilters,
  page: PageRequest,
): Promise<Page<Owner>> {
  const chosen =
    sort === 'name'
      ? byName(sql.fragment`coalesce(o.name, o.external_id, o.id)`)
      : byArrival(sql.fragment`o.first_seen_at`);
  const order = ordered(chosen, sql.fragment`o.id`, page, direction);
  const rows = await db.any(sql.type(OwnerRow)`
    ${ownersWithTotals(tenant, sql.fragment`, (${chosen.by})::text as sort_key`)} and ${sql.and([
      true,
      q !== undefined &&
        sql.fragment`(${holdsText(sql.fragment`coalesce(o.name, '') || ' ' || coalesce(o.external_id, '')`, q)} or o.id = ${q})`,
      ids !== undefined && sql.fragment`o.id = any(${sql.array(ids, 'text')})`,
      order.after,
    ])}
    order by ${order.by} limit ${page.limit + 1}`);
  return keyedPage(rows, page, order.keyOf);
}

/** One owner. Null when the tenant has no such owner. */
export const findOwner = (db: Db, tenant: Tenant, id: string) =>
  db.maybeOne(sql.type(Owner)`${ownersWithTotals(tenant)} and o.id = ${id}`);
